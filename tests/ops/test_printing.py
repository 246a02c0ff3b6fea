import pytest

from bot.ops.output import counted, shown, some_of
from tests.builders import HOSTILE_TEXTS, KEY_TAIL
from tests.loops import loop_over


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_no_text_acts_on_a_terminal_or_shows_a_secret(text: str) -> None:
    printed = shown(text)

    assert printed.isprintable()
    assert KEY_TAIL not in printed
    assert len(printed) <= 200
    printed.encode()


def test_what_can_be_read_stays_as_it_is() -> None:
    assert shown("München – tag:prod") == "München – tag:prod"


def test_long_text_is_cut() -> None:
    assert shown("x" * 50, 10) == "xxxxxxx..."


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 digests"), (1, "1 digest"), (1_200, "1,200 digests")]
)
def test_things_are_counted_in_words(count: int, text: str) -> None:
    assert counted(count, "digest") == text


def test_of_many_lines_the_first_are_told_and_how_many_more() -> None:
    lines = some_of([f"line {number}" for number in range(1, 151)])

    assert lines[0] == "  line 1"
    assert lines[-2:] == ["  line 100", "  and 50 more"]
