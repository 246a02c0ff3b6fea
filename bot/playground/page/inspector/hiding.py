"""Keys and tokens made unreadable before anything is shown."""

import re
from collections.abc import Callable
from typing import Any

HIDDEN = "[hidden]"
# To the end of the text: what is typed into a form may be a key with blanks or breaks inside. The
# short form that the bot shows people, `service_sk_…wxyz`, gives nothing away and stays.
_KEY = re.compile(r"(service_sk_)(?=[\w-]).*", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(r"(xox[a-z]\.xox[a-z]-|xox[a-z]-|xapp-|ticket=)[\w.-]+", re.IGNORECASE)
# A key without its beginning has 41 characters of all three kinds; no host name has.
_RANDOM = re.compile(r"(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*[0-9])[\w-]{24,}")
_SECRET_NAMES = frozenset({"token"})


def without_secrets(value: Any) -> Any:
    """Return a JSON value as it may be shown."""
    return _walk(value, _without_known)


def without_typed_secrets(value: Any) -> Any:
    """Return the same of what people typed, where a key may lack its beginning."""
    return _walk(value, lambda text: _RANDOM.sub(HIDDEN, _without_known(text)))


def _without_known(text: str) -> str:
    return _TOKEN.sub(rf"\g<1>{HIDDEN}", _KEY.sub(rf"\g<1>{HIDDEN}", text))


def _walk(value: Any, hide: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list | tuple):
        return [_walk(part, hide) for part in value]
    if isinstance(value, dict):
        return {
            hide(str(name)): HIDDEN if name in _SECRET_NAMES else _walk(part, hide)
            for name, part in value.items()
        }
    return value
