import re

import pytest

from bot.blocks import builders as blocks
from bot.blocks.builders import field, form, notice, option
from bot.blocks.message import MAX_TEXT_CHARS, Message
from bot.blocks.text import (
    MAX_BUTTON_VALUE_CHARS,
    MAX_HEADER_CHARS,
    bold,
    code,
    escaped,
    literal,
    moment_text,
    moment_token,
    outside,
)
from tests.blocks.acceptance import (
    assert_slack_takes,
    assert_slack_takes_form,
    assert_slack_takes_options,
    buttons,
)
from tests.builders import HOSTILE_TEXTS, KEY, MOMENT
from tests.loops import loop_over


@loop_over("size", [0, 1, 150, 151, 3_000, 100_000])
def test_every_block_holds_to_its_limits(size: int) -> None:
    text = "x" * size
    made = (
        blocks.header(text),
        blocks.section(text),
        blocks.section(text, blocks.button(text, "a")),
        blocks.fields([(f"Label {number}", text) for number in range(5)]),
        blocks.context(text),
        *blocks.actions(blocks.button(text, "a", "b", confirm=blocks.confirm(text, text, text))),
    )

    for block in made:  # one by one: together they are more than a message takes
        assert_slack_takes(
            Message(f"text {text[:MAX_HEADER_CHARS]}", (blocks.section("text"), block))
        )


def test_the_text_of_a_message_says_what_its_blocks_show_without_markup() -> None:
    told = blocks.message_of(
        blocks.header("R&D"),
        blocks.section(f"🔴 *Health 41*  ·  `a` until {moment_token(MOMENT)}\n• b!"),
        blocks.fields([("Folder", "Web")]),
        blocks.context("Who?"),
        *blocks.actions(blocks.button("Scan", "a")),
    )

    assert told.text == (
        f"R&amp;D. Health 41, a until {moment_text(MOMENT)}: b! Folder: Web. Who?"
    )


JOINED = {
    f"a key around {sign!r}": f"service_sk_{sign}{KEY[11:]}"
    for sign in "🔴\N{VARIATION SELECTOR-16}"
}


@loop_over("text", (HOSTILE_TEXTS | JOINED).values(), ids=HOSTILE_TEXTS | JOINED)
def test_the_text_of_a_message_is_inert_whatever_its_blocks_show(text: str) -> None:
    foreign = escaped(text)
    told = blocks.message_of(
        blocks.header(outside(text, 100)),
        blocks.section(bold(text)),
        blocks.section(f"{moment_token(MOMENT)} {foreign}\n• {code(text)}\n• {foreign}"),
        blocks.fields([("Folder", foreign)]),
        blocks.text_section(outside(text, 200)),
        blocks.context(literal(text)),
    )

    assert_slack_takes(Message(told.text, (blocks.section("text"),)))
    assert not re.search("[<>]", told.text)


@pytest.mark.parametrize("more", [0, 1], ids=["all that fits", "one letter too many"])
def test_a_text_that_grows_too_long_ends_with_a_whole_sentence_and_says_so(more: int) -> None:
    end = " The message itself says more."
    sentences = [f"{'x' * 2_999}.", f"{'y' * (MAX_TEXT_CHARS - len(end) - 3_002 + more)}.", "z."]

    told = blocks.message_of(*map(blocks.section, sentences))

    assert told.text == " ".join(sentences[: 2 - more]) + end
    assert more or len(told.text) == MAX_TEXT_CHARS


@loop_over("size", [0, 1, 25, 3_000])
def test_every_form_holds_to_its_limits(size: int) -> None:
    text = "x" * size
    element = {"type": "plain_text_input", "action_id": "a"}
    fields = [field("b", text, element, hint=text), blocks.section(text)]

    assert_slack_takes_form(form("id", text, text, fields, metadata=text))
    assert_slack_takes_form(notice(text, fields[1:]))


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_an_option_shows_nothing_hostile(text: str) -> None:
    assert_slack_takes_options([option("v", text, note="new"), option("w", text)])


def test_short_lines_share_a_paragraph_and_long_ones_do_not() -> None:
    lines = ["a" * 700, "b" * 700, "c" * 700, "d", "e" * 2_000, "f"]

    texts = [block["text"]["text"] for block in blocks.paragraphs(lines)]

    assert "\n".join(texts).split("\n") == lines
    assert [len(text.split("\n")) for text in texts] == [2, 2, 1, 1]


def test_a_button_that_slack_would_refuse_is_left_out() -> None:
    fits = blocks.button("Go", "a", "x" * MAX_BUTTON_VALUE_CHARS)

    assert fits
    assert blocks.button("Go", "a", "x" * (MAX_BUTTON_VALUE_CHARS + 1)) is None
    assert blocks.actions(None, fits, None) == [{"type": "actions", "elements": [fits]}]
    assert blocks.actions(None) == []


@loop_over("line", [f"/domains {KEY}", f"/domains tag:{KEY.upper()}"])
def test_a_button_never_carries_a_key(line: str) -> None:
    assert blocks.run_button("Try again", line) is None


def test_a_run_button_says_where_its_answer_goes() -> None:
    here = blocks.run_button("Next page", "/domains page:2", here=True)
    below = blocks.run_button("Scan", "/scan")

    assert here
    assert below
    assert here["action_id"].startswith(f"{blocks.RUN_HERE}.")
    assert below["action_id"].startswith(f"{blocks.RUN_BELOW}.")
    assert buttons([here, below]) == {"Next page": "/domains page:2", "Scan": "/scan"}
