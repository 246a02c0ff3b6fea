"""The API key of a workspace: current, previous, and when to remind of its end. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from typing import Any

import msgspec

from bot.errors import BotError
from bot.slack.client import SentMessage

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
    """The text cannot be a key: wrong beginning, length or characters."""


class ExpiredDraftError(BotError):
    """The expiration that was entered with the key is in the past."""


class NoEarlierKeyError(BotError):
    """There is no earlier key, or it is another one by now."""


class KeyInUseError(BotError):
    """That key is the one in use already."""


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
    sent since; `told_at`: when the people in `told` got a notice of that. A key that works again
    keeps `told` until they know; `works_since` is when that was seen. `lacks` and `works`: the
    operations ("list", "add", "scan") for which its scopes do not suffice, and those that
    succeeded. `reminded_days`: the last sent step of the countdown to its expiration, `None`
    before the first. `rotation_told_at`: when another key was proposed.
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
        """The key as people see it."""
        return f"{KEY_PREFIX}…{self.last4}"

    @property
    def mark(self) -> str:
        """The identifier of the key in buttons."""
        return f"{self.last4}-{self.set_at:%Y%m%d%H%M%S%f}"


@dataclass(frozen=True, slots=True)
class StoredKey:
    """A stored key: its value, its sealed form, its record."""

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
# A key that is used once a week is refused so many days after it has expired.
SAME_MATTER_DAYS = 7
# The service may refuse a key by mistake, and nothing but a request shows that it works again.
TRY_AGAIN_AFTER = timedelta(hours=1)
# Service document, section 5.3, rule 5.
ROTATE_AFTER = timedelta(days=90)


class NoticeKind(Enum):
    """The kinds of notices about a key."""

    REFUSED = "refused"
    WORKS_AGAIN = "works-again"
    REPLACED = "replaced"
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
    if record.refused_at:
        return None if _is_refusal_known(record) else KeyNotice(NoticeKind.REFUSED)
    if record.told:
        return KeyNotice(NoticeKind.WORKS_AGAIN)
    passed = [days for days, at in _steps(record).items() if at <= now]
    if passed:
        return KeyNotice(NoticeKind.EXPIRY, min(passed))
    at = _rotation_at(record)
    return KeyNotice(NoticeKind.ROTATION) if at and at <= now else None


def next_notice_at(record: KeyRecord) -> datetime | None:
    """Return when the next notice is due, `None` for never."""
    if record.refused_at:
        return None if _is_refusal_known(record) else record.refused_at
    if record.told:
        return record.set_at
    moments = [*_steps(record).values(), _rotation_at(record)]
    return min((at for at in moments if at), default=None)


def _is_refusal_known(record: KeyRecord) -> bool:
    """Return whether the refusal was said, or that the key expires, a few days before.

    Of a key that was set on its last day the last step counts as sent, and was not.
    """
    if record.told_at or not record.refused_at:
        return bool(record.told_at)
    if record.expires_on is None or record.reminded_days != 0:
        return False
    days_after = (record.refused_at.astimezone(UTC).date() - record.expires_on).days
    set_on = record.set_at.astimezone(UTC).date()
    return set_on < record.expires_on and days_after <= SAME_MATTER_DAYS


def may_try(record: KeyRecord, now: datetime) -> bool:
    """Return whether the key may be sent: a refused one is tried again once an hour."""
    tried_at = record.tried_at or record.refused_at
    return tried_at is None or now >= tried_at + TRY_AGAIN_AFTER


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
    """Return when to propose another key, unless the countdown does so before."""
    if record.rotation_told_at:
        return None
    at = record.set_at + ROTATE_AFTER
    if record.expires_on is None:
        return at
    led_from = record.expires_on - timedelta(days=COUNTDOWN_DAYS[0])
    return None if led_from <= at.astimezone(UTC).date() else at


EARLIER_KEPT_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class PreviousKey:
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


@dataclass(frozen=True, slots=True)
class SentNotice:
    """A notice that a person has; `mark` is that of its key, `name` its own."""

    name: str
    mark: str
    user_id: str
    message: SentMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPair:
    """The key in use, the earlier one, and the notice that is being sent.

    `sent` are the notices to edit when they are not true any more.
    """

    sealed: str = field(repr=False)
    record: KeyRecord
    earlier: PreviousKey | None = None
    telling: NoticeAttempt | None = None
    sent: tuple[SentNotice, ...] = ()

    def due_notice(self, now: datetime) -> KeyNotice | None:
        """Return the notice that is due: the last one edits those about replaced keys."""
        replaced = KeyNotice(NoticeKind.REPLACED) if self._of_replaced else None
        return due_notice(self.record, now) or replaced

    def outdated_by(self, notice: KeyNotice) -> tuple[SentNotice, ...]:
        """Return the sent notices that are not true any more once `notice` is."""
        if notice.kind is NoticeKind.WORKS_AGAIN:
            refusal, mark = NoticeKind.REFUSED.value, self.record.mark
            return tuple(each for each in self.sent if (each.name, each.mark) == (refusal, mark))
        return self._of_replaced if notice.kind is NoticeKind.REPLACED else ()

    @property
    def _of_replaced(self) -> tuple[SentNotice, ...]:
        return tuple(each for each in self.sent if each.mark != self.record.mark)

    def due_at(self) -> datetime | None:
        """Return when the document needs work, `None` for never."""
        moments = []
        at = self.record.set_at if self._of_replaced else next_notice_at(self.record)
        if at:
            moments.append(max(at, self.telling.until) if self.telling else at)
        if self.earlier:
            moments.append(self.earlier.until)
        return min(moments, default=None)

    def noted(self, change: Callable[[KeyRecord], KeyRecord]) -> "KeyPair":
        """Return the same with another record of the key in use."""
        record = change(self.record)
        if record.refused_at == self.record.refused_at:
            return replace(self, record=record)
        # A refusal, or its end, replaces the notice that is being sent.
        if self.telling and self.telling.name == NoticeKind.REFUSED.value:
            record = replace(record, told=self.telling.told)
        return replace(self, record=record, telling=None)

    def rolled_back(self, to: PreviousKey, now: datetime) -> "KeyPair":
        """Return the two keys swapped; the earlier one was just seen to work."""
        works = replace(to.record, refused_at=None, tried_at=None, told_at=None, told=())
        earlier = PreviousKey(self.sealed, self.record, now + EARLIER_KEPT_FOR)
        return KeyPair(sealed=to.sealed, record=works, earlier=earlier, sent=self.sent)

    def without_expired(self, now: datetime) -> "KeyPair":
        """Return the same without an earlier key whose time is over."""
        is_over = self.earlier is not None and self.earlier.until <= now
        return replace(self, earlier=None) if is_over else self

    def notified(self, notice: KeyNotice, now: datetime, people: tuple[str, ...]) -> "KeyPair":
        """Return the same after a notice has reached `people`, all that it can reach."""
        match notice.kind:
            case NoticeKind.REFUSED:
                record = replace(self.record, told_at=now, told=people)
            case NoticeKind.WORKS_AGAIN:
                record = replace(self.record, told=())
            case NoticeKind.EXPIRY:
                record = replace(self.record, reminded_days=notice.days)
            case NoticeKind.ROTATION:
                record = replace(self.record, rotation_told_at=now)
            case NoticeKind.REPLACED:
                record = self.record
        over = self.outdated_by(notice)
        sent = tuple(each for each in self.sent if each not in over)
        return replace(self, record=record, telling=None, sent=sent)


def new_key_pair(
    sealed: str, record: KeyRecord, before: KeyPair | None, *, is_same: bool
) -> KeyPair:
    """Return the pair after a new key was set; `is_same`: it is the same one again.

    Steps of the countdown that have passed by then are not sent.
    """
    record = replace(record, reminded_days=passed_days(record, record.set_at))
    earlier = before.earlier if before else None
    if before and not is_same:
        earlier = PreviousKey(before.sealed, before.record, record.set_at + EARLIER_KEPT_FOR)
    sent = before.sent if before else ()
    return KeyPair(sealed=sealed, record=record, earlier=earlier, sent=sent)


def encode_key_pair(slots: KeyPair) -> dict[str, Any]:
    """Return the document's value; `decode_key_pair` reads it."""
    value = {"v": 1, **_flat(msgspec.to_builtins(slots))}
    earlier, telling, sent = (value.pop(name) for name in ("earlier", "telling", "sent"))
    value |= {"earlier": _flat(earlier)} if earlier else {}
    value |= {"sent": sent} if sent else {}
    return value | ({"telling": telling} if telling else {})


def decode_key_pair(value: dict[str, Any]) -> KeyPair:
    """Return the stored keys, also those of earlier versions; ValueError if it is none."""
    earlier = value.get("earlier")
    nested = {"record": _record(value)}
    if earlier:
        nested["earlier"] = {**earlier, "record": _record(earlier)}
    return msgspec.convert({**value, **nested}, KeyPair)


def _flat(value: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = value.pop("record")
    return value | record


def _record(value: dict[str, Any]) -> dict[str, Any]:
    # Before `told` was stored, only the person who had set the key got the notice.
    return {"told": [value["set_by"]] if value.get("told_at") else [], **value}
