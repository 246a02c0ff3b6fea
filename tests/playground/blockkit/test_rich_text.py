"""What may stand in rich text, and where."""

from bot.playground.blockkit import Problem, check_blocks
from tests.playground.blockkit.samples import Json, rich_text
from tests.playground.blockkit.sentences import (
    EMPTY,
    NO_CHOICE,
    malformed,
    missing,
    too_few,
    too_large,
    too_small,
    unknown,
    unsupported,
)


def rich_list(*elements: Json, **fields: Json) -> Json:
    listed = {"type": "rich_text_list", "style": "bullet", "elements": list(elements), **fields}
    return rich_text(listed)


def rich_words(*elements: Json) -> Json:
    return rich_text({"type": "rich_text_section", "elements": list(elements)})


def rich_code(*elements: Json) -> Json:
    return rich_text({"type": "rich_text_preformatted", "elements": list(elements)})


STYLED_LIST = {"type": "rich_text_list", "style": "bullet", "elements": []}

REFUSED = {
    "rich text in rich text": (
        rich_text(rich_text()),
        unsupported("rich_text"),
        "/elements/0/type",
    ),
    "list in list": (
        rich_list(STYLED_LIST),
        unsupported("rich_text_list"),
        "/elements/0/elements/0/type",
    ),
    "list of no style": (
        rich_text({"type": "rich_text_list", "elements": rich_text()["elements"]}),
        missing("style"),
        "/elements/0",
    ),
    "empty rich text": (
        rich_words({"type": "text", "text": ""}),
        EMPTY,
        "/elements/0/elements/0/text",
    ),
    "unknown style": (
        rich_words({"type": "text", "text": "a", "style": {"blink": True}}),
        unknown("blink"),
        "/elements/0/elements/0/style",
    ),
    "mention in code": (
        rich_code({"type": "user", "user_id": "U1"}),
        unsupported("user"),
        "/elements/0/elements/0/type",
    ),
    "colour by name": (
        rich_words({"type": "color", "value": "green"}),
        malformed("must be a hex color"),
        "/elements/0/elements/0/value",
    ),
    "skin tone 0": (
        rich_words({"type": "emoji", "name": "wave", "skin_tone": 0}),
        too_small(1),
        "/elements/0/elements/0/skin_tone",
    ),
    "skin tone 7": (
        rich_words({"type": "emoji", "name": "wave", "skin_tone": 7}),
        too_large(6),
        "/elements/0/elements/0/skin_tone",
    ),
    "list of nothing": (rich_list(), too_few(1), "/elements/0/elements"),
    "outdented list": (
        rich_list(*rich_text()["elements"], indent=-1),
        too_small(0),
        "/elements/0/indent",
    ),
    "broadcast to nobody": (
        rich_words({"type": "broadcast", "range": "all"}),
        NO_CHOICE,
        "/elements/0/elements/0/range",
    ),
}


def test_a_wrong_rich_text_is_refused() -> None:
    for case, (block, refusal, pointer) in REFUSED.items():
        assert check_blocks([block]) == [Problem(*refusal, f"/blocks/0{pointer}")], case


INLINE: list[Json] = [
    {"type": "text", "text": "a", "style": {"bold": True, "italic": True, "strike": False}},
    {"type": "text", "text": "a", "style": {"code": True, "underline": True}},
    {"type": "link", "url": "https://a.example", "text": "a", "unsafe": False},
    {"type": "emoji", "name": "wave", "skin_tone": 6, "unicode": "1f44b"},
    {"type": "user", "user_id": "U1", "style": {"highlight": True, "unlink": True}},
    {"type": "usergroup", "usergroup_id": "S1"},
    {"type": "channel", "channel_id": "C1"},
    {"type": "team", "team_id": "T1"},
    {"type": "broadcast", "range": "here"},
    {"type": "color", "value": "#00ff00"},
    {"type": "date", "timestamp": 1_900_000_000, "format": "{date_num}", "fallback": "a day"},
]


def test_a_line_takes_every_kind_of_element() -> None:
    for element in INLINE:
        assert check_blocks([rich_words(element)]) == [], element["type"]


def test_code_and_quotes_are_accepted() -> None:
    link = {"type": "link", "url": "https://a.example"}
    quote = {"type": "rich_text_quote", "elements": INLINE, "border": 1}

    assert check_blocks([rich_code(INLINE[0], link), rich_text(quote)]) == []


def test_a_line_may_be_empty() -> None:
    for kind in ["section", "quote", "preformatted"]:
        empty = {"type": f"rich_text_{kind}", "elements": []}

        assert check_blocks([rich_text(empty), {"type": "rich_text", "elements": []}]) == [], kind


def test_a_list_may_begin_at_the_margin() -> None:
    lines = rich_text()["elements"]

    assert check_blocks([rich_list(*lines, indent=0, offset=0, border=0)]) == []
