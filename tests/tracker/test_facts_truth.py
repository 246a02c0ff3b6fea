"""What is read of scans with the shapes of real tools, and that each name earns its place."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.tracker.facts import MIN_PASSED, explain, facts_of
from bot.tracker.names import NAMES, Names
from bot.tracker.readings import Verdict
from bot.tracker.scan_facts import Knowledge, ScanFacts
from tests.tracker import shapes
from tests.truth import NOW, judged, samples, verdict

RIGHT = {"problems", "right ends", "unknown ends", "rightful", "failed"}


def test_nothing_false_is_said_and_everything_true_but_one_all_clear() -> None:
    wrong = {name: count for name, count in verdict().items() if name not in RIGHT and count}

    assert len(samples()) == 106
    assert wrong == {"withheld": 1}


def read(sections: Mapping[str, Any]) -> ScanFacts:
    return facts_of({**shapes.HEALTHY, **sections}, NOW)


def end_of(sections: Mapping[str, Any]) -> str | None:
    facts, section = read(sections), next(iter(sections))
    end = facts.registration if section == "whois" else facts.certificate
    return str(end.day) if end else None


def wrongly_read() -> Iterator[str]:
    """Yield the names of the shapes of which something false is read, the few first."""
    for name, (scan, wanted) in shapes.SIGNS.items():
        facts = facts_of(scan, NOW)
        given = {**facts.signs, **({"registered": facts.registered} if facts.registered else {})}
        if given != wanted:
            yield f"signs: {name}: {given}"
    for name, (scan, day) in shapes.ENDS.items():
        if (end := end_of(scan)) != day:
            yield f"end: {name}: {end}"
    for name, scan in shapes.NO_ISSUE.items():
        yield from (f"issue: {name}: {each.title}" for each in read(scan).issues)
    for name, scan in shapes.FAILED.items():
        if next(iter(scan)) not in read(scan).failed:
            yield f"not failed: {name}"
    for name, (scan, titled) in shapes.ISSUES.items():
        issues = [(each.title, each.fix) for each in read(scan).issues]
        if issues[:1] != [titled]:
            yield f"missed: {name}: {issues}"
    for name, scan in shapes.NO_ALL_CLEAR.items():
        if read(scan).issue_knowledge is Knowledge.NONE:
            yield f"all-clear: {name}"
    for name, scan in shapes.ALL_CLEAR.items():
        if read(scan).issue_knowledge is not Knowledge.NONE:
            yield f"no all-clear: {name}"


def test_shapes_that_no_sample_has_are_not_misread_either() -> None:
    assert [*wrongly_read()] == []


def parts() -> Iterator[str]:
    """Yield each part of the table, `states.bad` for a table in it; of some the whole counts."""
    for each in fields(Names):
        match getattr(NAMES, each.name):
            case dict(inner) if each.name not in {"protections", "severities"}:
                yield from (f"{each.name}.{key}" for key in inner)
            case _:
                yield each.name


def without(part: str) -> Names:
    name, _, key = part.partition(".")
    given, left = getattr(NAMES, name), frozenset[str]()  # type: Any, Any
    if isinstance(given, dict):
        emptied = {key} if key else given.keys() - {"names"}
        left = given | {each: type(given[each])() for each in emptied}
    return replace(NAMES, **{name: left})


def wrong_words() -> Iterator[str]:
    """Yield what is wrong about each shape and each sample."""
    yield from wrongly_read()
    for sample in samples():
        counts = judged(sample, facts_of(sample.sections, NOW))
        yield from (f"{sample.name}: {wrong}" for wrong in counts.elements() if wrong not in RIGHT)


@cache
def always_wrong() -> frozenset[str]:
    return frozenset(wrong_words())


@pytest.mark.parametrize("part", [*parts()])
def test_without_a_part_of_the_table_something_is_read_wrongly(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = always_wrong()

    for name, value in vars(without(part)).items():
        monkeypatch.setattr(NAMES, name, value)

    assert any(each not in known for each in wrong_words())


KEYS = st.sampled_from(
    sorted(
        {
            *NAMES.bad_if_true,
            *NAMES.bad_if_false,
            *(name for names in NAMES.protections.values() for name in names),
            *("status", "checks", "issues", "error", "errors", "warnings", "name", "grade", "x"),
        }
    )
)
WORDS = st.sampled_from(["ok", "pass", "fail", "timeout", "true", "no", "A", "F", "", "x", "N/A"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["whois", "dns", "ssl", "security"]), JSON))
@settings(max_examples=300)
def test_no_claim_of_well_being_lacks_what_it_needs(sections: dict[str, object]) -> None:
    facts, by_section = explain(sections, NOW)
    verdicts = [each.verdict for each in by_section.get("security", ())]

    if facts.issue_knowledge is Knowledge.NONE:
        assert not facts.issues
        assert "security" not in facts.failed
        assert Verdict.NOT_CHECKED not in verdicts
        assert Verdict.EMPTY in verdicts or verdicts.count(Verdict.PASSED) >= MIN_PASSED
        readings = (each for some in by_section.values() for each in some)
        assert all(each.verdict is not Verdict.UNREAD for each in readings)


@pytest.mark.parametrize("security", [{}, {"warnings": []}, {"alerts": []}, {"errors": []}])
def test_an_empty_list_of_something_else_proves_nothing(security: object) -> None:
    assert facts_of({"security": security}, NOW).issue_knowledge is not Knowledge.NONE
