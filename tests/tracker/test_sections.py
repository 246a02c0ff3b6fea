from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from bot.tracker.sections import (
    MAX_LIST_IN_ONE,
    MAX_PATH_PARTS,
    MAX_SECTION_CHARS,
    MAX_VALUE_CHARS,
    Section,
    section_of,
)
from tests.loops import loop_over
from tests.stopwatch import at_most

LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=15) | st.dictionaries(st.text(max_size=5), inner, max_size=5)
    ),
    max_leaves=30,
)

SHAPES = {
    "a record": ({"a": {"b": 1}}, [(("a", "b"), 1)]),
    "null": (None, [((), None)]),
    "a number": (3.5, [((), 3.5)]),
    "a word": ("x", [((), "x")]),
    "a truth": (True, [((), True)]),
    "an empty object": ({}, [((), None)]),
    "an empty object inside": ({"a": {}, "b": 1}, [(("a",), None), (("b",), 1)]),
    "an empty list": ([], [((), ())]),
    "a short list": ({"ns": ["b", "a", None]}, [(("ns",), ("b", "a", None))]),
    "a list of records": (
        {"MX": [{"host": "a"}, {"host": "b"}]},
        [(("MX", "1", "host"), "a"), (("MX", "2", "host"), "b")],
    ),
    "a mixed list": (["x", {"y": 1}], [(("1",), "x"), (("2", "y"), 1)]),
    "a list in a list": ([["x"], []], [(("1",), ("x",)), (("2",), ())]),
    "odd names": ({"": 1, " ": 2}, [(("",), 1), ((" ",), 2)]),
}


def nested(depth: int) -> object:
    value: object = {"end": "deep"}
    for number in range(depth):
        value = {f"level {number}": value} if number % 2 else [value, 1]
    return value


def leaf_count(value: object) -> int:
    """Count the findings of any JSON in another way than the code does."""
    if isinstance(value, Mapping):
        return sum(map(leaf_count, value.values())) or 1
    if isinstance(value, list):
        is_plain = not any(isinstance(item, Mapping | list) for item in value)
        fits = len(value) <= MAX_LIST_IN_ONE
        return 1 if is_plain and fits else sum(map(leaf_count, value))
    return 1


def a_section(value: object, name: str = "dns") -> Section:
    return section_of(name, {name: value})


@loop_over(("value", "found"), SHAPES.values(), ids=SHAPES)
def test_shapes_become_findings(
    value: object, found: list[tuple[tuple[str, ...], object]]
) -> None:
    assert [(finding.path, finding.value) for finding in a_section(value).findings] == found


def test_a_section_that_was_not_sent_says_so() -> None:
    assert section_of("ssl", {"dns": 1}) == Section("ssl", (), is_given=False)
    assert section_of("ssl", {"ssl": None}).is_given


@given(ANY_JSON)
def test_whatever_it_is_every_value_is_counted(value: object) -> None:
    section = a_section(value)

    assert len(section.findings) + section.left_out == leaf_count(value)


def test_a_long_list_is_compared_item_by_item() -> None:
    section = a_section(["x"] * (MAX_LIST_IN_ONE + 1))

    assert [finding.path for finding in section.findings[:2]] == [("1",), ("2",)]
    assert len(section.findings) == MAX_LIST_IN_ONE + 1


@loop_over("depth", [30, 1_000, 20_000])
def test_depth_neither_breaks_nor_bloats_it(depth: int) -> None:
    with at_most(processor_s=5):
        section = a_section(nested(depth))

    assert section.findings[0].value == "deep"
    paths = [finding.path for finding in section.findings]
    assert max(map(len, paths)) == MAX_PATH_PARTS
    assert {len(path) for path in paths if "…" in path} == {MAX_PATH_PARTS}
    assert len(section.findings) + section.left_out == 1 + (depth + 1) // 2


def test_five_thousand_records_are_kept_as_far_as_there_is_room() -> None:
    with at_most(processor_s=5):
        section = a_section([{"type": "A", "value": f"192.0.2.{n}"} for n in range(5_000)])

    kept = sum(len(str(f.value)) + sum(map(len, f.path)) for f in section.findings)
    assert len(section.findings) + section.left_out == 10_000
    assert MAX_SECTION_CHARS - 100 < kept <= MAX_SECTION_CHARS


def test_a_long_value_is_cut_visibly() -> None:
    (finding,) = a_section({"txt": "x" * 5_000}).findings

    assert finding.value == "x" * (MAX_VALUE_CHARS - 1) + "…"
