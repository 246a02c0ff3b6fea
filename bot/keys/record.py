"""What a key is, and what may be known of it. Plain data."""

import re
from dataclasses import dataclass, field
from datetime import date, datetime

from bot.errors import BotError

# Service document, sections 2.1 and 8.
KEY_PREFIX = "service_sk_"
KEY_CHARS = 52
# A bearer token's characters: RFC 6750, section 2.1. Anything else could not be sent in a header.
_KEY = re.compile(rf"{KEY_PREFIX}[A-Za-z0-9._~+/=-]+")
# Service document, section 5.2, which says that there may be more.
SCOPES = (
    "read_domains",
    "write_domains",
    "read_reports",
    "write_reports",
    "read_alerts",
    "write_alerts",
    "admin",
)


class NoKeyError(BotError):
    """The workspace has no API key yet."""


class KeyFormError(BotError):
    """What was given as a key cannot be one: wrong beginning, length or characters."""


class ExpiredDraftError(BotError):
    """The key that somebody entered has expired by what they say of it."""


class NoEarlierKeyError(BotError):
    """There is no earlier key to go back to, or it is another one by now."""


class KeyInUseError(BotError):
    """That key is the one in use already."""


class OtherKeyError(BotError):
    """The workspace has another key by now than the one that was meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDraft:
    """A key as an admin typed it, and what they said of it. `expires_on` is `None`: not known."""

    secret: str = field(repr=False)
    label: str
    expires_on: date | None
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """What may be shown of a workspace's key.

    `refused_at`: since when the service calls it invalid, or `None`; `told_at`: when the people
    concerned were told so, and `told` says who. `lacks` and `works`: the operations
    ("list", "add", "scan") for which the service said that its scopes do not suffice, and those
    that succeeded. `reminded_days`: the last of the days before its expiration at which people
    were reminded, `None` before the first. `rotation_told_at`: when another one was proposed.
    """

    last4: str
    label: str
    expires_on: date | None
    scopes: tuple[str, ...]
    set_by: str
    set_at: datetime
    refused_at: datetime | None = None
    told_at: datetime | None = None
    told: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    reminded_days: int | None = None
    rotation_told_at: datetime | None = None

    @property
    def shown(self) -> str:
        """The key as people see it."""
        return f"{KEY_PREFIX}…{self.last4}"

    @property
    def mark(self) -> str:
        """What a button carries to say which key it means."""
        return f"{self.last4}-{self.set_at:%Y%m%d%H%M%S%f}"


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A key that is kept: its value for the request, how it is sealed, its record for people."""

    secret: str = field(repr=False)
    sealed: str = field(repr=False)
    record: KeyRecord


def checked_secret(typed: str) -> str:
    """Return the key in `typed`, without the space around it, or raise KeyFormError."""
    secret = typed.strip()
    if len(secret) != KEY_CHARS or not _KEY.fullmatch(secret):
        raise KeyFormError("not the form of an API key")
    return secret
