"""A digest: its plan, its runs, its pause, and its errors. Plain data, with its limits."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bot.digests.schedule import Schedule, Slot
from bot.dispatch.command_text import split_words
from bot.keys.failures import FailureReason
from bot.process.errors import BotError
from bot.process.redaction import holds_secret
from bot.tracker.scan_facts import SEVERITIES, SOON_DAYS, Severity

MAX_PER_CHANNEL = 20
MAX_PAST_RUNS = 40
WORST_COUNTS = range(5, 26)
HEARTBEATS = (3, 5, 7, 14, 30)
REMIND_AFTER = (15, 60, 240)  # minutes
MAX_FILTER_CHARS = 500
MAX_RULES = 10
MAX_NAME_CHARS = 60
MAX_LABEL_CHARS = 150  # as many as the value of an option in Slack's menus
_LABEL = re.compile(r"(tag|folder):\S.*")
POINTS = range(1, 51)
END_DAYS = range(1, 366)
MAX_END_DAYS = 6
# Reasons that end when the app is added to the channel.
CLOSED = {FailureReason.ARCHIVED, FailureReason.NOT_IN_CHANNEL, FailureReason.NOT_FOUND}


def number_of(text: str, allowed: Collection[int]) -> int | None:
    """Return the allowed whole number that a text spells, `None` for any other text."""
    return next((each for each in allowed if f"{each}" == text.lstrip("0")), None)


def is_label(text: str) -> bool:
    """Return whether a text is a label that fits into a menu and holds no secret."""
    fits = len(text) <= MAX_LABEL_CHARS and not holds_secret(text)
    return fits and _LABEL.fullmatch(text) is not None


def is_direct(channel_id: str | None) -> bool:
    """Return whether an id is that of a direct message of one person."""
    return (channel_id or "").startswith("D")


def unusable_words(filter_text: str) -> list[str]:
    """Return the words of a filter about order and pages, which a post has not."""
    return [word.typed for word in split_words(filter_text) if word.key in {"sort", "page"}]


class Mode(Enum):
    """When a digest is posted: at every slot, or only after a change."""

    ALWAYS = "always"
    CHANGES = "changes"
    WORSE = "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Owners to mention when a domain with this tag or in this folder got worse.

    `label` is `tag:prod` or `folder:Web shops`; `who` are ids of people and of user groups.
    """

    label: str
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminder:
    """Who is mentioned in the thread of a card that no one is on `after` so many minutes.

    `people` are ids of people, `group` is the id of a user group and its handle.
    """

    after: int
    people: tuple[str, ...] = ()
    group: tuple[str, str] | None = None

    @property
    def who(self) -> tuple[str, ...]:
        return (*self.people, *(self.group or ())[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What counts as better or worse, besides another rating.

    A score's change by `points`, an end in so many `days`, a new issue of `least` or worse.
    """

    points: int = 5
    days: tuple[int, ...] = (30, 14, 7, 1)
    least: Severity = Severity.HIGH

    @property
    def marks(self) -> tuple[int, ...]:
        """The days left at which something got worse, the least first; 0: it ends."""
        return (0, *sorted(self.days))

    @property
    def horizon(self) -> int:
        """An end within so many days is listed."""
        return max(SOON_DAYS, *self.days)

    @property
    def severities(self) -> tuple[Severity, ...]:
        return SEVERITIES[: SEVERITIES.index(self.least) + 1]

    def or_by(self, other: "Rule") -> "Rule":
        """Return the rule by which counts what counts by this one or by another."""
        return Rule(
            points=min(self.points, other.points),
            days=tuple(sorted({*self.days, *other.days}, reverse=True)),
            least=max(self.least, other.least, key=SEVERITIES.index),
        )


DEFAULT_RULE = Rule()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The settings of a digest. `filter_text` is a filter of `/domains`, empty for all domains.

    `name` is unique in its channel, case aside; empty for none. `has_file`: the whole list follows
    as CSV in the thread. `heartbeat_every`: after so many silent runs in a row the next one posts
    a short sign of life, `None` never.
    """

    channel_id: str
    schedule: Schedule
    filter_text: str = ""
    mode: Mode = Mode.ALWAYS
    heartbeat_every: int | None = None
    worst_count: int = 5
    mentions: tuple[Mention, ...] = ()
    name: str = ""
    rule: Rule = DEFAULT_RULE
    has_file: bool = False
    reminder: Reminder | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is for its maker alone, in their direct messages with the app."""
        return is_direct(self.channel_id)

    @property
    def is_alert(self) -> bool:
        return self.schedule.every is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snooze:
    """A silence; without `until` it lasts until the domains of its card have recovered."""

    by: str
    until: datetime | None = None


# Those of an alert, each with its hosts, none for all.
Snoozes = tuple[tuple[Snooze, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A pause. Without `until` it lasts until it is resumed; without `by` it is the bot's own."""

    since: datetime
    until: datetime | None = None
    by: str | None = None
    why: FailureReason | None = None


class RunState(Enum):
    """How far a stored run is; one whose list is still being made is not stored."""

    WAITING = "waiting"  # nothing was posted; it is tried at `until`
    POSTING = "posting"  # from here on it may have been posted


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that posts, or that waits until it is tried again.

    `until`: when it is tried again, or when the process that is at it, with `token`, counts as
    dead. `deadline` ends its grace. `asked_by` pressed `Send now`; `is_extra`: it is for no slot
    of the schedule. `is_unwanted`: the digest was changed since it began to post, so it is not
    tried again. `trouble` is why it waits; without it `Send now` is at it. `packed_baseline`
    becomes that of the digest with the post, unless it is empty.
    """

    slot: Slot
    channel_id: str
    state: RunState
    until: datetime
    deadline: datetime
    token: str
    attempt: int = 1
    asked_by: str | None = None
    asked_by_name: str | None = None
    is_extra: bool = False
    is_unwanted: bool = False
    trouble: FailureReason | None = None
    packed_baseline: str = ""
    average: float | None = None

    @property
    def is_promised(self) -> bool:
        """Whether a person was shown that their `Send now` is repeated."""
        return self.asked_by is not None and (self.attempt > 1 or self.trouble is not None)


class Outcome(Enum):
    """The outcome of a run."""

    POSTED = "posted"
    QUIET = "quiet"  # nothing to say, as the digest's mode wants it
    MISSED = "missed"  # the bot did not run
    FAILED = "failed"  # it could not be made, or Slack did not take it
    UNCERTAIN = "uncertain"  # it may have been posted or not


@dataclass(frozen=True, slots=True, kw_only=True)
class PastRun:
    """A run that has ended at `at`. `average` is that of the domains it was about."""

    slot: Slot
    outcome: Outcome
    at: datetime
    average: float | None = None
    trouble: FailureReason | None = None
    asked_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A message that still has to be sent to the owner, or `to` whom a `Send now` was promised.

    Without an `outcome` it says that the digest was paused. `count` is the number of runs of one
    kind, `slot` the newest one's. `tries` counts failed attempts, `retry_at` is that of the next.
    """

    outcome: Outcome | None
    slot: Slot
    channel_id: str
    trouble: FailureReason | None = None
    count: int = 1
    tries: int = 0
    retry_at: datetime | None = None
    to: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A digest of one channel.

    `version` counts the changes that people made; `moved_at` is when it came into this channel.
    `past` has the newest run last. `baseline` is the token of the run with which the next report
    is compared, `None` before the first, and `packed_baseline` what it found. `silent_runs` counts
    the latest runs without a post. `snooze` is that of a whole alert. `rev` is the store's.
    """

    digest_id: str
    plan: Plan
    made_by: str
    made_by_name: str
    made_at: datetime
    next: Slot
    version: int = 1
    changed_by: str | None = None
    changed_at: datetime | None = None
    moved_at: datetime | None = None
    pause: Pause | None = None
    run: Run | None = None
    past: tuple[PastRun, ...] = ()
    notices: tuple[Notice, ...] = ()
    baseline: str | None = None
    packed_baseline: str = ""
    silent_runs: int = 0
    snooze: Snooze | None = None
    rev: int = 0

    def active_snooze(self, now: datetime) -> Snooze | None:
        is_on = self.snooze is not None and self.snooze.until and self.snooze.until > now
        return self.snooze if is_on else None


class UnknownDigestError(BotError):
    """There is no such digest (any more)."""


class UnknownAlertError(BotError):
    """The post is too old, or its digest was deleted: its buttons do nothing any more."""


class TooManyDigestsError(BotError):
    """The channel has `MAX_PER_CHANNEL` digests already."""


class NameTakenError(BotError):
    """Another digest of the channel has this name."""


class SameDigestError(BotError):
    """Another digest of the channel has the same plan."""


class EditConflictError(BotError):
    """The digest was changed since it was shown; `digest` is the present one."""

    def __init__(self, digest: Digest) -> None:
        self.digest = digest
        super().__init__("changed since it was shown")


class DigestBusyError(BotError):
    """The digest is being sent at this moment."""


class LostClaimError(BotError):
    """The run is no longer this worker's: another one has it, or it was cancelled."""


class StoppedError(BotError):
    """The bot stops before this was begun: another process does it."""


class NotInChannelError(BotError):
    """The person is not in the channel, or cannot see it."""


class BotNotInChannelError(BotError):
    """The bot is not in the channel, so it cannot post there."""


class GuestError(BotError):
    """The person is a guest of the workspace, who may not see its domains."""
