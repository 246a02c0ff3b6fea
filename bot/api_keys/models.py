"""The API key of a workspace: current, previous, and when to remind of its end. Pure."""

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any

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


# Days before the expiration that was entered, the earliest first.
COUNTDOWN_DAYS = (14, 7, 3, 1, 0)
# Service document, section 5.3, rule 5.
ROTATE_AFTER = timedelta(days=90)


class NoticeKind(Enum):
    """What people are told of."""

    REFUSED = "refused"
    EXPIRY = "expiry"
    ROTATION = "rotation"


@dataclass(frozen=True, slots=True)
class KeyNotice:
    """One thing to be told, once; `days` says which step of the countdown it is."""

    kind: NoticeKind
    days: int | None = None

    @property
    def name(self) -> str:
        """What tells it apart from every other notice of the same key."""
        return self.kind.value if self.days is None else f"{self.kind.value}-{self.days}"


def due_notice(record: KeyRecord, now: datetime) -> KeyNotice | None:
    """Return what people have to be told now, `None` for nothing.

    Of several steps of the countdown that have passed it is the last one. A key that is refused
    is not counted down: that it is refused says more.
    """
    if record.refused_at:
        return None if record.told_at else KeyNotice(NoticeKind.REFUSED)
    passed = [days for days, at in _steps(record).items() if at <= now]
    if passed:
        return KeyNotice(NoticeKind.EXPIRY, min(passed))
    at = _rotation_at(record)
    return KeyNotice(NoticeKind.ROTATION) if at and at <= now else None


def next_notice_at(record: KeyRecord) -> datetime | None:
    """Return the moment from which on `due_notice` has something to say, `None` for never."""
    if record.refused_at:
        return None if record.told_at else record.refused_at
    moments = [*_steps(record).values(), _rotation_at(record)]
    return min((at for at in moments if at), default=None)


def passed_days(record: KeyRecord, now: datetime) -> int | None:
    """Return the last step of the countdown that has passed already, `None` before the first."""
    return min((days for days, at in _steps(record).items() if at <= now), default=None)


def _steps(record: KeyRecord) -> dict[int, datetime]:
    """The steps that are still to be told, each with its moment.

    That is the hour at which the key was set: somebody was at work then.
    """
    if record.expires_on is None:
        return {}
    hour = record.set_at.astimezone(UTC).timetz()
    expires_at = datetime.combine(record.expires_on, hour)
    told = record.reminded_days
    return {
        days: expires_at - timedelta(days=days)
        for days in COUNTDOWN_DAYS
        if told is None or days < told
    }


def _rotation_at(record: KeyRecord) -> datetime | None:
    """The moment to propose another key; the countdown proposes one too, and may come first."""
    if record.rotation_told_at:
        return None
    at = record.set_at + ROTATE_AFTER
    if record.expires_on is None:
        return at
    led_from = record.expires_on - timedelta(days=COUNTDOWN_DAYS[0])
    return None if led_from <= at.astimezone(UTC).date() else at


EARLIER_KEPT_FOR = timedelta(days=7)
_MOMENTS = ("set_at", "refused_at", "told_at", "rotation_told_at")


@dataclass(frozen=True, slots=True)
class PreviousKey:
    """The key that was in use before, sealed, kept until `until`."""

    sealed: str = field(repr=False)
    record: KeyRecord
    until: datetime


@dataclass(frozen=True, slots=True)
class NoticeAttempt:
    """A notice on its way: whom it has reached, and until when nobody else takes it up.

    `tries`: how often it was put off, as it had not reached everybody.
    """

    name: str
    until: datetime
    told: tuple[str, ...] = ()
    tries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """The key in use, and what else is known."""

    sealed: str = field(repr=False)
    record: KeyRecord
    earlier: PreviousKey | None = None
    telling: NoticeAttempt | None = None

    def due_at(self) -> datetime | None:
        """Return when something has to be done about it, `None` for never."""
        moments = []
        if at := next_notice_at(self.record):
            moments.append(max(at, self.telling.until) if self.telling else at)
        if self.earlier:
            moments.append(self.earlier.until)
        return min(moments, default=None)

    def noted(self, change: Callable[[KeyRecord], KeyRecord]) -> "KeyPair":
        """Return the same with another record of the key in use."""
        record = change(self.record)
        # Whether it is refused decides what is told: what is on its way is taken up anew.
        is_same = record.refused_at == self.record.refused_at
        return replace(self, record=record, telling=self.telling if is_same else None)

    def rolled_back(self, to: PreviousKey, now: datetime) -> "KeyPair":
        """Return the two keys in each other's place; the earlier one was just seen to work."""
        works = replace(to.record, refused_at=None, told_at=None, told=())
        earlier = PreviousKey(self.sealed, self.record, now + EARLIER_KEPT_FOR)
        return KeyPair(sealed=to.sealed, record=works, earlier=earlier)

    def without_expired(self, now: datetime) -> "KeyPair":
        """Return the same without an earlier key that was kept long enough."""
        is_over = self.earlier is not None and self.earlier.until <= now
        return replace(self, earlier=None) if is_over else self

    def told(self, notice: KeyNotice, now: datetime, people: tuple[str, ...]) -> "KeyPair":
        """Return the same after a notice has reached everybody whom it can reach."""
        match notice.kind:
            case NoticeKind.REFUSED:
                record = replace(self.record, told_at=now, told=people)
            case NoticeKind.EXPIRY:
                record = replace(self.record, reminded_days=notice.days)
            case NoticeKind.ROTATION:
                record = replace(self.record, rotation_told_at=now)
        return replace(self, record=record, telling=None)


def new_key_pair(
    sealed: str, record: KeyRecord, before: KeyPair | None, *, is_same: bool
) -> KeyPair:
    """Return a key that takes the place of another one; `is_same`: it is the same one again.

    What has passed of its countdown when it is set is known to whoever sets it.
    """
    record = replace(record, reminded_days=passed_days(record, record.set_at))
    earlier = before.earlier if before else None
    if before and not is_same:
        earlier = PreviousKey(before.sealed, before.record, record.set_at + EARLIER_KEPT_FOR)
    return KeyPair(sealed=sealed, record=record, earlier=earlier)


def encode_key_pair(slots: KeyPair) -> dict[str, Any]:
    """Return the document's value; `decode_key_pair` reads it."""
    value = {"v": 1, "sealed": slots.sealed, **_encode_record(slots.record)}
    if earlier := slots.earlier:
        value["earlier"] = {
            "sealed": earlier.sealed,
            "until": earlier.until.isoformat(),
            **_encode_record(earlier.record),
        }
    if telling := slots.telling:
        value["telling"] = {
            "name": telling.name,
            "until": telling.until.isoformat(),
            "told": list(telling.told),
            "tries": telling.tries,
        }
    return value


def decode_key_pair(value: dict[str, Any]) -> KeyPair:
    """Return what was encoded, by this version or an earlier one."""
    earlier, telling = value.get("earlier"), value.get("telling")
    return KeyPair(
        sealed=value["sealed"],
        record=_decode_record(value),
        earlier=earlier
        and PreviousKey(
            earlier["sealed"], _decode_record(earlier), datetime.fromisoformat(earlier["until"])
        ),
        telling=telling
        and NoticeAttempt(
            telling["name"],
            datetime.fromisoformat(telling["until"]),
            tuple(telling["told"]),
            telling["tries"],
        ),
    )


def _encode_record(record: KeyRecord) -> dict[str, Any]:
    value = asdict(record)
    for name in ("expires_on", *_MOMENTS):
        value[name] = value[name] and value[name].isoformat()
    return value


def _decode_record(value: dict[str, Any]) -> KeyRecord:
    def moment(name: str) -> datetime | None:
        return datetime.fromisoformat(value[name]) if value.get(name) else None

    def names(name: str) -> tuple[str, ...]:
        return tuple(value.get(name, ()))

    return KeyRecord(
        last4=value["last4"],
        label=value["label"],
        expires_on=value["expires_on"] and date.fromisoformat(value["expires_on"]),
        scopes=names("scopes"),
        set_by=value["set_by"],
        set_at=datetime.fromisoformat(value["set_at"]),
        refused_at=moment("refused_at"),
        told_at=moment("told_at"),
        # Earlier versions told whoever had set it, and nobody else.
        told=names("told") if "told" in value else (value["set_by"],) * bool(value.get("told_at")),
        lacks=names("lacks"),
        works=names("works"),
        reminded_days=value.get("reminded_days"),
        rotation_told_at=moment("rotation_told_at"),
    )
