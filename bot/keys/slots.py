"""A workspace's two keys: the one in use, and for a while the one before it. Pure.

They are one document, so that a crash leaves either both as they were or both as they should be.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from datetime import date, datetime, timedelta
from typing import Any

from bot.keys.record import KeyRecord
from bot.keys.reminders import KeyNotice, NoticeKind, next_notice_at, passed_days

EARLIER_KEPT_FOR = timedelta(days=7)

_MOMENTS = ("set_at", "refused_at", "told_at", "rotation_told_at")


@dataclass(frozen=True, slots=True)
class EarlierKey:
    """The key that was in use before, sealed, kept until `until`."""

    sealed: str = field(repr=False)
    record: KeyRecord
    until: datetime


@dataclass(frozen=True, slots=True)
class Telling:
    """A notice on its way: whom it has reached, and until when nobody else takes it up.

    `tries`: how often it was put off, as it had not reached everybody.
    """

    name: str
    until: datetime
    told: tuple[str, ...] = ()
    tries: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySlots:
    """The key in use, and what else is known."""

    sealed: str = field(repr=False)
    record: KeyRecord
    earlier: EarlierKey | None = None
    telling: Telling | None = None

    def due_at(self) -> datetime | None:
        """Return when something has to be done about it, `None` for never."""
        moments = []
        if at := next_notice_at(self.record):
            moments.append(max(at, self.telling.until) if self.telling else at)
        if self.earlier:
            moments.append(self.earlier.until)
        return min(moments, default=None)

    def noted(self, change: Callable[[KeyRecord], KeyRecord]) -> "KeySlots":
        """Return the same with another record of the key in use."""
        record = change(self.record)
        # Whether it is refused decides what is told: what is on its way is taken up anew.
        is_same = record.refused_at == self.record.refused_at
        return replace(self, record=record, telling=self.telling if is_same else None)

    def rolled_back(self, to: EarlierKey, now: datetime) -> "KeySlots":
        """Return the two keys in each other's place; the earlier one was just seen to work."""
        works = replace(to.record, refused_at=None, told_at=None, told=())
        earlier = EarlierKey(self.sealed, self.record, now + EARLIER_KEPT_FOR)
        return KeySlots(sealed=to.sealed, record=works, earlier=earlier)

    def without_expired(self, now: datetime) -> "KeySlots":
        """Return the same without an earlier key that was kept long enough."""
        is_over = self.earlier is not None and self.earlier.until <= now
        return replace(self, earlier=None) if is_over else self

    def told(self, notice: KeyNotice, now: datetime, people: tuple[str, ...]) -> "KeySlots":
        """Return the same after a notice has reached everybody whom it can reach."""
        match notice.kind:
            case NoticeKind.REFUSED:
                record = replace(self.record, told_at=now, told=people)
            case NoticeKind.EXPIRY:
                record = replace(self.record, reminded_days=notice.days)
            case NoticeKind.ROTATION:
                record = replace(self.record, rotation_told_at=now)
        return replace(self, record=record, telling=None)


def new_slots(
    sealed: str, record: KeyRecord, before: KeySlots | None, *, is_same: bool
) -> KeySlots:
    """Return a key that takes the place of another one; `is_same`: it is the same one again.

    What has passed of its countdown when it is set is known to whoever sets it.
    """
    record = replace(record, reminded_days=passed_days(record, record.set_at))
    earlier = before.earlier if before else None
    if before and not is_same:
        earlier = EarlierKey(before.sealed, before.record, record.set_at + EARLIER_KEPT_FOR)
    return KeySlots(sealed=sealed, record=record, earlier=earlier)


def encode_slots(slots: KeySlots) -> dict[str, Any]:
    """Return the document's value; `decode_slots` reads it."""
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


def decode_slots(value: dict[str, Any]) -> KeySlots:
    """Return what was encoded, by this version or an earlier one."""
    earlier, telling = value.get("earlier"), value.get("telling")
    return KeySlots(
        sealed=value["sealed"],
        record=_decode_record(value),
        earlier=earlier
        and EarlierKey(
            earlier["sealed"], _decode_record(earlier), datetime.fromisoformat(earlier["until"])
        ),
        telling=telling
        and Telling(
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
