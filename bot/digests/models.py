"""A digest: its plan, its runs, its pause, and its errors. Plain data, with its limits."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from bot.command_text import split_words
from bot.digests.schedule import Schedule, Slot
from bot.errors import BotError
from bot.redaction import holds_secret

MAX_PER_CHANNEL = 20
MAX_PAST_RUNS = 40
WORST_COUNTS = range(5, 26)
HEARTBEATS = range(1, 100)
MAX_FILTER_CHARS = 500
MAX_RULES = 10
MAX_LABEL_CHARS = 150  # as many as the value of an option in Slack's menus
MAX_DIGITS = 4
_LABEL = re.compile(r"(tag|folder):\S.*")


def number_of(text: str, allowed: range) -> int | None:
    """Return the whole number that a text spells, `None` unless it is an allowed one."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
    return int(text) if is_number and int(text) in allowed else None


def is_label(text: str) -> bool:
    """Return whether a text names a tag or a folder, fits into a menu, and holds no secret."""
    fits = len(text) <= MAX_LABEL_CHARS and not holds_secret(text)
    return fits and _LABEL.fullmatch(text) is not None


def unusable_words(filter_text: str) -> list[str]:
    """Return the words of a filter that a post has no use for: it has neither order nor pages."""
    return [word.typed for word in split_words(filter_text) if word.key in {"sort", "page"}]


class Mode(Enum):
    """When a digest is posted: at every slot, or only when there is something to say."""

    ALWAYS = "always"
    CHANGES = "changes"
    WORSE = "worse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Whom to mention when a domain got worse that has a tag, or lies in a folder.

    `label` is `tag:prod` or `folder:Web shops`; `who` holds ids of people (`U…`, `W…`) and of
    user groups (`S…`).
    """

    label: str
    who: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What people decide. `filter_text` is a filter of `/domains`, empty for all domains.

    `heartbeat_every`: after so many silent runs in a row the next one posts a short sign of
    life, `None` never. `worst_count` is from 5 to 25.
    """

    channel_id: str
    schedule: Schedule
    filter_text: str = ""
    mode: Mode = Mode.ALWAYS
    heartbeat_every: int | None = None
    worst_count: int = 10
    mentions: tuple[Mention, ...] = ()


class FailureReason(Enum):
    """Why a run waits, was not posted, or has paused its digest."""

    SERVICE = "service"  # Domain Tracker gave no list
    RATE = "rate"  # the hour's requests are used up
    SCOPE = "scope"  # the key may not list domains
    ADDRESS = "address"  # Domain Tracker does not take calls from the bot's address
    KEY = "key"  # there is no key, or it is refused: the run waits for another one
    SLACK = "slack"  # Slack did not take the post for now
    ARCHIVED = "archived"
    NOT_IN_CHANNEL = "not_in_channel"
    NOT_FOUND = "not_found"  # gone, or private and without the bot
    RESTRICTED = "restricted"  # by the channel's or the organisation's settings
    UNINSTALLED = "uninstalled"  # Slack no longer takes the bot's token
    PERMISSION = "permission"  # the app lacks a permission in Slack
    INTERNAL = "ours"  # a mistake of the bot
    DOWN = "down"  # the bot did not run
    CHANGED = "changed"  # somebody changed or paused the digest at that moment
    ZONE = "zone"  # its time zone is no longer known


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """`until` is `None`: until somebody resumes it. `by` is `None`: the bot itself, see `why`."""

    since: datetime
    until: datetime | None = None
    by: str | None = None
    why: FailureReason | None = None


class RunState(Enum):
    """How far the run under way has come."""

    CLAIMED = "claimed"  # a worker has it until the claim ends; nothing was posted yet
    POSTING = "posting"  # from here on it may have been posted
    WAITING = "waiting"  # nothing was posted; it is tried again


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The run under way. `until`: when its claim ends, or when it is tried again.

    `deadline` ends its grace. `token` is the worker's, who alone may go on with it. `asked_by` is
    who pressed `Send now`; `is_extra`: that was not for a slot of the schedule. `is_unwanted`:
    somebody has changed the digest since it began to post, so it is not tried again. `baseline`
    names what the next one is compared with, once it is stored.
    """

    slot: Slot
    channel_id: str
    state: RunState
    until: datetime
    deadline: datetime
    token: str
    attempt: int = 1
    asked_by: str | None = None
    is_extra: bool = False
    is_unwanted: bool = False
    trouble: FailureReason | None = None
    baseline: str | None = None
    average: float | None = None


class Outcome(Enum):
    """How a run has ended."""

    POSTED = "posted"
    QUIET = "quiet"  # nothing to say, as the digest's mode wants it
    MISSED = "missed"  # the bot did not run
    FAILED = "failed"  # it could not be made, or Slack did not take it
    UNCERTAIN = "uncertain"  # nobody can know whether it was posted


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
    """What the owner still has to be told.

    A run that was missed, failed or is uncertain, or `outcome=None`: the digest was paused. Of
    several runs of one kind `slot` is the newest and `count` says how many there were. `tries`
    counts how often it was told in vain, `retry_at` is when it is told again.
    """

    outcome: Outcome | None
    slot: Slot
    channel_id: str
    trouble: FailureReason | None = None
    count: int = 1
    tries: int = 0
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """A digest of one channel.

    `version` counts the changes that people made; `moved_at` is when it came into this channel.
    `next` is the slot to come. `past` holds the latest runs, the newest last. `baseline` names
    what the next report is compared with, `None` before the first. `last_local` is the wall clock
    of the last slot of this schedule that was taken up. `silent_runs`: how many in a row were
    quiet. `rev` is the store's.
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
    last_local: datetime | None = None
    silent_runs: int = 0
    rev: int = 0


class UnknownDigestError(BotError):
    """There is no such digest (any more)."""


class TooManyDigestsError(BotError):
    """The channel has `MAX_PER_CHANNEL` digests already."""


class ChangedMeanwhileError(BotError):
    """Somebody has changed the digest since it was shown; `digest` is how it is now."""

    def __init__(self, digest: Digest) -> None:
        self.digest = digest
        super().__init__("changed meanwhile")


class DigestBusyError(BotError):
    """The digest is being sent at this moment."""


class JustSentError(BotError):
    """Somebody pressed `Send now` moments ago; it was sent `at`."""

    def __init__(self, at: datetime) -> None:
        self.at = at
        super().__init__("sent moments ago")


class LostClaimError(BotError):
    """The run is no longer this worker's: taken over after its claim ended, or called off."""


class StoppedError(BotError):
    """The bot stops before this was begun: another process is to take it up."""


class NotInChannelError(BotError):
    """Whoever asks is not in the channel, or it cannot be seen by them."""


class BotNotInChannelError(BotError):
    """The bot is not in the channel, so it cannot post there."""


class AdminsOnlyError(BotError):
    """In this workspace only admins and owners may make and change digests."""


class GuestError(BotError):
    """The person is a guest of the workspace: those have no business with its domains."""
