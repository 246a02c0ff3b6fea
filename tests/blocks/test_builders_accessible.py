"""The rules for what is heard, and that every view is held to them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot
from bot.blocks.builders import actions, button, header, raw_text, section
from bot.blocks.message import Block
from bot.dispatch.usage import (
    ALREADY_PRESSED,
    ANSWERED_IN_FORM,
    EXPOSED_KEY,
    OLD_BUTTON,
    STILL_WORKING,
)
from bot.domains.csv_file import exported_message
from tests.blocks.acceptance import assert_slack_takes
from tests.blocks.accessible import assert_accessible
from tests.loops import loop_over

BOT = Path(bot.__file__).parent
TESTS = Path(__file__).parents[1]
GOOD = section("🔴 *41 poor*")
TABLE = {"type": "data_table", "rows": [[raw_text("🔴")]]}
PICTURE = {"type": "image", "image_url": "https://a.example/a.png", "alt_text": " "}

MUTE: dict[str, tuple[list[Block], str]] = {
    "a color alone": ([section("🔴"), GOOD], "41 poor"),
    "a color alone in a list": ([section("a.example\n⚠️\nb.example")], "Two domains"),
    "a color alone in a cell": ([TABLE | {"caption": "Domains"}], "Domains"),
    "a picture without words": ([PICTURE], "A picture"),
    "a table without a caption": ([TABLE | {"caption": ""}], "Domains"),
    "a button of signs": ([GOOD, *actions(button("🔴", "a"))], "41 poor"),
    "two buttons alike": (
        [GOOD, *actions(button("Scan", "a", "a.example"), button("Scan", "b", "b.example"))],
        "41 poor",
    ),
    "buttons before what they are about": ([*actions(button("Scan", "a")), GOOD], "41 poor"),
    "a title of nothing": ([header("Scan"), {"type": "divider"}], "Scan"),
    "another order": ([section("Ends today. Health is 41.")], "Health is 41. Ends today."),
    "a text that points": ([GOOD], "Your domains are listed below"),
    "a text that begins only": ([GOOD], "Your domains:"),
    "a text of signs": ([GOOD], "🔴 ⚠️"),
    "a text without the title": ([header("Scan of shop.example: 41"), GOOD], "A scan"),
}


@loop_over("name", MUTE)
def test_visual_only_parts_are_found(name: str) -> None:
    blocks, text = MUTE[name]

    with pytest.raises(AssertionError):
        assert_accessible(blocks, text)


def test_short_answers_can_be_read_aloud() -> None:
    for message in (
        *(ALREADY_PRESSED, ANSWERED_IN_FORM, EXPOSED_KEY, OLD_BUTTON, STILL_WORKING),
        *(exported_message("a.csv", 1), exported_message("a.csv", 10_000)),
    ):
        assert_slack_takes(message)


# Parts of all others.
PARTS = {"message_of", "plain_message", "retry_message", "explain", "with_news"}


def drawn() -> Iterator[str]:
    """Yield the name of each function of the views that draws a whole message."""
    for path in set(BOT.rglob("*.py")) - set((BOT / "playground").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.FunctionDef(name=name, returns=ast.Name(id="Message")) if name[0] != "_":
                    yield name


def test_every_message_has_a_test_that_reads_it_aloud() -> None:
    tests = [path.read_text() for path in TESTS.rglob("*.py")]
    listening = "".join(text for text in tests if "tests.blocks.accept" in text or "taken" in text)

    assert {name for name in drawn() if name not in listening} <= PARTS
