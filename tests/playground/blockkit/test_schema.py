"""What Slack takes and what it refuses: the cases of `cases.yaml`, and those too large for it."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from bot.playground.blockkit import Problem, check_blocks, check_message, check_view
from bot.playground.blockkit.schema import Surface
from tests.playground.blockkit.samples import (
    EVERY_MESSAGE_BLOCK,
    cell,
    data_table,
    home,
    modal,
    mrkdwn,
    section,
)

Json = Any
CASES = yaml.load(  # the same as safe_load, ten times as quick
    Path(__file__).with_name("cases.yaml").read_text("utf-8"),
    getattr(yaml, "CSafeLoader", yaml.SafeLoader),
)
SURFACES: dict[Surface, int] = {"message": 50, "modal": 100, "home": 100}  # and their most blocks


def told(problems: list[Problem]) -> list[list[str]]:
    return [[problem.code, problem.message, problem.pointer] for problem in problems]


def refused(refusal: tuple[str, list[Problem]] | None) -> list[Any] | None:
    return refusal and [refusal[0], told(refusal[1])]


def code_of(**payload: Json) -> str | None:
    refusal = check_message(payload)
    return refusal and refusal[0]


def pointers(problems: list[Problem]) -> list[str]:
    return [problem.pointer for problem in problems]


def unlike(item: Json, number: int) -> Json:
    """Return an item of a list with names and values of its own."""
    if isinstance(item, list):
        return [unlike(each, number) for each in item]
    if not isinstance(item, dict):
        return item
    own = {name for name in ("action_id", "value", "name") if isinstance(item.get(name), str)}
    return {n: str(number) if n in own else unlike(part, number) for n, part in item.items()}


def resized(payload: Json, pointer: str, size: int) -> Json:
    """Return a copy in which the text, the list or the number at a place has this size."""
    payload = part = deepcopy(payload)
    *way, last = (int(each) if each.isdigit() else each for each in pointer.split("/")[1:])
    for each in way:
        part = part[each]
    if isinstance(part[last], list):
        part[last] = [unlike(part[last][0], number) for number in range(size)]
    else:
        part[last] = part[last].ljust(size, "a") if isinstance(part[last], str) else size
    return payload


def test_blocks_are_taken_or_refused_with_slacks_words_and_pointers() -> None:
    for name, (surface, blocks, expected) in CASES["blocks"].items():
        assert told(check_blocks(blocks, surface=surface)) == expected, name


def test_messages_are_taken_or_refused_with_slacks_code() -> None:
    for name, (payload, expected) in CASES["messages"].items():
        assert refused(check_message(payload)) == expected, name


def test_views_are_taken_or_refused() -> None:
    for name, (view, expected) in CASES["views"].items():
        assert refused(check_view(view)) == expected, name


def test_a_block_at_a_limit_is_taken_and_one_past_it_is_refused_there() -> None:
    for name, (most, surface, block, pointer) in CASES["limits"].items():
        fits, exceeds = (
            check_blocks([resized(block, pointer, size)], surface=surface)
            for size in (most, most + 1)
        )
        assert (fits, pointers(exceeds)) == ([], [f"/blocks/0{pointer}"]), name
        assert exceeds[0].code in {"too_long", "too_many", "too_large"}, name


def test_what_a_part_requires_is_missed() -> None:
    for name, (surface, block, pointer, names) in CASES["required"].items():
        assert check_blocks([block], surface=surface) == [], name
        for required in names:
            without = part = deepcopy(block)
            for each in pointer.split("/")[1:]:
                part = part[int(each) if each.isdigit() else each]
            del part[required]
            problems = check_blocks([without], surface=surface)
            missed = [("missing_field", f"missing required field: {required}")]
            assert [(each.code, each.message) for each in problems] == missed, (name, required)


def test_a_view_at_a_limit_is_taken_and_one_past_it_is_refused_there() -> None:
    for name, (most, view, pointer) in CASES["view_limits"].items():
        assert check_view(resized(view, pointer, most)) is None, name
        refusal = check_view(resized(view, pointer, most + 1))
        assert refusal, name
        assert pointers(refusal[1]) == [f"/view{pointer}"], name


def test_a_surface_takes_only_so_many_blocks() -> None:
    for surface, most in SURFACES.items():
        assert check_blocks([section()] * most, surface=surface) == [], surface
        assert check_blocks([section()] * (most + 1), surface=surface) == [
            Problem("too_many", f"no more than {most} items allowed", "/blocks")
        ], surface


def test_tables_share_one_budget_of_characters() -> None:
    half = {**data_table(), "rows": [[cell("a" * 2500)], [cell("a" * 2500)]]}
    assert check_blocks([half, half]) == []
    assert check_blocks([half, half, data_table(), data_table()]) == [
        Problem("too_long", "must be less than 10001 characters together", "/blocks/2/rows")
    ]


def test_every_block_is_taken_in_a_message_and_the_common_ones_everywhere() -> None:
    assert check_message({"blocks": EVERY_MESSAGE_BLOCK}) is None
    kinds = {"section", "header", "divider", "context", "actions", "input"}
    common = [block for block in EVERY_MESSAGE_BLOCK if block["type"] in kinds]
    assert len(common) == len(kinds)
    for surface in SURFACES:
        assert check_blocks(common, surface=surface) == [], surface


def test_a_message_shows_13200_characters_in_blocks_the_cells_of_tables_as_shown() -> None:
    words, one_more = section(text=mrkdwn("a" * 2640)), section(text=mrkdwn("a"))
    cells = {**data_table(caption="aa"), "rows": [[cell("a")], [cell("a" * 7917)]]}
    for blocks in ([words] * 5, [cells, words, words]):
        assert code_of(blocks=blocks) is None
        assert code_of(blocks=[*blocks, one_more]) == "msg_blocks_too_long"
        assert code_of(blocks=[*blocks, one_more, {}]) == "invalid_blocks"


def test_a_view_is_at_most_250_kb_of_json() -> None:
    words = [section(text=mrkdwn("a" * 3000)) for _ in range(81)]
    left = 250_000 - len(json.dumps(modal(*words, section(text=mrkdwn("")))))
    assert check_view(modal(*words, section(text=mrkdwn("a" * left)))) is None
    refusal = check_view(modal(*words, section(text=mrkdwn("a" * (left + 1)))))
    assert refusal == ("view_too_large", [])
    assert check_view(home(*EVERY_MESSAGE_BLOCK[:4])) is None
