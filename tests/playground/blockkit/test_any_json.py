"""Whatever JSON comes in, problems come out: never an exception, never a long wait."""

from collections.abc import Iterable
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.playground.blockkit import Problem, check_blocks, check_message, check_view
from bot.playground.blockkit.payload import ANY_BLOCK
from bot.playground.blockkit.schema import Surface
from tests.playground.blockkit.samples import (
    EVERY_MESSAGE_BLOCK,
    Json,
    modal,
)

Nesting = Literal["list", "object", "container", "type"]
SURFACES = st.sampled_from(["message", "modal", "home"])
# The words of Block Kit, so that arbitrary JSON gets past the first check now and then.
WORDS = st.sampled_from(
    [
        *("type", "text", "elements", "element", "fields", "rows", "blocks", "options", "chart"),
        *("label", "value", "child_blocks", "accessory", "actions", "initial_option", "style"),
        *("plain_text", "mrkdwn", "raw_text", "button", "static_select", "line"),
        *ANY_BLOCK.shapes,
    ]
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | WORDS
ANY_JSON = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(WORDS | st.text(max_size=5), inner, max_size=6)
    ),
    max_leaves=40,
)


def paths(value: Json) -> list[tuple[str | int, ...]]:
    """Return the way to every part of `value`, its own () among them."""
    steps: Iterable[tuple[str | int, Json]] = ()
    if isinstance(value, dict | list):
        steps = value.items() if isinstance(value, dict) else enumerate(value)
    below = [(key, *path) for key, part in steps for path in paths(part)]
    return [(), *below]


def replaced(value: Json, path: tuple[str | int, ...], part: Json) -> Json:
    if not path:
        return part
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], part)
    return copy


def one_part_replaced(value: Json) -> st.SearchStrategy[Json]:
    ways = st.sampled_from(paths(value))
    return st.builds(lambda path, part: replaced(value, path, part), ways, ANY_JSON)


@given(ANY_JSON, SURFACES, st.sampled_from(["text", "blocks"]))
def test_any_json_is_answered(value: Json, surface: Surface, key: str) -> None:
    assert all(isinstance(one, Problem) for one in check_blocks(value, surface=surface))
    for refusal in (check_message({key: value}), check_view(value)):
        assert refusal is None or refusal[0]


@settings(max_examples=120)
@given(one_part_replaced(EVERY_MESSAGE_BLOCK), SURFACES)
def test_one_wrong_part_is_answered_with_pointers_below_the_root(
    blocks: Json, surface: Surface
) -> None:
    problems = check_blocks(blocks, surface=surface)

    assert all(one.pointer.startswith("/blocks") and one.message for one in problems)


def nested(depth: int, kind: Nesting) -> Json:
    value: Json = {"type": "divider"}
    for _ in range(depth):
        wrapped: dict[str, Json] = {
            "list": [value],
            "object": {"type": "section", "text": value},
            "container": {"type": "container", "child_blocks": [value]},
            "type": {"type": value},
        }
        value = wrapped[kind]
    return value


@pytest.mark.parametrize("kind", ["list", "object", "container", "type"])
@pytest.mark.parametrize("depth", [30, 20_000])
def test_depth_is_refused_not_followed(kind: Nesting, depth: int) -> None:
    blocks = [nested(depth, kind)]

    assert check_blocks(blocks)
    assert check_message({"text": "a", "blocks": blocks}) is not None
    assert check_view(modal(*blocks)) is not None
