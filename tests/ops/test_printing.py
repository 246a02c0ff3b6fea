from bot.ops.output import failure, ok, printable, some_names
from tests.builders import HOSTILE_TEXTS, KEY_TAIL
from tests.loops import loop_over


@loop_over("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)
def test_no_text_acts_on_a_terminal_or_shows_a_secret(text: str) -> None:
    printed = printable(text)

    assert printed.isprintable()
    assert KEY_TAIL not in printed
    assert len(printed) <= 200
    printed.encode()


def test_of_many_names_the_first_are_told_and_how_many_more() -> None:
    assert some_names([f"name {number}" for number in range(1, 151)]) == (
        "name 1; name 2; name 3; and 147 more"
    )


@loop_over("said", ["away", "away.", "away!", "no more connections?"])
def test_a_finding_ends_in_one_sign(said: str) -> None:
    sentence = "away." if said == "away" else said

    assert failure("disk", said, "Look.").line == f"FAIL  disk: {sentence} Look."
    assert ok("disk", said).line == f"ok    disk: {sentence}"
