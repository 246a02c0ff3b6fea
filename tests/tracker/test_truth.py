"""What is read of scans with the shapes of real tools, and that each rule earns its place."""

from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tracker.facts import MIN_PASSED, explain, facts_of
from bot.tracker.findings import Knowledge
from bot.tracker.issues import Outcome
from bot.tracker.names import Names, own_table
from tests.truth import NOW, samples, verdict


def test_nothing_false_is_said_and_nearly_everything_true() -> None:
    counts = verdict()

    assert len(samples()) == 106
    assert counts["false all-clears"] == counts["wrong ends"] == 0
    assert counts["missed"] <= 0.1 * counts["problems"]
    assert counts["missed ends"] <= 0.05 * counts["right ends"]
    assert counts["silent"] <= 0.05 * counts["failed"]
    assert counts["withheld"] <= 0.05 * counts["rightful"]
    assert counts["invented"] <= 2
    assert counts["not failed"] == 0


NOTHING: frozenset[str] = frozenset()
# A part of the table that is left out, and what is worse without it.
WITHOUT: dict[str, tuple[dict[str, object], str]] = {
    "settings": ({"ignored": NOTHING}, "invented"),
    "empty lists of issues": ({"proof": NOTHING}, "withheld"),
    "booleans, bad if true": ({"bad_if_true": NOTHING}, "missed"),
    "booleans, bad if false": ({"bad_if_false": NOTHING}, "missed"),
    "protections": ({"topics": {}}, "missed"),
    "severities": ({"severities": {}}, "missed"),
}
PARTS = {
    "states": ("states", "bad", "missed"),
    "states that are fine": ("states", "good", "invented"),
    "grades": ("grades", "bad", "missed"),
    "counts": ("counts", "bad", "missed"),
    "counts by severity": ("counts", "rated", "missed"),
    "names of ends": ("ends", "both", "missed ends"),
    "words before a name of an end": ("ends", "before", "missed ends"),
    "names of failures": ("failures", "names", "silent"),
    "signs of a failure": ("failures", "words", "silent"),
    "placeholders": ("failures", "placeholders", "silent"),
}


def without(name: str) -> tuple[Names, str]:
    table = own_table()
    if name in WITHOUT:
        left_out, worse = WITHOUT[name]
        return replace(table, **left_out), worse  # type: ignore[arg-type]  # by its fields' names
    part, key, worse = PARTS[name]
    return replace(table, **{part: getattr(table, part) | {key: NOTHING}}), worse


@pytest.mark.parametrize("name", [*WITHOUT, *PARTS])
def test_without_a_rule_the_verdict_is_worse(name: str) -> None:
    names, worse = without(name)

    assert verdict(names)[worse] > verdict()[worse]


NAMES = st.sampled_from(
    sorted(
        {
            *own_table().bad_if_true,
            *own_table().bad_if_false,
            *own_table().topics,
            *("status", "checks", "issues", "error", "errors", "warnings", "name", "grade", "x"),
        }
    )
)
WORDS = st.sampled_from(["ok", "pass", "fail", "timeout", "true", "no", "A", "F", "", "x", "N/A"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["whois", "dns", "ssl", "security"]), JSON))
@settings(max_examples=300)
def test_no_claim_of_well_being_lacks_what_it_needs(sections: dict[str, object]) -> None:
    explained = explain(sections, NOW)
    facts = explained.facts
    outcomes = [each.outcome for each in explained.readings.get("security", ())]

    if facts.issue_knowledge is Knowledge.NONE:
        assert not facts.issues
        assert "security" not in facts.failed
        assert Outcome.NOT_CHECKED not in outcomes
        assert Outcome.EMPTY in outcomes or outcomes.count(Outcome.PASSED) >= MIN_PASSED
    assert facts.ends_are_known == (None not in (facts.registration, facts.certificate))


@pytest.mark.parametrize("security", [{}, {"warnings": []}, {"alerts": []}, {"errors": []}])
def test_an_empty_list_of_something_else_proves_nothing(security: object) -> None:
    assert facts_of({"security": security}, NOW).issue_knowledge is not Knowledge.NONE


def test_every_part_of_the_table_is_tried() -> None:
    tried = {
        *(key for each, _ in WITHOUT.values() for key in each),
        *(p for p, *_ in PARTS.values()),
    }
    # Each of these is needed by shapes that no sample has, and is tried in `test_facts.py`.
    beside = {
        *(
            "issue_lists",
            "failure_lists",
            "pass_lists",
            "unable_lists",
            "present",
            "threats",
            "severity_names",
        ),
        *("titles", "fixes", "subjects", "failure_text", "certificate_text"),
    }

    assert tried | beside == {each.name for each in fields(Names)}
