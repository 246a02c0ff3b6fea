"""What a step of a workflow gives to the next ones."""

from datetime import timedelta

from bot.redaction import holds_secret
from bot.tracker.findings import Severity
from bot.views.steps import MAX_CHARS, NEVER_SCANNED, health_outputs, inert_text, scan_outputs
from tests.builders import HOSTILE_TEXTS, MOMENT, TODAY, a_domain, a_report, ending
from tests.loops import loop_over

SICK = {
    "security": {"issues": [{"severity": "high", "title": "Listed", "fix": "Ask"}]},
    "ssl": {"notAfter": (TODAY + timedelta(days=5)).isoformat()},
    "whois": {"expires": (TODAY + timedelta(days=19)).isoformat()},
}


def test_a_scan_gives_the_new_score_the_worst_issue_and_the_first_end() -> None:
    outputs = scan_outputs(a_report(SICK, score=41, score_after=38.96))

    text = outputs.pop("text")
    assert outputs == {
        "score": 38.9,
        "band": "poor",
        "worst_issue": "High: Listed – Ask",
        "days_until_expiry": 5,
    }
    assert text.startswith("Scan of shop.example. Health 41 to 38.9, poor, scanned ")


def test_what_a_scan_does_not_say_is_left_out() -> None:
    outputs = scan_outputs(a_report({}, score_after=None))

    assert set(outputs) == {"band", "worst_issue", "text"}
    assert (outputs["band"], outputs["worst_issue"]) == ("unknown", "No known issues")


def test_health_is_the_listed_score_and_what_the_last_scan_found() -> None:
    row = ending(19, -3, age=timedelta(days=2), issues={Severity.HIGH: 1})

    outputs = health_outputs(a_domain(), a_report(SICK), row, MOMENT)

    assert (outputs["score"], outputs["days_until_expiry"]) == (41.0, 5)
    assert outputs["text"] == (
        "shop.example: health 41 (poor). 1 high issue. High: Listed – Ask."
        " Certificate expires in 5 days. Registration expires in 19 days. Scanned 2 days ago."
    )


def test_of_an_old_scan_dates_and_severities_are_known_still() -> None:
    row = ending(19, -3, issues={Severity.HIGH: 1, Severity.LOW: 4})

    outputs = health_outputs(a_domain(), None, row, MOMENT)

    assert (outputs["worst_issue"], outputs["days_until_expiry"]) == ("High", -3)
    assert "5 issues: 1 high, 4 low. Certificate expired 3 days ago." in outputs["text"]


def test_a_domain_that_was_never_scanned_has_its_score_alone() -> None:
    outputs = health_outputs(a_domain(score=None), None, None, MOMENT)

    assert outputs == {
        "band": "unknown",
        "worst_issue": NEVER_SCANNED,
        "text": "shop.example: health unknown."
        " It was never scanned: its issues and end dates are unknown.",
    }


@loop_over("hostile", HOSTILE_TEXTS.values())
def test_nothing_from_outside_acts_in_a_message_of_a_workflow(hostile: str) -> None:
    issue = {"severity": hostile, "title": hostile, "fix": hostile}
    report = a_report({"security": {"issues": [issue]}}, host=hostile)

    texts = [
        inert_text("`x` &lt;!channel&gt;"),
        *(str(each) for each in scan_outputs(report).values()),
        *(str(each) for each in health_outputs(a_domain(hostile), report, None, MOMENT).values()),
    ]

    for text in texts:
        assert not set("<>") & set(text), text
        assert len(text) <= MAX_CHARS
        assert not holds_secret(text)
