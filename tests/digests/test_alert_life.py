"""When a domain of an alert has recovered, by the rule that made it worse."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.digests import alert_life as life
from bot.digests.alert_card import AlertCard, Fall
from bot.digests.models import DEFAULT_RULE, Rule
from bot.digests.report import Report, is_back
from bot.digests.views.alert import fall_line, title
from bot.domains.kept_facts import KeptFacts, KnownChange, KnownFacts, KnownIssue
from bot.domains.query import ALL_SCORES, Bounds
from bot.tracker.health import summary
from bot.tracker.scan_facts import Knowledge, Severity
from tests.builders import MOMENT, a_domain, ending

HOST = "a.example"
ISSUE = KnownIssue(Severity.CRITICAL, "Listed on a blacklist", MOMENT.timestamp())
SIGN = "whois registrar"
EMPTY = Report(totals=summary([]), worst=(), unknown=())
LATER = MOMENT + timedelta(minutes=30)


def an_alert(**fields: object) -> AlertCard:
    fall = replace(Fall(host=HOST, at=MOMENT, told_at=MOMENT), **fields)  # type: ignore[arg-type]  # any
    return AlertCard(channel_id="C1", falls=(fall,), due=MOMENT, ts="1.1")


def seen(alert: AlertCard, row: KeptFacts | None = None, score: float | None = 90) -> AlertCard:
    """Return the alert after a look at which nothing got worse, with what a scan said."""
    index = {} if score is None else {HOST: a_domain(HOST, score)}
    ends = KnownFacts({HOST: row} if row else {}, LATER)
    return life.after_look(alert, life.Look(EMPTY, index, ends, ALL_SCORES))


@pytest.mark.parametrize(
    ("before", "low", "now", "has_recovered"),
    [
        (90, 30, 91, True),
        (97, 30, 91, True),  # good again
        (97, 85, 85, False),
        (90, 30, 36, False),
        (60, 30, 52, True),  # fair again
        (40, 20, 26, False),  # poor as before, and worse
        (40, 20, 36, True),
        (80, 79, 80, True),
    ],
)
def test_a_score_is_back(before: float, low: float, now: float, *, has_recovered: bool) -> None:
    assert is_back(before, low, now, ALL_SCORES, DEFAULT_RULE) is has_recovered


def test_a_score_that_came_below_a_bound_is_back_above_it() -> None:
    below_70 = Bounds(below=70)

    assert not is_back(71, 69, 69, below_70, DEFAULT_RULE)
    assert is_back(71, 69, 70, below_70, DEFAULT_RULE)


@pytest.mark.parametrize(("now", "has_recovered"), [(66, False), (69, True), (70, True)])
def test_the_points_of_its_plan_decide_when_a_score_is_back(
    now: float, *, has_recovered: bool
) -> None:
    assert is_back(78, 60, now, ALL_SCORES, Rule(points=10)) is has_recovered


@pytest.mark.parametrize(("now", "has_recovered"), [(30, False), (49, False), (55, True)])
def test_a_poor_first_score_is_back_once_it_is_fair(now: float, *, has_recovered: bool) -> None:
    alert = an_alert(low=20.0, now=20.0, told=20.0)

    assert (seen(alert, score=now).down == ()) is has_recovered


def test_a_milder_issue_that_counted_has_to_be_gone_too() -> None:
    issue = KnownIssue(Severity.LOW, "An old cipher", MOMENT.timestamp())
    row = ending(worst=(issue,), issue_knowledge=Knowledge.KNOWN)

    assert seen(an_alert(issues=(issue,), rule=Rule(least=Severity.LOW)), row).down
    assert not seen(an_alert(issues=(issue,)), row).down


@pytest.mark.parametrize(
    "what",
    [
        {"before": 90.0, "low": 84.0, "now": 84.0, "told": 84.0, "was_back": True},
        {"marks": {"certificate": 7}, "ends": ending(300, 7)},
    ],
    ids=["score", "end"],
)
def test_what_counted_stays_down_when_its_plan_gets_another_rule(what: dict[str, object]) -> None:
    report = replace(EMPTY, rule=Rule(points=20, days=(1,)))
    ends = KnownFacts({HOST: ending(300, 6)}, LATER)
    look = life.Look(report, {HOST: a_domain(HOST, 84)}, ends, ALL_SCORES)

    assert life.after_look(an_alert(**what), look).down


@pytest.mark.parametrize(
    ("row", "has_recovered"),
    [(None, False), (ending(300, 6), False), (ending(300), False), (ending(300, 80), True)],
)
def test_an_end_is_renewed(row: KeptFacts | None, *, has_recovered: bool) -> None:
    alert = an_alert(marks={"certificate": 7}, ends=ending(300, 7))

    assert (seen(alert, row).down == ()) is has_recovered


@pytest.mark.parametrize(
    ("row", "has_recovered"),
    [
        (None, False),
        (ending(), False),
        (ending(worst=(ISSUE,), issue_knowledge=Knowledge.KNOWN), False),
        (ending(issue_knowledge=Knowledge.NONE), True),
        (ending(issue_knowledge=Knowledge.KNOWN, unconfirmed=(ISSUE,)), False),
    ],
)
def test_an_issue_is_gone_from_a_scan_that_knows_issues(
    row: KeptFacts | None, *, has_recovered: bool
) -> None:
    assert (seen(an_alert(issues=(ISSUE,)), row).down == ()) is has_recovered


def test_what_changed_hands_has_its_first_value_again() -> None:
    change = KnownChange(SIGN, "A", "B", MOMENT.timestamp())
    alert = an_alert(changes=(change,))

    assert seen(alert, ending(signs={SIGN: "C"})).down
    assert not seen(alert, ending(signs={SIGN: "A"})).down


def test_a_further_change_is_told_in_the_thread_and_the_same_one_is_not() -> None:
    first = KnownChange(SIGN, "A", "B", MOMENT.timestamp())
    second = KnownChange(SIGN, "B", "C", LATER.timestamp())
    domain, row = a_domain(HOST, 90), ending(signs={SIGN: "C"})

    def lines_after(change: KnownChange) -> tuple[str, ...]:
        report = replace(EMPTY, changed=((domain, row, change),), since=MOMENT)
        look = life.Look(report, {HOST: domain}, KnownFacts({HOST: row}, LATER), ALL_SCORES)
        return life.after_look(an_alert(changes=(first,)), look).lines

    assert lines_after(first) == ()
    assert lines_after(second) == (f"🔀 *{HOST}* registrar B → C",)


def test_a_domain_that_left_the_portfolio_ends_its_alert_without_a_sign_of_well_being() -> None:
    ended = seen(an_alert(before=90, low=30, now=30), score=None)
    unsure = life.after_look(
        an_alert(), life.Look(EMPTY, {}, KnownFacts({}, LATER), ALL_SCORES, is_whole=False)
    )

    assert ended.lines == ("Ended, no longer in the portfolio: a.example",)
    assert unsure.down


def test_a_value_that_comes_back_is_no_change() -> None:
    def change(before: str, after: str, hours: int) -> KnownChange:
        since = (MOMENT + timedelta(hours=hours)).timestamp()
        return KnownChange(SIGN, before, after, since)

    flapping = (change("A", "B", 1), change("B", "A", 2))
    moved = (change("A", "B", 1), change("B", "C", 2))

    def changes(given: tuple[KnownChange, ...]) -> list[KnownChange]:
        known = KnownFacts({HOST: ending(changes=given)}, LATER)
        return [each for _, _, each in known.changes([HOST], MOMENT)]

    assert changes(flapping) == []
    assert changes(moved) == [moved[1]._replace(before="A")]


def test_an_end_that_counts_by_its_plan_is_named_however_far_it_is() -> None:
    rule = Rule(days=(90,))
    far = an_alert(marks={"certificate": 90}, ends=ending(300, 80), rule=rule)

    assert "80 days" in title(far)
    assert "80 days" in fall_line(far.falls[0])


def test_a_further_fall_by_another_rule_has_to_be_back_by_either() -> None:
    assert Rule(points=10, days=(7,)).or_by(Rule(days=(90, 7), least=Severity.LOW)) == Rule(
        points=5, days=(90, 7), least=Severity.LOW
    )


def test_changes_that_a_person_knew_of_end_the_card_and_others_open_another() -> None:
    change = KnownChange(SIGN, "A Ltd", "B Inc.", MOMENT.timestamp())
    known = life.expect(an_alert(changes=(change,)), 0, "U0BOB", LATER)
    poor = life.expect(an_alert(changes=(change,), before=90, low=30, now=30), 0, "U0BOB", LATER)
    again = change._replace(before="B Inc.", after="C Inc.")

    assert not known.down
    assert title(known) == f"✅ Expected: {HOST} changed"
    assert known.lines == (f"✅ *{HOST}* registrar A Ltd → B Inc. – expected by <@U0BOB>",)
    assert title(poor) == f"{HOST} fell to 30"
    assert not seen(poor, ending(300, signs={SIGN: "B Inc."})).down
    assert life.expect(known, 0, "U0ADA", LATER) == known
    [recovered] = seen(an_alert(before=90, low=30, now=30), score=91).falls
    both, one = (replace(known, falls=(*known.falls, each)) for each in (*known.falls, recovered))
    assert title(both) == "✅ Expected: 2 domains changed"
    assert title(one) == "✅ Recovered: 1 domain, after 30 minutes; 1 domain changed as expected"
    [fall] = poor.falls
    assert replace(fall, changes=(*fall.changes, again)).hijack_signs == (again,)
