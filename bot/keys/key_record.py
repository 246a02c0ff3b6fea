"""An API key: its form, its record, and when which notice about it is due. Pure."""

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from enum import Enum

from bot.process.errors import BotError

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
# Days before the expiration that was entered, the earliest first.
COUNTDOWN_DAYS = (14, 7, 3, 1, 0)
# The service may refuse a key by mistake, and nothing but a request shows that it works again.
TRY_AGAIN_AFTER = timedelta(hours=1)
# Service document, section 5.3, rule 5.
ROTATE_AFTER = timedelta(days=90)


class NoKeyError(BotError):
    """The workspace has no API key yet."""


class ExpiredDraftError(BotError):
    """The expiration that was entered with the key is in the past."""


class NoEarlierKeyError(BotError):
    """There is no earlier key, or it is another one by now."""


class EarlierKeyRefusedError(BotError):
    """The service refuses the earlier key, so the keys were not swapped."""


class KeyNotKeptError(BotError):
    """The key that a person entered and did not confirm is not kept any more."""


class KeyInUseError(BotError):
    """That key is the one in use already."""


class OtherPortfolioError(BotError):
    """The key sees `sees` domains, none of the `before` that were seen before; it is held."""

    def __init__(self, sees: int, before: int) -> None:
        self.sees = sees
        self.before = before
        super().__init__("a key of another portfolio, as it seems")


class OtherKeyError(BotError):
    """The workspace has another key by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyDraft:
    """A key as an admin entered it, with its facts. `expires_on` is `None`: not known."""

    secret: str = field(repr=False)
    label: str
    expires_on: date | None
    scopes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRecord:
    """The public facts of a workspace's key.

    `refused_at`: since when the service calls it invalid, or `None`; `tried_at`: when it was last
    sent since; `told_at`: when the people in `told` got a notice of that. A key that works again,
    or takes its place, keeps `told` until they know; `works_since` is when it was seen to work
    again. `lacks` and `works`: the operations ("list", "add", "scan") for which its scopes do not
    suffice, and those that succeeded. `reminded_days`: the last sent step of the countdown to its
    expiration, `None` before the first. `rotation_told_at`: when another key was proposed.
    """

    last4: str
    label: str
    expires_on: date | None
    scopes: tuple[str, ...]
    set_by: str
    set_at: datetime
    refused_at: datetime | None = None
    tried_at: datetime | None = None
    told_at: datetime | None = None
    told: tuple[str, ...] = ()
    works_since: datetime | None = None
    lacks: tuple[str, ...] = ()
    works: tuple[str, ...] = ()
    reminded_days: int | None = None
    rotation_told_at: datetime | None = None

    @property
    def shown(self) -> str:
        return f"{KEY_PREFIX}…{self.last4}"

    @property
    def mark(self) -> str:
        """What tells this key from every other one of the workspace, in the values of buttons."""
        return f"{self.last4}-{self.set_at:%Y%m%d%H%M%S%f}"


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A stored key: its value, its sealed form, its record."""

    secret: str = field(repr=False)
    sealed: str = field(repr=False)
    record: KeyRecord


def checked_secret(typed: str) -> str:
    """Return the key in `typed`, without the space around it, or raise ValueError."""
    secret = typed.strip()
    if len(secret) != KEY_CHARS or not _KEY.fullmatch(secret):
        raise ValueError("not the form of an API key")
    return secret


class NoticeKind(Enum):
    """The kinds of notices about a key."""

    REFUSED = "refused"
    WORKS_AGAIN = "works-again"
    EXPIRY = "expiry"
    ROTATION = "rotation"


@dataclass(frozen=True, slots=True)
class KeyNotice:
    """A notice to send once; `days` is the step of the countdown."""

    kind: NoticeKind
    days: int | None = None

    @property
    def name(self) -> str:
        """The name of the notice, unique for its key."""
        return self.kind.value if self.days is None else f"{self.kind.value}-{self.days}"


def due_notice(record: KeyRecord, now: datetime) -> KeyNotice | None:
    """Return the notice that is due, `None` for none.

    Of several steps of the countdown it is the last one. A refused key is not counted down.
    """
    return next((notice for notice, at in _unsent(record) if at <= now), None)


def next_notice_at(record: KeyRecord) -> datetime | None:
    """Return when the next notice is due, `None` for never."""
    return min((at for _, at in _unsent(record)), default=None)


def _unsent(record: KeyRecord) -> list[tuple[KeyNotice, datetime]]:
    """Return the notices to come with their moments, first the one that replaces the others."""
    if record.refused_at:
        refused = KeyNotice(NoticeKind.REFUSED)
        return [] if record.told_at else [(refused, record.refused_at)]
    if record.told:
        return [(KeyNotice(NoticeKind.WORKS_AGAIN), record.set_at)]
    steps = [(KeyNotice(NoticeKind.EXPIRY, days), at) for days, at in _steps(record).items()]
    at = _rotation_at(record)
    return steps[::-1] + ([(KeyNotice(NoticeKind.ROTATION), at)] if at else [])


def passed_days(record: KeyRecord, now: datetime) -> int | None:
    """Return the last step of the countdown that has passed already, `None` before the first."""
    return min((days for days, at in _steps(record).items() if at <= now), default=None)


def _steps(record: KeyRecord) -> dict[int, datetime]:
    """Return the moments of the steps that were not sent, at the hour the key was set."""
    if record.expires_on is None:
        return {}
    hour = record.set_at.astimezone(UTC).timetz()
    expires_at = datetime.combine(record.expires_on, hour)
    sent = record.reminded_days
    left = (days for days in COUNTDOWN_DAYS if sent is None or days < sent)
    return {days: expires_at - timedelta(days=days) for days in left}


def _rotation_at(record: KeyRecord) -> datetime | None:
    """Return when to propose another key; `None` if the countdown does so before."""
    if record.rotation_told_at:
        return None
    at = record.set_at + ROTATE_AFTER
    if record.expires_on is None:
        return at
    counted_from = record.expires_on - timedelta(days=COUNTDOWN_DAYS[0])
    return None if counted_from <= at.astimezone(UTC).date() else at
