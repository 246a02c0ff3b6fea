"""The API keys of a workspace: the one in use and the one before. Pure."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from bot.keys.key_record import (
    KeyNotice,
    KeyRecord,
    NoticeKind,
    next_notice_at,
    passed_days,
)

EARLIER_KEPT_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class EarlierKey:
    """The key that was in use before, sealed, kept until `until`."""

    sealed: str = field(repr=False)
    record: KeyRecord
    until: datetime


@dataclass(frozen=True, slots=True)
class NoticeAttempt:
    """A notice that is being sent: the people it has reached, and the end of its worker's lease.

    `tries` counts the attempts that did not reach everybody.
    """

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
        if self.telling and self.telling.name == NoticeKind.REFUSED.value:
            record = replace(record, told=self.telling.told)
        return replace(self, record=record, telling=None)

    def rolled_back(self, to: EarlierKey, now: datetime) -> "KeyPair":
        """Return the pair with its keys swapped; the earlier one was just seen to work."""
        works = replace(
            to.record,
            refused_at=None,
            tried_at=None,
            told_at=None,
            told=self.record.told,
            works_since=None,
        )
        earlier = EarlierKey(self.sealed, self.record, now + EARLIER_KEPT_FOR)
        return KeyPair(sealed=to.sealed, record=works, earlier=earlier)

    def without_expired(self, now: datetime) -> "KeyPair":
        """Return the pair without an earlier key that has expired."""
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
    told = tuple(each for each in before.record.told if each != record.set_by) if before else ()
    record = replace(record, told=told, reminded_days=passed_days(record, record.set_at))
    earlier = before.earlier if before else None
    if before and not is_same:
        earlier = EarlierKey(before.sealed, before.record, record.set_at + EARLIER_KEPT_FOR)
    return KeyPair(sealed=sealed, record=record, earlier=earlier)
