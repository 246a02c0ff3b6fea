"""When people are told of a key without having asked, and of what. Pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

from bot.keys.record import KeyRecord

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
