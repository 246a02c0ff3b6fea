"""Types of single settings. Each validator returns the value or raises ValueError.

Its sentence is for the operator and quotes nothing of the value.
"""

import ipaddress
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, get_args
from urllib.parse import SplitResult, urlsplit

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from bot.store.encryption import KeyRing
from bot.store.postgres.address import (
    DEFAULT_POOL_SIZE,
    MAX_POOL_SIZE,
    MIN_POOL_SIZE,
    SCHEMES,
    Address,
    parse_address,
)

BOT_TOKEN = re.compile(r"xox(b|e\.xoxb)-[!-~]+")
APP_TOKEN = re.compile(r"xapp-[!-~]+")
METRICS_TOKEN = re.compile(r"[!-~]{16,}")  # it is sent in a header, so nothing else fits in
SQLITE = "sqlite:///"
MAX_LABEL_CHARS = 100
Level = Literal["DEBUG", "INFO", "WARNING", "ERROR"]
Format = Literal["console", "json"]


def database_of(url: str, *, pool_size: int = DEFAULT_POOL_SIZE) -> Path | Address:
    """Return where a DATABASE_URL leads: a file, or a database of PostgreSQL.

    `pool_size` counts where the address does not say. A ValueError quotes nothing of it.
    """
    url = _database_address(url)
    if url.startswith(SQLITE):
        return Path(url.removeprefix(SQLITE))
    return parse_address(url, pool_size=pool_size)


def _url_parts(text: str) -> SplitResult | None:
    try:
        parts = urlsplit(text)
        is_usable = parts.port != 0 and not re.search(r"\s", text)
    except ValueError:  # its message would quote the address, and a password in it
        return None
    return parts if is_usable else None


def _http_parts(text: str) -> SplitResult:
    parts = _url_parts(text)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an http or https address")
    return parts


def _address(text: str) -> str:
    parts = _http_parts(text)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must have no user name, query or fragment")
    return text


def _page_address(text: str) -> str:
    parts = _http_parts(text)
    # https://docs.slack.dev/messaging/formatting-message-text#linking-urls
    if "@" in parts.netloc or set("<>|`*") & set(text):
        raise ValueError("must have no user name, and none of < > | ` *")
    return text


def _api_address(text: str) -> str:
    if not text.endswith("/"):
        raise ValueError("must end in a slash, as in https://slack.com/api/")
    return _address(text)


def _public_address(text: str) -> str:
    parts = _url_parts(text)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("must be an https address, as in https://bot.example.com")
    if "@" in parts.netloc or parts.path.strip("/") or set("?#") & set(text):
        raise ValueError("must be only scheme, host and port, as in https://bot.example.com")
    if parts.scheme != "https" and not _is_loopback(parts.hostname):
        raise ValueError("must be https: Slack sends no one back to another address")
    return f"{parts.scheme}://{parts.netloc}"


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _secret_like(pattern: re.Pattern[str], what: str) -> Callable[[SecretStr], SecretStr]:
    def check(secret: SecretStr) -> SecretStr:
        if not pattern.fullmatch(secret.get_secret_value()):
            raise ValueError(f"must be {what}")
        return secret

    return check


def _key_ring(secret: SecretStr) -> SecretStr:
    KeyRing.parse(secret.get_secret_value())
    return secret


def _database_address(text: str) -> str:
    if text.startswith(SCHEMES):
        parse_address(text)
    elif not text.removeprefix(SQLITE) or not text.startswith(SQLITE):
        raise ValueError("must look like sqlite:///data/bot.sqlite or postgresql://…")
    return text


def _networks(text: str) -> str:
    for part in filter(None, (part.strip() for part in text.split(","))):
        try:
            ipaddress.ip_network(part, strict=False)
        except ValueError:
            raise ValueError("must be IP addresses or networks, comma separated") from None
    return text


def _told(what: str) -> WrapValidator:
    """Say `must …` of what is wrong, in the place of pydantic's own words."""

    def check(value: Any, right: ValidatorFunctionWrapHandler) -> Any:
        try:
            return right(value)
        except ValidationError:
            raise ValueError(f"must {what}") from None

    return WrapValidator(check)


def _number(low: float, high: float) -> WrapValidator:
    return _told(f"be a number from {low:g} to {high:g}")


def _one_of(kind: Any) -> WrapValidator:
    return _told(f"be one of {', '.join(get_args(kind))}")


Url = Annotated[str, AfterValidator(_address)]
ApiUrl = Annotated[str, AfterValidator(_api_address)]
PageUrl = Annotated[str, AfterValidator(_page_address)]
PublicUrl = Annotated[str, AfterValidator(_public_address)]
DatabaseUrl = Annotated[str, AfterValidator(_database_address), Field(repr=False)]
Networks = Annotated[str, AfterValidator(_networks)]
SecretKeys = Annotated[SecretStr, AfterValidator(_key_ring)]
BotToken = Annotated[SecretStr, AfterValidator(_secret_like(BOT_TOKEN, "a bot token, xoxb-…"))]
AppToken = Annotated[
    SecretStr, AfterValidator(_secret_like(APP_TOKEN, "an app-level token, xapp-…"))
]
MetricsToken = Annotated[
    SecretStr,
    AfterValidator(
        _secret_like(METRICS_TOKEN, "at least 16 letters, digits or signs, without spaces")
    ),
]
Label = Annotated[
    str, Field(max_length=MAX_LABEL_CHARS), _told(f"have at most {MAX_LABEL_CHARS} characters")
]
Port = Annotated[int, Field(ge=1, le=65535), _number(1, 65535)]
PoolSize = Annotated[
    int, Field(ge=MIN_POOL_SIZE, le=MAX_POOL_SIZE), _number(MIN_POOL_SIZE, MAX_POOL_SIZE)
]
Switch = Annotated[bool, _told("be true or false")]
TickSeconds = Annotated[float, Field(ge=0.5, le=60), _number(0.5, 60)]  # a slot cannot wait longer
LogLevel = Annotated[Level, BeforeValidator(lambda level: level.upper()), _one_of(Level)]
LogFormat = Annotated[Format, _one_of(Format)]
