"""API keys: their form, their record, the pair of a workspace, and notices due. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
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
EARLIER_KEPT_FOR = timedelta(days=7)


class NoKeyError(BotError):
    """The workspace has no API key yet."""


class ExpiredDraftError(BotError):
    """The expiration that was entered with the key is in the past."""


class KeysChangedError(BotError):
    """The key in use, or the earlier one, is another one by now, or none."""


class EarlierKeyRefusedError(BotError):
    """The service refuses the earlier key, so the keys were not swapped."""


class KeyNotHeldError(BotError):
    """The key that a person entered and did not confirm is not kept any more."""


class OtherPortfolioError(BotError):
    """The key sees `sees` domains, none of the `before` that were seen before; it is held."""

    def __init__(self, sees: int, before: int) -> None:
        self.sees = sees
        self.before = before
        super().__init__("a key of another portfolio, as it seems")


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
    or takes its place, keeps `told` until they know. `lacks` and `works`: the operations ("list",
    "add", "scan") for which its scopes do not suffice, and those that succeeded. `reminded_days`:
    the last sent step of the countdown to its expiration, `None` before the first.
    `rotation_told_at`: when another key was proposed.
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


def is_key(text: str) -> bool:
    return len(text) == KEY_CHARS and bool(_KEY.fullmatch(text))


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
    """Return the notice that is due: of several steps of the countdown the last one."""
    return next((notice for notice, at in _unsent(record) if at <= now), None)


def next_notice_at(record: KeyRecord) -> datetime | None:
    """Return when the next notice is due, `None` for never."""
    return min((at for _, at in _unsent(record)), default=None)


def _unsent(record: KeyRecord) -> list[tuple[KeyNotice, datetime]]:
    """Return the notices to come, first the one that replaces the others; of a refused key one."""
    if record.refused_at:
        refused = KeyNotice(NoticeKind.REFUSED)
        return [] if record.told_at else [(refused, record.refused_at)]
    if record.told:
        return [(KeyNotice(NoticeKind.WORKS_AGAIN), record.set_at)]
    steps = [(KeyNotice(NoticeKind.EXPIRY, days), at) for days, at in _steps(record).items()]
    at = _rotation_at(record)
    return steps[::-1] + ([(KeyNotice(NoticeKind.ROTATION), at)] if at else [])


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


@dataclass(frozen=True, slots=True)
class EarlierKey:
    """The key that was in use before, sealed, kept until `until`."""

    sealed: str = field(repr=False)
    record: KeyRecord
    until: datetime


@dataclass(frozen=True, slots=True)
class NoticeAttempt:
    """A notice that is being sent: its worker's lease, whom it reached, failed attempts."""

    name: str
    until: datetime
    told: tuple[str, ...] = ()
    tries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """The key in use, the earlier one, and the notice that is being sent."""

    sealed: str = field(repr=False)
    record: KeyRecord
    earlier: EarlierKey | None = None
    telling: NoticeAttempt | None = None

    def earlier_of(self, mark: str) -> EarlierKey:
        """Return the earlier key of this mark; raise KeysChangedError."""
        if self.earlier is None or self.earlier.record.mark != mark:
            raise KeysChangedError("another earlier key, or none")
        return self.earlier

    def due_at(self) -> datetime | None:
        """Return when the document needs work, `None` for never."""
        moments = []
        if at := next_notice_at(self.record):
            moments.append(max(at, self.telling.until) if self.telling else at)
        if self.earlier:
            moments.append(self.earlier.until)
        return min(moments, default=None)

    def noted(self, change: Callable[[KeyRecord], KeyRecord]) -> "KeyPair":
        """Return the pair with another record of the key in use."""
        record = change(self.record)
        if record.refused_at == self.record.refused_at:
            return replace(self, record=record)
        # A refusal, or its end, replaces the notice that is being sent.
        if self._refusal:
            record = replace(record, told=self._refusal.told)
        return replace(self, record=record, telling=None)

    @property
    def told(self) -> tuple[str, ...]:
        """The people who have read that the key is refused, also by a notice under way."""
        return self._refusal.told if self._refusal else self.record.told

    @property
    def _refusal(self) -> NoticeAttempt | None:
        is_one = self.telling and self.telling.name == NoticeKind.REFUSED.value
        return self.telling if is_one else None

    def rolled_back(self, to: EarlierKey, now: datetime) -> "KeyPair":
        """Return the pair with its keys swapped; the earlier one was just seen to work."""
        works = replace(to.record, refused_at=None, tried_at=None, told_at=None)
        record = replace(works, told=self.told)
        earlier = EarlierKey(self.sealed, self.record, now + EARLIER_KEPT_FOR)
        return KeyPair(sealed=to.sealed, record=record, earlier=earlier)

    def without_expired(self, now: datetime) -> "KeyPair":
        is_over = self.earlier is not None and self.earlier.until <= now
        return replace(self, earlier=None) if is_over else self

    def notified(self, notice: KeyNotice, now: datetime, people: tuple[str, ...]) -> "KeyPair":
        """Return the pair after a notice has reached `people`, everybody whom it can reach."""
        match notice.kind:
            case NoticeKind.REFUSED:
                record = replace(self.record, told_at=now, told=people)
            case NoticeKind.WORKS_AGAIN:
                record = replace(self.record, told=())
            case NoticeKind.EXPIRY:
                record = replace(self.record, reminded_days=notice.days)
            case NoticeKind.ROTATION:
                record = replace(self.record, rotation_told_at=now)
        return replace(self, record=record, telling=None)


def new_key_pair(
    sealed: str, record: KeyRecord, before: KeyPair | None, *, is_same: bool
) -> KeyPair:
    """Return the pair after a new key was set; `is_same`: it is the same one again.

    Steps of the countdown that have passed by then are not sent. Those who read that the key
    before is refused have to learn of the new one, except who has set it.
    """
    told = tuple(each for each in before.told if each != record.set_by) if before else ()
    passed = (days for days, at in _steps(record).items() if at <= record.set_at)
    record = replace(record, told=told, reminded_days=min(passed, default=None))
    earlier = before.earlier if before else None
    if before and not is_same:
        earlier = EarlierKey(before.sealed, before.record, record.set_at + EARLIER_KEPT_FOR)
    return KeyPair(sealed=sealed, record=record, earlier=earlier)
