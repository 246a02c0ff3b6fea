"""An alert's card: the domains that got worse, and who saw to them. Plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.digests.models import DEFAULT_RULE, Rule, Snooze
from bot.domains.kept_facts import KeptFacts, KnownChange, KnownIssue


@dataclass(frozen=True, slots=True, kw_only=True)
class Fall:
    """A domain on the card of an alert, which got worse at `at`.

    `before` is its score before that, `None` for a first score; `low` is the lowest since then,
    `now` the latest known one and `told` the one that was posted last; `low=None`: its score is
    no part of it. `rule` is that of the look, also once its plan has another. `ends` are of its
    last scan, of which those in `marks` came nearer. `issues` and `changes` are what scans found
    since the look before. `has_score_back`: the score has recovered, something else has not.
    `was_back`: at the last look all was as before, by a few points.
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
        return tuple(each for each in self.changes if each.is_alarm)

    @property
    def expected(self) -> tuple[KnownChange, ...]:
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
    draw it once more. `remind_at`: when people are mentioned unless somebody is on it by then.
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
        return tuple(fall.host for fall in self.falls)

    def active_snooze(self, now: datetime) -> Snooze | None:
        """Return its snooze unless that is over."""
        if self.snooze is None:
            return None
        is_on = self.snooze.until > now if self.snooze.until else bool(self.down)
        return self.snooze if is_on else None
