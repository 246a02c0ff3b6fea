"""What a digest counts as worse by its own rule, and how it says the rule."""

from dataclasses import replace
from datetime import timedelta

from bot.digests.baseline import baseline_of
from bot.digests.models import DEFAULT_RULE, Rule
from bot.digests.report import Report, got_worse, has_changed, make_report
from bot.digests.repository import decode_digest, encode_digest
from bot.digests.views.notes import rule_text
from bot.domains.kept_facts import KnownFacts, KnownIssue
from bot.domains.lookup import index_by_host
from bot.tracker.findings import Severity
from tests.builders import MOMENT, ending
from tests.digests.builders import BEFORE, a_baseline, a_digest, a_plan, domains_of
from tests.loops import loop_over

A = "a.example"


def scored(before: float, after: float, rule: Rule) -> Report:
    index = index_by_host(domains_of({A: after}))
    return make_report(index, a_baseline({A: before}), worst_count=5, rule=rule)


def ended(then: int, now: int, rule: Rule, before: Rule | None = None) -> Report:
    """Return the report of a domain whose registration had so many days left, and has now."""
    index = index_by_host(domains_of({A: 90}))
    at_first = KnownFacts({A: ending(then)}, MOMENT, rule.horizon)
    later = KnownFacts({A: ending(then)}, MOMENT + timedelta(days=then - now), rule.horizon)
    baseline = baseline_of(index, MOMENT, at_first, marks=(before or rule).marks)
    return make_report(index, baseline, worst_count=5, ends=later, rule=rule)


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

    report = make_report(index, baseline, worst_count=5, ends=known, rule=Rule(least=least))

    assert bool(report.grave) is is_worse


def test_the_rule_is_one_sentence() -> None:
    assert rule_text(DEFAULT_RULE) == "Worse or better: by 5 points, or another rating"
    assert rule_text(Rule(points=1, days=(7, 60), least=Severity.MEDIUM)) == (
        "Worse or better: by 1 point, or another rating; 60 and 7 days before an end; new issues"
        " from 🟡 medium on"
    )


def test_a_stored_plan_without_a_rule_has_the_default_one() -> None:
    value = encode_digest(a_digest())
    del value["plan"]["rule"]

    assert decode_digest(value, 0).plan == a_plan()
