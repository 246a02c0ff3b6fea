"""Whole messages, modals and Home tabs.

https://docs.slack.dev/reference/methods/chat.postMessage, https://docs.slack.dev/reference/views
"""

import json
from collections.abc import Mapping
from typing import Any

from bot.playground.blockkit.payload import (
    BlockList,
    check_blocks,
    every_block,
    every_element,
    text_chars,
)
from bot.playground.blockkit.schema import EVERYWHERE, OneOf, Place, Problem, Shape, Spec, Surface
from bot.playground.blockkit.tables import spec

# Not on a Slack page; found by people who ran into it: slackapi/bolt-js#2509.
MAX_SHOWN_CHARS = 13_200
# https://docs.slack.dev/legacy/legacy-messaging/legacy-secondary-message-attachments
MAX_ATTACHMENTS = 100
# "Limit this field": https://docs.slack.dev/reference/methods/chat.postMessage
MAX_MARKDOWN_TEXT_CHARS = 12_000

Refusal = tuple[str, list[Problem]]


def check_message(payload: Mapping[str, object]) -> Refusal | None:
    """Return Slack's error code for this message with its problems, or None when it is fine.

    `blocks` and `attachments` may be lists or, as in a form, JSON in a string. Codes: `no_text`,
    `invalid_blocks_format`, `invalid_blocks`, `msg_blocks_too_long`, `invalid_attachments` (also
    for a second table, as Slack has it), `too_many_attachments`, and `msg_too_long` for
    `markdown_text`. The length of `text` is not looked at: it depends on the method.
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
MODAL = Shape(
    "https://docs.slack.dev/reference/views/modal-views",
    "modal",
    {"title": spec("plain 24"), "blocks": BlockList()},
    {**{name: spec(words) for name, words in _FRAME.items()}, **_BOTH},
    EVERYWHERE,
    (_inputs_need_submit, _one_focus),
)
HOME = Shape(
    "https://docs.slack.dev/reference/views/home-tab-views",
    "home",
    {"blocks": BlockList()},
    _BOTH,
    EVERYWHERE,
    (_one_focus,),
)


def check_view(view: object) -> tuple[str, list[Problem]] | None:
    """Return Slack's error code for this view with its problems, or None when it is fine.

    The view may be an object or, as in a form, JSON in a string. Codes: `invalid_arguments`, and
    `view_too_large` without problems.
    """
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
