import re

from hypothesis import example, given
from hypothesis import strategies as st

from bot.dispatch.command_text import Word, is_help, quoted, split_words
from tests.loops import loop_over
from tests.stopwatch import at_most

SPLIT = {
    "nothing": ("", []),
    "spaces": ("  \t ", []),
    "words": ("shop  web", [(None, "shop"), (None, "web")]),
    "a key": ("tag:prod", [("tag", "prod")]),
    "a capital key": ("TAG:Prod", [("tag", "Prod")]),
    "two words": ('folder:"Web shops" x', [("folder", "Web shops"), (None, "x")]),
    "curly quotes": ("folder:“Web shops”", [("folder", "Web shops")]),
    "other quotes": ("folder:„Web shops“ tag:«a b»", [("folder", "Web shops"), ("tag", "a b")]),
    "an open quote": ('folder:"Web shops', [("folder", "Web shops")]),
    "an empty quote": ('tag:"" ""', [("tag", ""), (None, "")]),
    "no value": ("tag:", [("tag", "")]),
    "a space behind the colon": ("tag:  x y", [("tag", "x"), (None, "y")]),
    "a space before a quote": ('folder: "a: b c" y', [("folder", "a: b c"), (None, "y")]),
    "a colon and a space inside quotes": ('folder:"My team: x"', [("folder", "My team: x")]),
    "a value left out": ("tag: below:70", [("tag", ""), ("below", "70")]),
    "a comma behind": ("tag:x, y, z", [("tag", "x"), (None, "y"), (None, "z")]),
    "a quoted word is no key": ('"tag:x"', [(None, "tag:x")]),
    "a stray quote": ('x" y', [(None, "x"), (None, "y")]),
    "a web address is no key": ("https://a.example/b", [(None, "https://a.example/b")]),
    "Slack's link": ("<http://a.example|a.example>", [(None, "a.example")]),
    "Slack's bare link": ("tag:<http://a.example>", [("tag", "http://a.example")]),
    "Slack's escapes": ("tag:R&amp;D &lt;x&gt;", [("tag", "R&D"), (None, "<x>")]),
    "escapes are undone once": ("&amp;lt; &amp;amp;", [(None, "&lt;"), (None, "&amp;")]),
    "no other escapes": (
        "R&copy A&reg; &#60;",
        [(None, w) for w in ("R&copy", "A&reg;", "&#60;")],
    ),
    "right to left": ("tag:שלום", [("tag", "שלום")]),
}

PIECES = st.sampled_from(
    [
        '"',
        "“",
        "«",
        "tag:",
        "a:",
        ":",
        " ",
        "&amp;",
        "&quot;",
        "&",
        "<",
        ">",
        "|",
        "<x|y>",
        "http://",
    ]
)
TYPED = st.lists(PIECES | st.text(max_size=4), max_size=12).map("".join)


@loop_over(("text", "words"), SPLIT.values(), ids=SPLIT)
def test_a_text_is_cut_into_words(text: str, words: list[tuple[str | None, str]]) -> None:
    assert [(word.key, word.value) for word in split_words(text)] == words


def test_a_word_remembers_what_was_typed() -> None:
    (word,) = split_words("Tag:R&amp;D,")

    assert word == Word(key="tag", value="R&D", raw="Tag:R&amp;D,")
    assert word.typed == "Tag:R&D,"


@given(TYPED)
def test_nothing_typed_is_lost(text: str) -> None:
    raws = "".join(word.raw for word in split_words(text))

    typed = re.sub("[“”„‟«»]", '"', text)
    assert "".join(raws.split()) == "".join(typed.split())


@given(TYPED)
@example('a" "')
@example('"x &quot;y"')
@example("<h|tag:x>")
@example("&amp;lt;")
@example("//x")
def test_a_quoted_value_is_one_word_with_the_same_value(text: str) -> None:
    for word in split_words(text):
        (again,) = split_words(quoted(word.value))
        (with_key,) = split_words(f"tag:{quoted(word.value)}")

        assert (again.key, again.value) == (None, word.value)
        assert (with_key.key, with_key.value) == ("tag", word.value)


@loop_over("text", ["help", " HELP ", "-h", "--help", "?"])
def test_help_is_asked_for_in_several_ways(text: str) -> None:
    assert is_help(text)


@loop_over("text", ["", "help me", "helpdesk.example"])
def test_anything_else_is_no_call_for_help(text: str) -> None:
    assert not is_help(text)


def test_a_line_of_quotes_is_read_quickly() -> None:
    with at_most(processor_s=1):
        (word,) = split_words("a" + '"' * 40_000 + "b")

    assert word.value.endswith("b")
