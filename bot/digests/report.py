"""The content of one post of a digest, compared with the post before. Plain data."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from bot.digests.baseline import Baseline, is_nearer, renewed_since
from bot.digests.models import DEFAULT_RULE, Digest, Mention, PastRun, Rule
from bot.digests.schedule import Slot
from bot.domains.kept_facts import Coverage, Ending, KeptFacts, KnownChange, KnownFacts, KnownIssue
from bot.domains.lookup import host_of
from bot.domains.query import ALL_SCORES, Bounds
from bot.tracker.health import Band, Summary, band_of, summary
from bot.tracker.models import Domain
from bot.tracker.scan_facts import SEVERITIES, EndDate, Knowledge, Severity

# Such a title is as old as its scan; `soon` says how many days are left now.
_COUNTS_DOWN = re.compile(r"\b(expire|end|renew)\w* .*\d+ days?\b", re.IGNORECASE)
_RANKS = {Band.POOR: 0, Band.FAIR: 1, Band.GOOD: 2}
# What of a report says that a score got worse, that a domain did but by a possible hijack, and
# that it did in any way.
LOWER_SCORES = ("down", "crossed_down")
WORSE_WITHOUT_SIGNS = (*LOWER_SCORES, "nearer", "found", "issues")
WORSE = (*WORSE_WITHOUT_SIGNS, "changed")
# An issue of one of these severities that is still open is named.
_GRAVE = SEVERITIES[: SEVERITIES.index(Severity.HIGH) + 1]


class Move(NamedTuple):
    """A domain and its score then and now; `None` is unknown."""

    domain: Domain
    before: float | None
    after: float | None

    @property
    def points(self) -> float:
        """The points by which it rose, rounded: 8.2 - 3.2 gives 4.999999999999999."""
        return round((self.after or 0) - (self.before or 0), 6)

    @property
    def bands(self) -> int:
        """The bands that it climbed."""
        return _RANKS[band_of(self.after)] - _RANKS[band_of(self.before)]

    def is_far(self, bounds: Bounds, points: int) -> bool:
        is_across = bounds.hold(self.before) != bounds.hold(self.after)
        return is_across or abs(self.points) >= points


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The domains of a digest, compared with the post before.

    `before` and `since` are `None` with nothing to compare with. Where nothing else is said, a
    list is worst first: by the score now, the lowest first.
    """

    totals: Summary
    worst: tuple[Domain, ...]  # with a known score
    unknown: tuple[Domain, ...]
    rule: Rule = DEFAULT_RULE
    is_bounded: bool = False  # the filter has bounds of scores
    is_emptied: bool = False  # no domain is left, whatever its score and its scans
    is_past_empty: bool = False  # the list was empty then: compared with the post before that
    owned_type: str = ""  # the type of owned domains, "" if not known
    before: Summary | None = None
    since: datetime | None = None
    before_of: Mapping[str, float] = field(default_factory=dict)  # the known score, by name
    new: tuple[Domain, ...] = ()  # were not there
    gone: tuple[tuple[str, float | None], ...] = ()  # hosts with their last score
    # Moved by at least the rule's points, or across a bound of the filter.
    up: tuple[Move, ...] = ()
    down: tuple[Move, ...] = ()
    # Came into another band (of good, fair, poor); a domain may be in both.
    crossed_up: tuple[Move, ...] = ()
    crossed_down: tuple[Move, ...] = ()
    lost: tuple[Move, ...] = ()  # the score was known and is unknown now
    found: tuple[Move, ...] = ()  # the other way round
    soon: tuple[tuple[Domain, Ending], ...] = ()  # within the rule's horizon, the first one first
    nearer: tuple[Domain, ...] = ()  # of these, came to a mark of the rule since then
    renewed: tuple[tuple[Domain, str, EndDate], ...] = ()  # was to end soon: its name and new end
    # Found since then, the worst first; all that are known with nothing to compare with.
    issues: tuple[tuple[Domain, KeptFacts, KnownIssue], ...] = ()
    # The worst critical, high or unrated issue of each domain that is not among `issues`.
    open_issues: tuple[tuple[Domain, KeptFacts, KnownIssue], ...] = ()
    unchecked: tuple[tuple[Domain, KeptFacts], ...] = ()  # sections of the last scan tell nothing
    # There are domains, none has a poor or an unknown score, and scans know of each that it has no
    # issue and no end is near; every section was checked.
    is_well: bool = False
    changed: tuple[tuple[Domain, KeptFacts, KnownChange], ...] = ()  # name servers first
    coverage: Coverage | None = None  # `None` where nothing of scans is known
    dates_lost: int = 0  # of so many domains dates were known then and are not now
    issues_lost: int = 0

    @property
    def grave(self) -> tuple[Domain, ...]:
        """The domains with an issue among `issues` that the rule counts."""
        counted = self.rule.severities
        return tuple(domain for domain, _, issue in self.issues if issue.severity in counted)

    def is_owned(self, domain: Domain) -> bool:
        return domain.may_be(self.owned_type)

    @property
    def poor_first(self) -> tuple[Move, ...]:
        """The domains whose first score, since then, is below fair: that is worse, too."""
        return tuple(move for move in self.found if band_of(move.after) is Band.POOR)

    @property
    def taken(self) -> tuple[Domain, ...]:
        """The domains with a change among `changed` that may be a hijack."""
        alarms = (domain for domain, _, change in self.changed if change.is_alarm)
        return tuple({domain.domain: domain for domain in alarms}.values())


def make_report(
    index: Mapping[str, Domain],
    baseline: Baseline | None,
    *,
    worst_count: int,
    rule: Rule = DEFAULT_RULE,
    bounds: Bounds = ALL_SCORES,
    facts: KnownFacts | None = None,
    owned_type: str = "",
    made_at: datetime | None = None,
) -> Report:
    """Return the report of the domains within `bounds`, compared with `baseline`.

    `index` holds the domains by host name, also those out of bounds, as `baseline` does: one
    that comes in from above has got worse and is not new. 10,000 domains take about 40 ms.
    """
    scores = {host: domain.health_score for host, domain in index.items()}
    listed = {host: index[host] for host, _ in sorted(scores.items(), key=_worst_first)}
    chosen = {host: each for host, each in listed.items() if bounds.hold(each.health_score)}
    known = [domain for domain in chosen.values() if domain.health_score is not None]
    report = Report(
        totals=_summed(domain.health_score for domain in chosen.values()),
        worst=tuple(known[:worst_count]),
        unknown=tuple(domain for domain in chosen.values() if domain.health_score is None),
        rule=rule,
        is_bounded=bounds != ALL_SCORES,
        owned_type=owned_type,
    )
    if facts:
        since = baseline.taken_at if baseline else None
        report = _with_facts(report, chosen, facts, since, made_at or facts.now)
        report = _with_ends(report, index, chosen, baseline, facts) if baseline else report
    return _compared(report, listed, chosen, baseline, bounds) if baseline else report


def _with_facts(
    report: Report,
    chosen: Mapping[str, Domain],
    facts: KnownFacts,
    since: datetime | None,
    made_at: datetime,
) -> Report:
    """Return the report with what ends soon, what is open, and what was found since then."""
    soon = facts.soon(chosen)
    found = facts.issues(chosen, since)
    rows = [(host, each, row) for host, each in chosen.items() if (row := facts.by_host.get(host))]
    ends = {
        (host, issue)
        for host in {each.host for each in soon}
        for issue in facts.by_host[host].worst
        if _COUNTS_DOWN.search(issue.title)
    }
    named = {(host, issue) for host, _, issue in found} | ends
    still_open = [
        (domain, row, issue)
        for host, domain, row in rows
        if (issue := next((each for each in row.worst if (host, each) not in named), None))
        and issue.severity in {*_GRAVE, Severity.UNKNOWN}
    ]
    changes = facts.changes(chosen, since or made_at)
    is_clear = all(row.issue_knowledge is Knowledge.NONE for _, _, row in rows)
    unchecked = tuple((domain, row) for _, domain, row in rows if row.failed)
    bands = report.totals.bands
    has_scores = bool(report.totals.count) and not (bands[Band.POOR] or bands[Band.UNKNOWN])
    coverage = facts.coverage(chosen)
    return replace(
        report,
        coverage=coverage,
        unchecked=unchecked,
        is_well=has_scores and is_clear and coverage.is_complete and not (soon or unchecked),
        soon=tuple((chosen[each.host], each) for each in soon),
        issues=tuple(
            (chosen[host], row, issue) for host, row, issue in found if (host, issue) not in ends
        ),
        changed=tuple((chosen[host], row, change) for host, row, change in changes),
        open_issues=tuple(sorted(still_open, key=_gravity)),
    )


def _with_ends(
    report: Report,
    index: Mapping[str, Domain],
    chosen: Mapping[str, Domain],
    baseline: Baseline,
    facts: KnownFacts,
) -> Report:
    """Return the report with the ends that came nearer or were renewed, and what was lost."""
    marks, now = report.rule.marks, facts.now
    gone = sum(host not in index for host in baseline.scores)
    known = facts.coverage(index)
    return replace(
        report,
        nearer=tuple(
            domain
            for domain, each in report.soon
            if is_nearer(baseline, each.host, each.ends, now, marks)
        ),
        renewed=tuple(
            (domain, name, end)
            for host, domain in chosen.items()
            for name, end in renewed_since(baseline, host, facts, marks)
        ),
        dates_lost=max(0, baseline.dates_known - gone - known.dates),
        issues_lost=max(0, baseline.issues_known - gone - known.issues),
    )


def _gravity(found: tuple[Domain, KeptFacts, KnownIssue]) -> tuple[int, list[int]]:
    """Return a key by which the worst issue comes first, then the domain with most grave ones."""
    _, row, issue = found
    return issue.rank, [-row.issues.get(severity, 0) for severity in _GRAVE]


def _compared(
    report: Report,
    listed: Mapping[str, Domain],
    chosen: Mapping[str, Domain],
    baseline: Baseline,
    bounds: Bounds,
) -> Report:
    then = {host: score for host, score in baseline.scores.items() if bounds.hold(score)}
    moves = [
        Move(domain, baseline.scores[host], domain.health_score)
        for host, domain in listed.items()
        if host in then or (host in chosen and host in baseline.scores)
    ]
    known = [move for move in moves if None not in (move.before, move.after)]
    far = [move for move in known if move.is_far(bounds, report.rule.points)]
    lost = tuple(move for move in moves if move.before is not None and move.after is None)
    gone = ((host, score) for host, score in then.items() if host not in listed)
    return replace(
        report,
        unknown=(
            *report.unknown,  # without bounds the lost ones are among them
            *(move.domain for move in lost if report.is_bounded),
        ),
        before=_summed(then.values()),
        since=baseline.taken_at,
        before_of={m.domain.domain: m.before for m in known if m.before is not None},
        new=tuple(each for host, each in chosen.items() if host not in baseline.scores),
        gone=tuple(sorted(gone, key=_worst_first)),
        up=tuple(move for move in far if move.points > 0),
        down=tuple(move for move in far if move.points < 0),
        crossed_up=tuple(move for move in known if move.bands > 0),
        crossed_down=tuple(move for move in known if move.bands < 0),
        lost=lost,
        found=tuple(move for move in moves if move.before is None and move.after is not None),
    )


def has_changed(report: Report) -> bool:
    """Return whether anything got worse or changed; also `True` without a baseline."""
    scores = (report.up, report.crossed_up, report.lost, report.found)
    scans = (report.issues, report.changed, report.renewed)
    return got_worse(report) or any((report.new, report.gone, *scores, *scans))


def got_worse(report: Report) -> bool:
    """Return whether anything got worse; also `True` without a baseline.

    A score did that is lower by the rule's points, in a lower band or below a bound of the filter,
    and a first one below fair, but not one that was lost. So did an end at a mark of the rule, an
    issue that it counts, a change that may be a hijack, to know less of ends or issues, and to
    have no domain left.
    """
    scores = (report.down, report.crossed_down, report.poor_first)
    scans = (report.nearer, report.grave, report.taken, report.dates_lost, report.issues_lost)
    return report.since is None or report.is_emptied or any((*scores, *scans))


def worse_moves(report: Report) -> tuple[Move, ...]:
    """Return the moves of `got_worse`, the furthest fallen first."""
    return _once((*report.down, *report.crossed_down))


def better_moves(report: Report) -> tuple[Move, ...]:
    return _once((*report.up, *report.crossed_up))


def fallen(report: Report) -> tuple[str, ...]:
    """Return the hosts that got worse; without a baseline only those that may be hijacked."""
    return tuple(dict.fromkeys(map(host_of, _worse_domains(report))))


def _worse_domains(report: Report) -> list[Domain]:
    scores = [move.domain for move in (*worse_moves(report), *report.poor_first)]
    found = report.grave if report.since else ()  # else all that are known, however old
    return [*report.taken, *scores, *report.nearer, *found]


def without(report: Report, hosts: Collection[str], fields: Sequence[str]) -> Report:
    """Return the report in which `fields` list none of these hosts."""
    kept: dict[str, Any] = {
        name: tuple(each for each in getattr(report, name) if host_of(_domain(each)) not in hosts)
        for name in fields
    }
    return replace(report, **kept)


def _domain(listed: Domain | tuple[Domain, object, object]) -> Domain:
    return listed if isinstance(listed, Domain) else listed[0]


def unsettled(report: Report, before: Baseline | None) -> frozenset[str]:
    """Return the hosts that moved by less than the rule counts, into a band or out of bounds.

    Those that did so at the look before too have settled there.
    """
    moves = (*report.down, *report.crossed_down, *report.up, *report.crossed_up)
    small = {host_of(move.domain) for move in moves if abs(move.points) < report.rule.points}
    return frozenset(small - before.unsettled if before else small)


def is_lower(before: float, after: float, bounds: Bounds, rule: Rule) -> bool:
    """Return whether a score got worse by the rule of `got_worse`."""
    move = Move(Domain(domain=""), before, after)
    return move.points < 0 and (move.is_far(bounds, rule.points) or move.bands < 0)


def is_back(before: float | None, low: float, now: float, bounds: Bounds, rule: Rule) -> bool:
    """Return whether a score that fell from `before` to `low` has recovered.

    It is no longer worse than before by the rule of `got_worse`, or better by that rule and at
    least fair and in the band from which it fell; a first score (`before=None`) is at least fair.
    """
    rank = _RANKS[band_of(now)]
    if before is None:
        return rank >= _RANKS[Band.FAIR]
    if not is_lower(before, now, bounds, rule):
        return True
    return is_lower(now, low, bounds, rule) and rank >= max(_RANKS[band_of(before)], 1)


def owners_to_mention(report: Report, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the ids of the owners of domains that got worse, each once, as in `mentions`.

    Labels are compared without case. There are none without a baseline.
    """
    if report.since is None or not mentions:
        return ()
    worse = _worse_domains(report)
    labels = {f"tag:{tag}".casefold() for domain in worse for tag in domain.tags}
    labels |= {f"folder:{domain.folder}".casefold() for domain in worse if domain.folder}
    who = (each for rule in mentions if rule.label.casefold() in labels for each in rule.who)
    return tuple(dict.fromkeys(who))


def _worst_first(item: tuple[str, float | None]) -> tuple[bool, float, str]:
    host, score = item
    return score is None, score or 0, host


def _summed(scores: Iterable[float | None]) -> Summary:
    """Return the summary of scores, summed in one order: the last digit depends on it."""
    return summary(sorted(scores, key=lambda score: -1 if score is None else score))


def _once(moves: Iterable[Move]) -> tuple[Move, ...]:
    # A report holds each host once, so its name as the service writes it is unique too.
    by_name = {move.domain.domain: move for move in moves}
    return tuple(sorted(by_name.values(), key=lambda move: abs(move.points), reverse=True))


class TrendPoint(NamedTuple):
    """The average of one earlier post, at the local (naive) time of its slot."""

    local: datetime
    average: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """The content of one post.

    `slot` is `None` after `Send now` or `Preview`. `has_shrunk`: two lists in a row had less than
    half of the baseline's domains. `trend` ends with this post's own average, if that is known.
    `unposted` are the runs since the last post that did not reach the channel, but quiet ones.
    """

    digest: Digest
    report: Report
    sent_at: datetime
    slot: Slot | None = None
    asked_by_name: str | None = None
    has_shrunk: bool = False
    trend: tuple[TrendPoint, ...] = ()
    unposted: tuple[PastRun, ...] = ()
    is_first: bool = False
    is_preview: bool = False
