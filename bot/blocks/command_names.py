"""Call commands as the app's manifest does: with the operator's prefix, if there is one."""

import re
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

# Set once, at the start of a process: all that it does follows from there.
_naming: ContextVar[tuple[str, frozenset[str]]] = ContextVar("naming", default=("", frozenset()))
# Parts of a payload that come back to the bot, and cells, which hold text from outside.
_KEPT = {"action_id", "block_id", "initial_value", "private_metadata", "url", "value"}


def use_prefix(prefix: str, commands: Iterable[str]) -> None:
    """Let each of `commands`, such as `/scan`, be called `/<prefix>scan` from now on."""
    _naming.set((prefix, frozenset(commands)))


def typed_name(command: str) -> str:
    """Return the name by which Slack knows a command of the bot."""
    return f"/{_naming.get()[0]}{command[1:]}"


def own_name(typed: str) -> str:
    """Return the bot's name of a command that was typed; other text as it is."""
    prefix, commands = _naming.get()
    own = f"/{typed.removeprefix(f'/{prefix}')}"
    return own if own in commands else typed


def renamed(part: Any) -> Any:
    """Return a text, or a message, form or part of one, with the names that people type."""
    prefix, commands = _naming.get()
    if not prefix:
        return part
    names = "|".join(name[1:] for name in commands)
    return _renamed(part, re.compile(rf"(?<![\w./-])/(?=(?:{names})\b(?![/-]))"), f"/{prefix}")


def _renamed(part: Any, slash: re.Pattern[str], instead: str) -> Any:
    match part:
        case str():
            return slash.sub(instead, part)
        case {"type": "raw_text"}:
            return part
        case dict():
            return {
                name: value if name in _KEPT else _renamed(value, slash, instead)
                for name, value in part.items()
            }
        case list() | tuple():
            return [_renamed(each, slash, instead) for each in part]
    return part
