"""Modals and Home tabs: https://docs.slack.dev/reference/views."""

import json
from collections.abc import Mapping
from typing import Any

from bot.playground.blockkit.composition import plain_text
from bot.playground.blockkit.fields import Flag, Spec, String
from bot.playground.blockkit.payload import BlockList, every_block, every_element
from bot.playground.blockkit.problems import Place, Problem, Surface
from bot.playground.blockkit.shapes import OneOf, Shape

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
    "private_metadata": String(least=0, most=3000),
    "callback_id": String(least=0, most=255),
    "external_id": String(least=0, most=255),
}

# `hash` is an argument of `views.update`, `submit_disabled` is for workflow steps only, and what
# Slack adds in payloads (`id`, `state`, …) may not be sent back.
MODAL = Shape(
    kind="modal",
    docs="https://docs.slack.dev/reference/views/modal-views",
    required={"title": plain_text(24), "blocks": BlockList()},
    optional={
        "submit": plain_text(24),
        "close": plain_text(24),
        "clear_on_close": Flag(),
        "notify_on_close": Flag(),
        **_BOTH,
    },
    rules=(_inputs_need_submit, _one_focus),
)

HOME = Shape(
    kind="home",
    docs="https://docs.slack.dev/reference/views/home-tab-views",
    required={"blocks": BlockList()},
    optional=_BOTH,
    rules=(_one_focus,),
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
