"""

What a digest counts as worse by its own rule, and how it says the rule.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.digests.baseline import baseline_of
from bot.digests.models import DEFAULT_RULE, Mention, Rule
from bot.digests.report import (
    Report,
    better_moves,
    got_worse,
    has_changed,
    make_report,
    owners_to_mention,
    worse_moves,
)
from bot.digests.views.notes import rule_text
from bot.domains.kept_facts import KeptFacts, KnownFacts, KnownIssue
from bot.domains.lookup import index_by_host
from bot.domains.query import Bounds
from bot.tracker.health import Band, summary
from bot.tracker.scan_facts import Severity
from tests.builders import HOSTILE_TEXTS, MOMENT, a_domain, ending
from tests.digests.builders import (
    BEFORE,
    DUE,
    a_baseline,
    a_report,
    baseline_on,
    domains_of,
    report_on,
)
from tests.loops import loop_over

Scores = Mapping[str, float | None]
A = "a.example"
LISTS = ("new", "gone", "up", "down", "crossed_up", "crossed_down", "lost", "found")


def filled(report: Report) -> set[str]:
    """Return which lists of changes have something in them."""
    return {name for name in LISTS if getattr(report, name)}


@loop_over(
    ("before", "after", "expected"),
    [
        pytest.param(70, 74.9, set(), id="less than five up"),
        pytest.param(70, 65.1, set(), id="less than five down"),
        pytest.param(70, 75, {"up"}, id="five up"),
        pytest.param(70, 65, {"down"}, id="five down"),
        pytest.param(79.9, 80, {"crossed_up"}, id="a little up into good"),
        pytest.param(80, 79.9, {"crossed_down"}, id="a little down into fair"),
        pytest.param(49.9, 50, {"crossed_up"}, id="a little up into fair"),
        pytest.param(50, 49.9, {"crossed_down"}, id="a little down into poor"),
        pytest.param(82, 41, {"down", "crossed_down"}, id="from good to poor"),
        pytest.param(0, 100, {"up", "crossed_up"}, id="from nothing to everything"),
        pytest.param(0, 0, set(), id="still zero"),
        pytest.param(8.2, 3.2, {"down"}, id="five down, which a computer calls less"),
        pytest.param(3.2, 8.2, {"up"}, id="five up, which a computer calls less"),
        pytest.param(None, None, set(), id="still unknown"),
        pytest.param(41, None, {"lost"}, id="no longer known"),
        pytest.param(None, 0, {"found"}, id="known at last, and zero"),
    ],
)
def test_a_move_is_listed(before: float | None, after: float | None, expected: set[str]) -> None:
    report = a_report({A: after}, {A: before})

    assert filled(report) == expected
    assert has_changed(report) is bool(expected)
    assert got_worse(report) is bool(expected & {"down", "crossed_down", "found"})


def test_new_and_gone_are_changes_and_no_reason_to_worry() -> None:
    report = a_report({"b.example": 3}, {A: 90})

    assert [domain.domain for domain in report.new] == ["b.example"]
    assert list(report.gone) == [(A, 90)]
    assert has_changed(report)
    assert not got_worse(report)


def test_without_a_baseline_all_is_changed_and_no_one_mentioned() -> None:
    domain = a_domain(tags=("prod",))
    report = report_on([domain], None, worst_count=10)

    assert has_changed(report)
    assert got_worse(report)
    assert filled(report) == set()
    assert report.before is None
    assert report.since is None
    assert owners_to_mention(report, [Mention(label="tag:prod", who=("U1",))]) == ()


def test_the_worst_are_as_many_as_wanted_the_lowest_first_and_zero_is_known() -> None:
    scores = {"c.example": 90.0, "b.example": 0.0, "d.example": None, A: 0.0, "e.example": 41.0}

    report = a_report(scores, worst_count=3)

    assert [domain.domain for domain in report.worst] == [A, "b.example", "e.example"]
    assert [domain.domain for domain in report.unknown] == ["d.example"]
    assert report.totals.count == 5


def test_the_largest_fall_is_first_and_listed_once() -> None:
    now = {"a.example": 45.0, "b.example": 20.0, "c.example": 49.5}
    before = {"a.example": 95.0, "b.example": 28.0, "c.example": 50.0}

    worse = worse_moves(a_report(now, before))

    assert [move.domain.domain for move in worse] == ["a.example", "b.example", "c.example"]
    assert [move.domain.domain for move in better_moves(a_report(before, now))] == list(now)


def test_a_digest_of_low_scores_knows_nothing_of_the_high_ones() -> None:
    now = domains_of({A: 20, "high.example": 90, "new.example": 95, "low.example": 10})
    before = a_baseline({A: 20, "high.example": 95, "gone.example": 90})

    report = report_on(now, before, worst_count=5, bounds=Bounds(below=50))

    assert filled(report) == {"new"}
    assert [domain.domain for domain in report.new] == ["low.example"]
    assert (report.before, report.totals.count) == (summary([20]), 2)


def test_half_a_point_across_a_bound_of_the_filter_is_a_move() -> None:
    now, before = domains_of({A: 59.9, "b.example": 60.2}), {A: 60.2, "b.example": 59.9}

    report = report_on(now, a_baseline(before), worst_count=5, bounds=Bounds(below=60))

    assert filled(report) == {"up", "down"}


def test_the_owners_of_what_got_worse_are_found_by_tag_and_folder_in_any_case() -> None:
    domains = [a_domain(A, 40, tags=("EU", "Prod"), folder="Web Shops"), a_domain("b.example", 90)]
    report = report_on(domains, a_baseline({A: 60, "b.example": 90}), worst_count=5)
    rules = [
        Mention(label="folder:web shops", who=("U3", "S1")),
        Mention(label="TAG:prod", who=("U1", "U3")),
        Mention(label="tag:web shops", who=("U9",)),
        Mention(label="folder:prod", who=("U9",)),
        Mention(label="prod", who=("U9",)),
    ]

    assert owners_to_mention(report, rules) == ("U3", "S1", "U1")


HOSTS = st.sampled_from([*HOSTILE_TEXTS.values(), *(f"{letter}.example" for letter in "abcdef")])
SCORES = st.dictionaries(HOSTS, st.none() | st.integers(0, 1000).map(lambda tenths: tenths / 10))


@settings(deadline=None, max_examples=200)
@given(SCORES, SCORES)
def test_every_domain_is_accounted_for(now: Scores, before: Scores) -> None:
    baseline = baseline_on(domains_of(before), BEFORE)
    report = report_on(domains_of(now), baseline, worst_count=25)
    hosts = baseline_on(domains_of(now), DUE).scores

    assert report.totals.bands == summary(hosts.values()).bands
    assert len(report.unknown) == report.totals.bands[Band.UNKNOWN]
    if report.since is None:  # another portfolio altogether
        assert not filled(report)
        return
    assert len(report.new) - len(report.gone) == len(hosts) - len(baseline.scores)
    assert not [move for move in report.up if move in (*report.down, *report.crossed_down)]


@settings(deadline=None, max_examples=200)
@given(SCORES, SCORES)
def test_what_is_worse_one_way_is_better_the_other(now: Scores, before: Scores) -> None:
    there = report_on(domains_of(now), baseline_on(domains_of(before), BEFORE), worst_count=25)
    back = report_on(domains_of(before), baseline_on(domains_of(now), BEFORE), worst_count=25)

    assert has_changed(there) is has_changed(back)
    assert len(worse_moves(there)) == len(better_moves(back))
    assert len(there.lost) == len(back.found)
    assert all(move.before - move.after >= DEFAULT_RULE.points - 1e-6 for move in back.down)  # type: ignore[operator] # a move of known scores


def in_days(registration: int | None, certificate: int | None = None) -> KnownFacts:
    """Return the ends of one domain, so many days after `MOMENT`."""
    return KnownFacts({A: ending(registration, certificate)}, MOMENT)


def later(ends: KnownFacts, days: int) -> KnownFacts:
    return replace(ends, now=ends.now + timedelta(days=days))


def came_nearer(then: KnownFacts, now: KnownFacts) -> bool:
    """Return whether a digest at `now`, after one at `then`, finds that a date came nearer."""
    index = index_by_host(domains_of({A: 90}))
    baseline = baseline_of(index, then.now, then)
    report = make_report(index, baseline, worst_count=1, facts=now)
    is_worse = bool(report.nearer or report.dates_lost)
    assert got_worse(report) is is_worse
    assert has_changed(report) is (is_worse or bool(report.renewed))
    return bool(report.nearer)


CROSSINGS = {
    "from 31 to 30": (in_days(31), 1, True),
    "from 30 to 29": (in_days(30), 1, False),
    "from 15 to 14": (in_days(15), 1, True),
    "from 14 to 8": (in_days(14), 6, False),
    "from 8 to 7": (in_days(8), 1, True),
    "from 2 to 1": (in_days(2), 1, True),
    "from 1 to its end": (in_days(1), 3, True),
    "after its end": (in_days(0), 3, False),
    "over several at once": (in_days(100), 95, True),
    "the second end": (in_days(5, 31), 1, True),
    "on the same day": (in_days(14, 7), 0, False),
    "far away": (in_days(100, 31), 0, False),
}


@loop_over(("then", "days", "is_nearer"), CROSSINGS.values(), ids=CROSSINGS)
def test_a_date_that_nears_is_worse_once(then: KnownFacts, days: int, is_nearer: bool) -> None:
    assert came_nearer(then, later(then, days)) is is_nearer


def test_a_date_that_one_scan_did_not_say_is_no_news_when_the_next_says_it() -> None:
    below = f"www.{A}"
    index = index_by_host(domains_of({A: 90, below: 90}))
    end, of_above = ending(14), ending(14, registered=A)
    scans = [{A: end, below: of_above}, {A: ending(), below: of_above}, {A: end, below: of_above}]
    baseline = None

    for rows in scans:
        facts = KnownFacts(rows, MOMENT)
        report = make_report(index, baseline, worst_count=1, facts=facts)
        assert not report.nearer
        baseline = baseline_of(index, MOMENT, facts, baseline)


def test_a_date_that_a_scan_moved_counts_only_when_it_moved_nearer() -> None:
    assert not came_nearer(in_days(5), in_days(300))
    assert came_nearer(in_days(300), in_days(5))
    assert came_nearer(KnownFacts({}, MOMENT), in_days(14))
    assert not came_nearer(in_days(5), KnownFacts({}, MOMENT))


def found(severity: Severity, title: str = "Listed on a blacklist", *, days: int = 1) -> KeptFacts:
    """Return a scan whose only issue was found so many days after `MOMENT`."""
    since = MOMENT + timedelta(days=days)
    issue = KnownIssue(severity, title, since.timestamp())
    return ending(9, issues={severity: 1}, worst=(issue,))


def report_with(row: KeptFacts, *, tags: tuple[str, ...] = ()) -> Report:
    """Return the report of a domain that has not changed since `MOMENT` but for that scan."""
    index = index_by_host([a_domain(A, 90, tags=tags)])
    then = baseline_of(index, MOMENT, KnownFacts({A: ending(9)}, MOMENT))
    return make_report(index, then, worst_count=5, facts=KnownFacts({A: row}, MOMENT))


@loop_over(
    ("row", "expected"),
    [
        pytest.param(found(Severity.CRITICAL), (True, True), id="critical"),
        pytest.param(found(Severity.HIGH), (True, True), id="high"),
        pytest.param(found(Severity.MEDIUM), (True, False), id="medium"),
        pytest.param(found(Severity.CRITICAL, days=0), (False, False), id="known before"),
        pytest.param(
            found(Severity.HIGH, "The certificate expires in 9 days"), (False, False), id="an end"
        ),
    ],
)
def test_a_severe_new_issue_is_worse(row: KeptFacts, expected: tuple[bool, bool]) -> None:
    report = report_with(row)

    assert (has_changed(report), got_worse(report)) == expected


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.none() | st.sampled_from([1.0, 50.0])),
    st.dictionaries(st.sampled_from("abcdef"), st.none() | st.sampled_from([1.0, 50.0])),
)
def test_a_baseline_leads_back_to_the_one_that_it_replaced(before: Scores, now: Scores) -> None:
    old = a_baseline(before)

    new = baseline_of(index_by_host(domains_of(now)), DUE, before=old)

    assert new.before == old
    assert baseline_of(index_by_host(domains_of(now)), DUE).before is None


def scored(before: float, after: float, rule: Rule) -> Report:
    index = index_by_host(domains_of({A: after}))
    return make_report(index, a_baseline({A: before}), worst_count=5, rule=rule)


def ended(then: int, now: int, rule: Rule, before: Rule | None = None) -> Report:
    """Return the report of a domain whose registration had so many days left, and has now."""
    index = index_by_host(domains_of({A: 90}))
    at_first = KnownFacts({A: ending(then)}, MOMENT, rule.horizon)
    later = KnownFacts({A: ending(then)}, MOMENT + timedelta(days=then - now), rule.horizon)
    baseline = baseline_of(index, MOMENT, at_first, marks=(before or rule).marks)
    return make_report(index, baseline, worst_count=5, facts=later, rule=rule)


@loop_over(
    ("points", "before", "after", "is_worse"),
    [
        (1, 90, 89, True),
        (10, 95, 86, False),
        (10, 95, 85, True),
        (50, 79, 50, False),
        (50, 80, 79, True),  # another rating
    ],
)
def test_a_fall_counts_from_the_rules_points_on(
    points: int, before: float, after: float, is_worse: bool
) -> None:
    report = scored(before, after, Rule(points=points))

    assert got_worse(report) is is_worse
    assert has_changed(report) is is_worse


@loop_over(
    ("days", "then", "now", "is_nearer"),
    [
        ((60,), 61, 60, True),
        ((60,), 31, 30, False),
        ((60,), 1, 0, True),  # an end counts by any rule
        ((365, 7), 366, 365, True),
        ((7,), 31, 30, False),
    ],
)
def test_an_end_counts_at_the_rules_days(
    days: tuple[int, ...], then: int, now: int, is_nearer: bool
) -> None:
    assert bool(ended(then, now, Rule(days=days)).nearer) is is_nearer


def test_what_is_within_the_rules_days_is_listed_and_thirty_days_always_are() -> None:
    assert ended(60, 59, Rule(days=(60,))).soon
    assert ended(21, 20, Rule(days=(7,))).soon
    assert not ended(60, 59, DEFAULT_RULE).soon


def test_other_days_of_a_rule_are_no_renewal() -> None:
    assert not ended(45, 44, DEFAULT_RULE, before=Rule(days=(60,))).renewed


@loop_over(
    ("least", "severity", "is_worse"),
    [
        (Severity.HIGH, Severity.MEDIUM, False),
        (Severity.MEDIUM, Severity.MEDIUM, True),
        (Severity.CRITICAL, Severity.HIGH, False),
        (Severity.LOW, Severity.INFO, False),
    ],
)
def test_a_new_issue_counts_from_the_rules_severity_on(
    least: Severity, severity: Severity, is_worse: bool
) -> None:
    index = index_by_host(domains_of({A: 90}))
    issue = KnownIssue(severity, "Something", MOMENT.timestamp())
    known = KnownFacts({A: ending(300, issues={severity: 1}, worst=(issue,))}, MOMENT)
    baseline = replace(a_baseline({A: 90}), taken_at=BEFORE.replace(year=2020))

    report = make_report(index, baseline, worst_count=5, facts=known, rule=Rule(least=least))

    assert bool(report.grave) is is_worse


def test_the_rule_is_one_sentence() -> None:
    assert rule_text(DEFAULT_RULE) == "Worse or better: by 5 points, or another rating"
    assert rule_text(Rule(points=1, days=(7, 60), least=Severity.MEDIUM)) == (
        "Worse or better: by 1 point, or another rating; days before an end: 60, 7; new issues"
        " from 🟡 medium on"
    )
