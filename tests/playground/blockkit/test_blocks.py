"""What the long-standing blocks must be, beyond their limits."""

from bot.playground.blockkit import Problem, check_blocks
from tests.playground.blockkit.samples import (
    Json,
    actions,
    button,
    form_field,
    image,
    mrkdwn,
    plain,
    section,
)
from tests.playground.blockkit.sentences import (
    EMPTY,
    conflict,
    malformed,
    missing,
    needs,
    not_a,
    too_few,
    too_small,
    unknown,
    unsupported,
)


def context(*elements: Json) -> Json:
    return {"type": "context", "elements": list(elements)}


def picked(**fields: Json) -> Json:
    return {"type": "conversations_select", "response_url_enabled": True, **fields}


DIVIDER = {"type": "divider"}
FILE = {"type": "file", "external_id": "F1", "source": "remote"}
NO_MENU = ("not_allowed_here", "only works with menus in input blocks in modals")

REFUSED = {
    "not an object": ("section", not_a("an object"), ""),
    "no type": ({}, missing("type"), ""),
    "type no string": ({"type": 1}, not_a("a string"), "/type"),
    "unknown type": ({"type": "graph"}, unsupported("graph"), "/type"),
    "read-only type": (FILE, unsupported("file"), "/type"),
    "unknown field": ({**DIVIDER, "colour": "red"}, unknown("colour"), ""),
    "null for absent": ({**DIVIDER, "block_id": None}, not_a("a string"), "/block_id"),
    "empty block_id": ({**DIVIDER, "block_id": ""}, EMPTY, "/block_id"),
    "section of nothing": ({"type": "section"}, needs("`text` or `fields`"), "/type"),
    "no fields": (section(fields=[]), too_few(1), "/fields"),
    "fields no list": (section(fields={}), not_a("an array"), "/fields"),
    "text a string": (section(text="Words"), not_a("an object"), "/text"),
    "empty text": (section(text=mrkdwn("")), EMPTY, "/text/text"),
    "emoji in mrkdwn": (section(text={**mrkdwn(), "emoji": True}), unknown("emoji"), "/text"),
    "verbatim in plain_text": (
        section(text={**plain(), "verbatim": True}),
        unknown("verbatim"),
        "/text",
    ),
    "text of no kind": (
        section(text={"type": "text", "text": "a"}),
        unsupported("text"),
        "/text/type",
    ),
    "expand no flag": (section(expand="yes"), not_a("a boolean"), "/expand"),
    "mrkdwn header": ({"type": "header", "text": mrkdwn()}, unsupported("mrkdwn"), "/text/type"),
    "header level 0": ({"type": "header", "text": plain(), "level": 0}, too_small(1), "/level"),
    "header level true": (
        {"type": "header", "text": plain(), "level": True},
        not_a("an integer"),
        "/level",
    ),
    "header without text": ({"type": "header"}, missing("text"), ""),
    "context of nothing": (context(), too_few(1), "/elements"),
    "button in context": (context(button()), unsupported("button"), "/elements/0/type"),
    "actions of nothing": ({"type": "actions", "elements": []}, too_few(1), "/elements"),
    "input in actions": (
        actions({"type": "plain_text_input"}),
        unsupported("plain_text_input"),
        "/elements/0/type",
    ),
    "datetime beside text": (
        section(accessory={"type": "datetimepicker"}),
        unsupported("datetimepicker"),
        "/accessory/type",
    ),
    "image without source": (
        {"type": "image", "alt_text": "A"},
        needs("`image_url` or `slack_file`"),
        "/type",
    ),
    "image with two sources": (
        image(slack_file={"id": "F1"}),
        conflict("cannot provide both `image_url` and `slack_file`"),
        "",
    ),
    "file with two names": (
        {"type": "image", "alt_text": "A", "slack_file": {"id": "F1", "url": "https://a.example"}},
        conflict("cannot provide both `id` and `url`"),
        "/slack_file",
    ),
    "file without a name": (
        {"type": "image", "alt_text": "A", "slack_file": {}},
        needs("`id` or `url`"),
        "/slack_file",
    ),
    "element without source": (
        section(accessory={"type": "image", "alt_text": "A"}),
        needs("`image_url` or `slack_file`"),
        "/accessory/type",
    ),
    "image url without scheme": (
        image(image_url="a.png"),
        malformed("must be a valid image URL"),
        "/image_url",
    ),
    "button in input": (form_field(button()), unsupported("button"), "/element/type"),
    "response_url in a message": (form_field(picked()), NO_MENU, "/element/response_url_enabled"),
    "response_url in actions": (actions(picked()), NO_MENU, "/elements/0/response_url_enabled"),
    "response_url beside text": (
        section(accessory=picked()),
        NO_MENU,
        "/accessory/response_url_enabled",
    ),
}


def test_a_wrong_block_is_refused() -> None:
    for case, (block, refusal, pointer) in REFUSED.items():
        assert check_blocks([block]) == [Problem(*refusal, f"/blocks/0{pointer}")], case
