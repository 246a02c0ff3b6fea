"""A whole message: which of Slack's error codes it gets."""

import json
from collections.abc import Mapping

from bot.playground.blockkit import Problem, check_message
from tests.playground.blockkit.samples import EVERY_MESSAGE_BLOCK, Json, mrkdwn, section, table

NO_LIST = "must provide an array"


def code_of(payload: Mapping[str, Json]) -> str | None:
    refusal = check_message(payload)
    return refusal[0] if refusal else None


def test_a_right_message_is_accepted() -> None:
    payloads: list[dict[str, Json]] = [
        {"text": "Words"},
        {"markdown_text": "# Words"},
        {"text": "", "blocks": [section()]},
        {"blocks": EVERY_MESSAGE_BLOCK},
        {"blocks": json.dumps(EVERY_MESSAGE_BLOCK)},
        {"text": "Words", "blocks": [], "attachments": None},
        {"attachments": [{"text": "old", "color": "#00ff00"}, {"blocks": [section()]}]},
        {"text": "a" * 50_000},
    ]
    for payload in payloads:
        assert check_message(payload) is None, payload


def test_a_message_of_nothing_has_no_text() -> None:
    payloads: list[dict[str, Json]] = [
        {},
        {"text": ""},
        {"text": " \n"},
        {"text": None, "blocks": []},
        {"blocks": ""},
        {"text": 1},
    ]
    for payload in payloads:
        assert check_message(payload) == ("no_text", []), repr(payload)


def test_blocks_that_are_no_list_have_a_wrong_format() -> None:
    for blocks in ["nonsense", "{}", '"a"', "[" * 100_000, {"type": "section"}, 1, "1" * 5000]:
        assert check_message({"text": "Words", "blocks": blocks}) == (
            "invalid_blocks_format",
            [Problem("wrong_type", NO_LIST, "/blocks")],
        ), blocks


def test_a_wrong_block_is_named_with_the_code() -> None:
    assert check_message({"text": "Words", "blocks": [section(text=mrkdwn("a" * 3001))]}) == (
        "invalid_blocks",
        [Problem("too_long", "must be less than 3001 characters", "/blocks/0/text/text")],
    )


def test_the_blocks_of_a_message_show_13200_characters_together() -> None:
    blocks = [section(text=mrkdwn("a" * 2640))] * 5

    assert check_message({"blocks": blocks}) is None
    assert check_message({"blocks": [*blocks, section(text=mrkdwn("a"))]}) == (
        "msg_blocks_too_long",
        [],
    )


def test_the_cells_of_a_table_count_as_shown() -> None:
    cells = {"type": "table", "rows": [[{"type": "raw_text", "text": "a" * 9000}]]}
    words = [section(text=mrkdwn("a" * 2100))] * 2

    assert code_of({"blocks": [cells, words[0]]}) is None
    assert code_of({"blocks": [cells, *words]}) is None
    assert code_of({"blocks": [cells, *words, section(text=mrkdwn("a"))]}) == "msg_blocks_too_long"


def test_a_wrong_block_is_told_before_too_many_characters() -> None:
    blocks = [section(text=mrkdwn("a" * 3000))] * 5

    assert code_of({"blocks": [*blocks, {}]}) == "invalid_blocks"


def test_a_second_table_is_an_invalid_attachment_as_slack_has_it() -> None:
    refusal = check_message({"blocks": [table(), table()]})

    assert refusal is not None
    assert refusal[0] == "invalid_attachments"
    assert refusal[1][0].code == "only_one_table_allowed"


def test_a_second_table_beside_a_wrong_block_is_invalid_blocks() -> None:
    assert code_of({"blocks": [table(), table(), {}]}) == "invalid_blocks"


def test_wrong_attachments_are_named() -> None:
    for attachments, pointer in [
        ("nonsense", "/attachments"),
        ({}, "/attachments"),
        (["words"], "/attachments/0"),
        ([{"text": "a"}, {"blocks": [section(), {"type": 1}]}], "/attachments/1/blocks/1/type"),
        ([{"blocks": {}}], "/attachments/0/blocks"),
    ]:
        refusal = check_message({"text": "Words", "attachments": attachments})

        assert refusal is not None, (attachments, pointer)
        assert refusal[0] == "invalid_attachments", (attachments, pointer)
        assert [problem.pointer for problem in refusal[1]] == [pointer], (attachments, pointer)


def test_a_message_takes_100_attachments() -> None:
    assert code_of({"attachments": [{"text": "a"}] * 100}) is None
    assert code_of({"attachments": [{"text": "a"}] * 101}) == "too_many_attachments"


def test_markdown_text_takes_12000_characters() -> None:
    assert code_of({"markdown_text": "a" * 12_000}) is None
    assert code_of({"markdown_text": "a" * 12_001}) == "msg_too_long"
