"""A digest: its plan, its runs, its pause, and its errors. Plain data, with its limits."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum

from bot.digests.schedule import Schedule, Slot
from bot.dispatch.command_text import split_words
from bot.domains.kept_facts import KeptFacts, KnownChange, KnownIssue
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
MAX_DIGITS = 4
_LABEL = re.compile(r"(tag|folder):\S.*")
POINTS = range(1, 51)
END_DAYS = range(1, 366)
MAX_END_DAYS = 6
# Reasons that end when the app is added to the channel.
CLOSED = {FailureReason.ARCHIVED, FailureReason.NOT_IN_CHANNEL, FailureReason.NOT_FOUND}


def number_of(text: str, allowed: Collection[int]) -> int | None:
    """Return the number that a text spells, `None` unless it is an allowed whole number."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    return int(text) if is_number and int(text) in allowed else None


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

    `label` is `tag:prod` or `folder:Web shops`; `who` holds ids of people (`U…`, `W…`) and of
    user groups (`S…`).
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
        """The ids of the people and of the user group."""
        return (*self.people, *(self.group or ())[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What counts as better or worse, besides another rating.

    A score's change by so many `points`, an end that is so many `days` away, and a new issue of
    the `least` severity or of a worse one.
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
        """The severities of new issues that count."""
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
    as CSV in the post's thread.

    `heartbeat_every`: after so many silent runs in a row the next one posts a short sign of
    life, `None` never. `worst_count` is from 5 to 25; five fit a screen.
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
        """Whether it is posted as soon as something gets worse."""
        return self.schedule.every is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snooze:
    """A silence; without `until` it lasts until the domains of its card have recovered."""

    by: str
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """A domain on the card of an alert, which got worse at `at`.

    `before` is its score before that, `None` for a first score; `low` is the lowest since then,
    `now` the latest known one and `told` the one that was posted last; `low=None`: its score is
    no part of it. `rule` says what got worse by it, also once its plan has another. `ends` are
    the dates of
    its last scan, of which those in `marks` came nearer, by what ends. `issues` and `changes` are
    what scans found since the look before. `has_score_back`: the score has recovered, something
    else has not. `was_back`: at the last look all was as before, by a few points.
    """

    host: str
    at: datetime
    told_at: datetime
    before: float | None = None
    low: float | None = None
    now: float | None = None
    told: float | None = None
    rule: Rule = DEFAULT_RULE
    ends: KeptFacts | None = None
    hosts_under: int = 0
    marks: Mapping[str, int] = field(default_factory=dict)
    issues: tuple[KnownIssue, ...] = ()
    changes: tuple[KnownChange, ...] = ()
    is_owned: bool = True
    has_score_back: bool = False
    was_back: bool = False
    recovered_at: datetime | None = None
    is_gone: bool = False
    domain_id: str | None = None

    @property
    def is_lower(self) -> bool:
        """Whether its score fell, or was poor at first, and has not recovered."""
        return self.low is not None and not self.has_score_back

    @property
    def hijack_signs(self) -> tuple[KnownChange, ...]:
        """The changes that may be a hijack, without expected ones."""
        return tuple(each for each in self.changes if each.is_alarm)

    @property
    def expected(self) -> tuple[KnownChange, ...]:
        """The changes that a person knew of."""
        return tuple(each for each in self.changes if each.expected_by)

    @property
    def was_expected(self) -> bool:
        """Whether it was on the card for nothing but changes that a person knew of."""
        is_worse_too = self.low is not None or self.marks or self.awaited_issues
        return bool(self.expected) and not (is_worse_too or self.hijack_signs)

    @property
    def awaited_issues(self) -> tuple[KnownIssue, ...]:
        """The issues that counted as worse: it has recovered once they are gone."""
        return tuple(each for each in self.issues if each.severity in self.rule.severities)

    @property
    def is_down(self) -> bool:
        """Whether it has neither recovered nor left the portfolio."""
        return self.recovered_at is None and not self.is_gone


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertCard:
    """The card of one fall: its domains, the worst first, and who saw to them.

    `ts` is that of its post, "" where that is not known; `is_uncertain`: it may be there all the
    same. `owners` are the ids that it mentions, `notes` mrkdwn as it was posted. `lines` are
    still to be posted in its thread. `shown` names what the card shows. It is looked at again at
    `due`. While `claimed_by` a process draws it until `due`, and `is_stale` tells that process to
    draw it once more. `tries` counts failed attempts. `remind_at`: when people are
    mentioned unless somebody is on it by then, `None` once they were or need not be.
    """

    channel_id: str
    falls: tuple[Fall, ...]
    due: datetime
    ts: str = ""
    is_uncertain: bool = False
    owners: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    taken_by: str | None = None
    taken_at: datetime | None = None
    snooze: Snooze | None = None
    lines: tuple[str, ...] = ()
    shown: str = ""
    claimed_by: str = ""
    is_stale: bool = False
    tries: int = 0
    remind_at: datetime | None = None

    @property
    def down(self) -> tuple[Fall, ...]:
        """The domains that have not recovered, the worst first."""
        return tuple(fall for fall in self.falls if fall.is_down)

    @property
    def hosts(self) -> tuple[str, ...]:
        """All its domains by host name."""
        return tuple(fall.host for fall in self.falls)

    def active_snooze(self, now: datetime) -> Snooze | None:
        """Return its snooze unless that is over."""
        if self.snooze is None:
            return None
        is_on = self.snooze.until > now if self.snooze.until else bool(self.down)
        return self.snooze if is_on else None


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

    `until`: when it is tried again, or when the process that is at it counts as dead. `deadline`
    ends its grace. `token` identifies the process that is at it. `asked_by` and `asked_by_name`
    are the person who pressed `Send now`; `is_extra`: the run is for no slot of the schedule.
    `is_unwanted`: the digest was changed since the run began to post, so it is not tried again.
    `trouble` is why it waits; without it `Send now` is at it. `packed_baseline` becomes that of
    the digest with the post, unless it is empty.
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
    """A message that still has to be sent.

    It goes to the owner, or to the person `to`, whose `Send now` was repeated. It is about the
    outcome of a run, or `outcome=None`: the digest was paused. `count` is the number of runs of
    one kind, `slot` the newest one's. `tries` counts failed attempts to send it, `retry_at` is
    the time of the next one.
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
    `past` holds the latest runs, the newest last. `baseline` is the token of the run with which
    the next report is compared, `None` before the first, and `packed_baseline` what it found (see
    `baseline.pack`). `silent_runs` counts the latest runs without a
    post. `snooze` is that of a whole alert. `rev` is the store's.
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
        """Return the snooze of the whole alert unless that is over."""
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
