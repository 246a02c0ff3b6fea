"""Blocks, messages, modals and Home tabs as a whole: their tables, and what holds between them.

https://docs.slack.dev/reference/block-kit/blocks, https://docs.slack.dev/reference/views and
https://docs.slack.dev/reference/methods/chat.postMessage
"""

import json
from collections import Counter
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
    "text", "alt_text", "title", "caption", "label", "name", "fallback", "categories",
    "x_label", "y_label",
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

# What all blocks of a kind in a payload may hold together, and where they hold it. For data tables
# the newer page says 20 000.
_MAX_CHARS = {
    "markdown": (12_000, "text"),
    "table": (10_000, "rows"),
    "data_table": (10_000, "rows"),
}
# How many blocks of a kind a message may hold, and the code for one more.
_MAX_COUNT = {"table": (1, "only_one_table_allowed"), "data_visualization": (2, "too_many")}


def check_blocks(
    blocks: object, *, surface: Surface = "message", root: str = "/blocks"
) -> list[Problem]:
    """Return everything Slack would refuse in these blocks; pointers begin with `root`."""
    place = Place(root, surface)
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
    for name in ("elements", "actions"):
        yield from _objects(block.get(name), place / name)


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
    seen: Counter[str] = Counter()
    for block, place in found:
        kind = _kind(block)
        seen[kind] += 1
        if place.surface == "message" and kind in _MAX_COUNT:
            most, code = _MAX_COUNT[kind]
            if seen[kind] > most:
                place.refuse(code, f"no more than {most} `{kind}` blocks allowed in a message")


def _check_sizes(found: list[Part]) -> None:
    used: Counter[str] = Counter()
    for block, place in found:
        kind = _kind(block)
        if kind in _MAX_CHARS:
            most, name = _MAX_CHARS[kind]
            fitted_before = used[kind] <= most
            used[kind] += text_chars({name: block.get(name)})
            if fitted_before and used[kind] > most:
                spot = place / name
                spot.refuse("too_long", f"must be less than {most + 1} characters together")


def _kind(block: Mapping[str, Any]) -> str:
    kind = block.get("type")
    return kind if isinstance(kind, str) else ""


# Not on a Slack page; found by people who ran into it: slackapi/bolt-js#2509.
MAX_SHOWN_CHARS = 13_200
# https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
MAX_ATTACHMENTS = 100
# "Limit this field": https://docs.slack.dev/reference/methods/chat.postMessage
MAX_MARKDOWN_TEXT_CHARS = 12_000

Refusal = tuple[str, list[Problem]]


def check_message(payload: Mapping[str, object]) -> Refusal | None:
    """Return Slack's error code for this message with its problems, or None when it is fine.

    `blocks` and `attachments` may be lists or, as in a form, JSON in a string. The length of
    `text` is not looked at: it depends on the method.
    """
    blocks, attachments = _decoded(payload, "blocks"), _decoded(payload, "attachments")
    if not isinstance(blocks, list):
        return "invalid_blocks_format", [_no_list("/blocks")]
    if not isinstance(attachments, list):
        return "invalid_attachments", [_no_list("/attachments")]
    if not blocks and not attachments and not _has_text(payload):
        return "no_text", []
    if len(str(payload.get("markdown_text") or "")) > MAX_MARKDOWN_TEXT_CHARS:
        return "msg_too_long", []
    return _refused_blocks(blocks) or _refused_attachments(attachments)


def _decoded(payload: Mapping[str, object], name: str) -> object:
    """Return the field's value, [] when it is absent or empty, None when it is no JSON."""
    value = payload.get(name)
    if value is None or value == "":
        return []
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _has_text(payload: Mapping[str, object]) -> bool:
    texts = (payload.get("text"), payload.get("markdown_text"))
    return any(isinstance(text, str) and text.strip() for text in texts)


def _refused_blocks(blocks: list[object]) -> Refusal | None:
    problems = check_blocks(blocks)
    if problems:
        is_second_table = all(one.code == "only_one_table_allowed" for one in problems)
        return ("invalid_attachments" if is_second_table else "invalid_blocks"), problems
    if text_chars(blocks) > MAX_SHOWN_CHARS:
        return "msg_blocks_too_long", []
    return None


def _refused_attachments(attachments: list[object]) -> Refusal | None:
    if len(attachments) > MAX_ATTACHMENTS:
        return "too_many_attachments", []
    problems: list[Problem] = []
    for index, attachment in enumerate(attachments):
        root = f"/attachments/{index}"
        if not isinstance(attachment, dict):
            problems.append(Problem("wrong_type", "must provide an object", root))
        elif "blocks" in attachment:
            problems += check_blocks(attachment["blocks"], root=f"{root}/blocks")
    return ("invalid_attachments", problems) if problems else None


def _no_list(pointer: str) -> Problem:
    return Problem("wrong_type", "must provide an array", pointer)


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
    "external_id": spec("string 0-255"),
}
_FRAME = {
    "submit": "plain 24",
    "close": "plain 24",
    "clear_on_close": "flag",
    "notify_on_close": "flag",
}

# `hash` is an argument of `views.update`, `submit_disabled` is for workflow steps only, and what
# Slack adds in payloads (`id`, `state`, …) may not be sent back.
MODAL = Shape(  # https://docs.slack.dev/reference/views/modal-views
    "modal",
    {"title": spec("plain 24"), "blocks": BlockList()},
    {**{name: spec(words) for name, words in _FRAME.items()}, **_BOTH},
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
    """Return Slack's error code for this view, or JSON of one, with its problems; or None."""
    if isinstance(view, str):
        try:
            view = json.loads(view)
        except (ValueError, RecursionError):
            view = None
    place = Place(ROOT, _surface(view))
    OneOf(MODAL, HOME).check(view, place)
    if place.problems:
        return "invalid_arguments", place.problems
    if len(json.dumps(view)) > MAX_VIEW_BYTES:
        return "view_too_large", []
    return None


def _surface(view: object) -> Surface:
    return "home" if isinstance(view, dict) and view.get("type") == "home" else "modal"
