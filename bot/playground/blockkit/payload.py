"""Blocks, messages, modals and Home tabs as a whole: their tables, and what holds between them.

https://docs.slack.dev/reference/block-kit/blocks, https://docs.slack.dev/reference/views and
https://docs.slack.dev/reference/methods/chat.postMessage
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bot.playground.blockkit.schema import (
    EVERYWHERE,
    ListOf,
    OneOf,
    Place,
    Problem,
    Shape,
    Spec,
    Surface,
    all_different,
)
from bot.playground.blockkit.tables import BLOCKS, spec

# The keys whose strings a person gets to read, in any block.
# fmt: off
_SHOWN = frozenset((
    "text", "title", "caption", "label", "name", "categories", "x_label", "y_label",
))
# fmt: on


def text_chars(value: object) -> int:
    """Return the characters of shown text anywhere inside any JSON value, without recursion."""
    total = 0
    waiting: list[tuple[object, object]] = [("", value)]
    while waiting:
        key, part = waiting.pop()
        if isinstance(part, str) and key in _SHOWN:
            total += len(part)
        elif isinstance(part, list):
            waiting.extend((key, item) for item in part)
        elif isinstance(part, dict):
            waiting.extend(part.items())
    return total


# A block or an element, and where it stands.
Part = tuple[Mapping[str, Any], Place]

ANY_BLOCK = OneOf(*BLOCKS)
MAX_BLOCKS: Mapping[Surface, int] = {"message": 50, "modal": 100, "home": 100}

MAX_TABLE_CHARS = 10_000  # of all data tables of a payload; the newer page says 20 000
MAX_CHARTS = 2  # in a message


def check_blocks(blocks: object, *, surface: Surface = "message") -> list[Problem]:
    """Return everything Slack would refuse in these blocks."""
    place = Place("/blocks", surface)
    BlockList().check(blocks, place)
    return place.problems


class BlockList:
    """The `blocks` of a message (may be empty) or of a view (may not)."""

    def check(self, value: object, place: Place) -> None:
        most = MAX_BLOCKS[place.surface]
        least = 0 if place.surface == "message" else 1
        ListOf(item=ANY_BLOCK, least=least, most=most).check(value, place)
        if isinstance(value, list):
            found = list(every_block(value[:most], place))
            all_different(_ids(found, "block_id"), "block_id")
            for block, spot in found:
                all_different(_ids(every_element(block, spot), "action_id"), "action_id")
            _check_counts(found)
            _check_sizes(found)


def every_block(blocks: object, place: Place) -> Iterator[Part]:
    """Yield each block that is an object, also those inside containers."""
    for block, spot in _objects(blocks, place):
        yield block, spot
        kind = block.get("type")
        if kind == "container":
            yield from _objects(block.get("child_blocks"), spot / "child_blocks")


def every_element(block: Mapping[str, Any], place: Place) -> Iterator[Part]:
    """Yield each element that is an object and stands directly in this block."""
    for name in ("accessory", "element"):
        yield from _objects([block.get(name)], place, name)
    yield from _objects(block.get("elements"), place / "elements")


def _objects(values: object, place: Place, name: str | None = None) -> Iterator[Part]:
    if isinstance(values, list):
        for index, value in enumerate(values):
            if isinstance(value, dict):
                yield value, place / (index if name is None else name)


def _ids(found: Iterable[Part], name: str) -> Iterator[Any]:
    for value, place in found:
        if isinstance(value.get(name), str):
            yield value[name], place / name


def _check_counts(found: list[Part]) -> None:
    charts = [place for block, place in found if block.get("type") == "data_visualization"]
    for place in charts[MAX_CHARTS:]:
        words = f"no more than {MAX_CHARTS} `data_visualization` blocks allowed in a message"
        place.refuse("too_many", words)


def _check_sizes(found: list[Part]) -> None:
    used = 0
    for block, place in found:
        if block.get("type") == "data_table":
            fitted_before = used <= MAX_TABLE_CHARS
            used += text_chars({"rows": block.get("rows")})
            if fitted_before and used > MAX_TABLE_CHARS:
                words = f"must be less than {MAX_TABLE_CHARS + 1} characters together"
                (place / "rows").refuse("too_long", words)


# Not on a Slack page; found by people who ran into it: slackapi/bolt-js#2509.
MAX_SHOWN_CHARS = 13_200
Refusal = tuple[str, list[Problem]]


def check_message(payload: Mapping[str, object]) -> Refusal | None:
    """Return Slack's error code for this message with its problems, or None when it is fine.

    The length of `text` is not looked at: it depends on the method. `attachments` and
    `markdown_text`, which the bot never sends, are refused.
    """
    for name in ("attachments", "markdown_text"):
        if payload.get(name):
            return "invalid_arguments", [Problem("not_sent", "never sent by the bot", f"/{name}")]
    blocks, text = payload.get("blocks") or [], payload.get("text")
    if not isinstance(blocks, list):
        problem = Problem("wrong_type", "must provide an array", "/blocks")
        return "invalid_blocks_format", [problem]
    if not blocks and not (isinstance(text, str) and text.strip()):
        return "no_text", []
    if problems := check_blocks(blocks):
        return "invalid_blocks", problems
    return ("msg_blocks_too_long", []) if text_chars(blocks) > MAX_SHOWN_CHARS else None


# Of the JSON as slack_sdk sends it. Slack does not say how it counts, so this is the strict way.
MAX_VIEW_BYTES = 250_000

ROOT = "/view"


def _inputs_need_submit(value: Mapping[str, Any], place: Place) -> None:
    for block, spot in every_block(value["blocks"], place / "blocks"):
        if block["type"] == "input" and "submit" not in value:
            # Slack points at `input`, which is no field.
            (spot / "input").refuse(
                "missing_field", "must define `submit` to use an `input` block in modals"
            )


def _one_focus(value: Mapping[str, Any], place: Place) -> None:
    focused = [
        spot / "focus_on_load"
        for block, block_spot in every_block(value["blocks"], place / "blocks")
        for element, spot in every_element(block, block_spot)
        if element.get("focus_on_load")
    ]
    for spot in focused[1:]:
        spot.refuse("conflict", "only one element of a view can be set to true")


_BOTH: Mapping[str, Spec] = {
    "private_metadata": spec("string 0-3000"),
    "callback_id": spec("string 0-255"),
}

# `hash` is an argument of `views.update`, and what Slack adds in payloads (`id`, `state`, …) may
# not be sent back. What the bot never sends is refused too, such as `notify_on_close`.
MODAL = Shape(  # https://docs.slack.dev/reference/views/modal-views
    "modal",
    {"title": spec("plain 24"), "blocks": BlockList()},
    {"submit": spec("plain 24"), "close": spec("plain 24"), **_BOTH},
    EVERYWHERE,
    (_inputs_need_submit, _one_focus),
)
HOME = Shape(  # https://docs.slack.dev/reference/views/home-tab-views
    "home",
    {"blocks": BlockList()},
    _BOTH,
    EVERYWHERE,
    (_one_focus,),
)


def check_view(view: object) -> tuple[str, list[Problem]] | None:
    """Return Slack's error code for this view with its problems, or None when it is fine."""
    place = Place(ROOT, _surface(view))
    OneOf(MODAL, HOME).check(view, place)
    if place.problems:
        return "invalid_arguments", place.problems
    if len(json.dumps(view)) > MAX_VIEW_BYTES:
        return "view_too_large", []
    return None


def _surface(view: object) -> Surface:
    return "home" if isinstance(view, dict) and view.get("type") == "home" else "modal"
