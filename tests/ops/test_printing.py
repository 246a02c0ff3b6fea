from bot.ops.output import failure, ok, shown, some_of
from tests.builders import HOSTILE_TEXTS, KEY_TAIL
from tests.loops import loop_over


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_no_text_acts_on_a_terminal_or_shows_a_secret(text: str) -> None:
    printed = shown(text)

    assert printed.isprintable()
    assert KEY_TAIL not in printed
    assert len(printed) <= 200
    printed.encode()


def test_the_first_lines_are_printed_and_the_rest_counted() -> None:
    lines = some_of([f"line {number}" for number in range(1, 151)])

    assert lines[0] == "  line 1"
    assert lines[-2:] == ["  line 100", "  and 50 more"]


@loop_over("said", ["away", "away.", "away!", "no more connections?"])
def test_a_finding_ends_in_one_sign(said: str) -> None:
    sentence = "away." if said == "away" else said

    assert failure("disk", said, "Look.").line == f"FAIL  disk: {sentence} Look."
    assert ok("disk", said).line == f"ok    disk: {sentence}"
