"""Modals and Home tabs."""

import json
from collections.abc import Callable

from bot.playground.blockkit import Problem, check_view
from tests.playground.blockkit.samples import (
    EVERY_MESSAGE_BLOCK,
    Json,
    actions,
    button,
    form_field,
    home,
    modal,
    mrkdwn,
    plain,
    section,
)
from tests.playground.blockkit.sentences import (
    missing,
    not_a,
    too_few,
    unknown,
    unsupported,
)

TYPED = {"type": "plain_text_input"}


def pointers(view: Json) -> list[str]:
    refusal = check_view(view)
    return [problem.pointer for problem in refusal[1]] if refusal else []


def without(view: Json, name: str) -> Json:
    return {key: value for key, value in view.items() if key != name}


ACCEPTED = {
    "modal": modal(
        form_field(TYPED, block_id="a"),
        close=plain(),
        callback_id="scan",
        private_metadata="a",
        external_id="one",
        clear_on_close=True,
        notify_on_close=False,
    ),
    "empty strings": modal(callback_id="", external_id="", private_metadata=""),
    "modal without inputs": without(modal(section(), actions()), "submit"),
    "modal in a form": json.dumps(modal()),
    "home": home(section(), form_field(TYPED), callback_id="home", private_metadata="a"),
    "alert": modal({"type": "alert", "text": plain(), "level": "error"}),
}


def test_a_right_view_is_accepted() -> None:
    for case, view in ACCEPTED.items():
        assert check_view(view) is None, case


REFUSED = {
    "nothing": (None, not_a("an object"), ""),
    "list": ([], not_a("an object"), ""),
    "no json": ("modal", not_a("an object"), ""),
    "deep json": ("[" * 100_000, not_a("an object"), ""),
    "untyped": ({"blocks": []}, missing("type"), ""),
    "workflow step": ({"type": "workflow_step"}, unsupported("workflow_step"), "/type"),
    "untitled": (without(modal(), "title"), missing("title"), ""),
    "blockless": (without(modal(), "blocks"), missing("blocks"), ""),
    "empty": ({**modal(), "blocks": []}, too_few(1), "/blocks"),
    "mrkdwn title": (modal(title=mrkdwn()), unsupported("mrkdwn"), "/title/type"),
    "title a string": (modal(title="Scan"), not_a("an object"), "/title"),
    "hash inside": (modal(hash="1"), unknown("hash"), ""),
    "sent back": (modal(id="V1"), unknown("id"), ""),
    "disabled": (modal(submit_disabled=True), unknown("submit_disabled"), ""),
    "titled home": (home(title=plain()), unknown("title"), ""),
    "home with submit": (home(submit=plain()), unknown("submit"), ""),
    "metadata an object": (modal(private_metadata={}), not_a("a string"), "/private_metadata"),
}


def test_a_wrong_view_is_refused() -> None:
    for case, (view, refusal, pointer) in REFUSED.items():
        assert check_view(view) == ("invalid_arguments", [Problem(*refusal, f"/view{pointer}")]), (
            case
        )


LIMITS: dict[str, tuple[int, Callable[[int], Json], str]] = {
    "title": (24, lambda n: modal(title=plain("a" * n)), "/view/title/text"),
    "submit": (24, lambda n: modal(submit=plain("a" * n)), "/view/submit/text"),
    "close": (24, lambda n: modal(close=plain("a" * n)), "/view/close/text"),
    "private_metadata": (
        3000,
        lambda n: modal(private_metadata="a" * n),
        "/view/private_metadata",
    ),
    "callback_id": (255, lambda n: home(callback_id="a" * n), "/view/callback_id"),
    "external_id": (255, lambda n: home(external_id="a" * n), "/view/external_id"),
    "blocks of a modal": (100, lambda n: modal(*[section()] * n), "/view/blocks"),
    "blocks of a home": (100, lambda n: home(*[section()] * n), "/view/blocks"),
}


def test_a_view_past_a_limit_is_refused() -> None:
    for case, (most, build, pointer) in LIMITS.items():
        assert check_view(build(most)) is None, case
        assert pointers(build(most + 1)) == [pointer], case


def test_a_modal_with_an_input_needs_submit() -> None:
    view = without(modal(section(), form_field(TYPED)), "submit")

    assert check_view(view) == (
        "invalid_arguments",
        [
            Problem(
                "missing_field",
                "must define `submit` to use an `input` block in modals",
                "/view/blocks/1/input",
            )
        ],
    )


def test_one_element_of_a_view_has_the_focus() -> None:
    for surface in [modal, home]:
        focused = {**TYPED, "focus_on_load": True}

        assert check_view(surface(form_field(focused), form_field(TYPED))) is None, surface
        assert pointers(surface(form_field(focused), form_field(focused))) == [
            "/view/blocks/1/element/focus_on_load"
        ], surface


def test_the_blocks_of_a_view_are_checked_for_its_surface() -> None:
    unwelcome = [block for block in EVERY_MESSAGE_BLOCK if block["type"] in {"table", "markdown"}]

    assert pointers(home(*unwelcome)) == ["/view/blocks/0/type"]
    assert pointers(modal(*unwelcome)) == ["/view/blocks/0/type", "/view/blocks/1/type"]


def test_ids_are_unique_in_a_view() -> None:
    view = modal(section(block_id="a"), section(block_id="a"), actions(button(), button()))

    assert pointers(view) == ["/view/blocks/1/block_id", "/view/blocks/2/elements/1/action_id"]


def test_a_view_is_at_most_250_kb_of_json() -> None:
    words = [section(text=mrkdwn("a" * 3000)) for _ in range(81)]
    room = 250_000 - len(json.dumps(modal(*words, section(text=mrkdwn("")))))

    assert check_view(modal(*words, section(text=mrkdwn("a" * room)))) is None
    assert check_view(modal(*words, section(text=mrkdwn("a" * (room + 1))))) == (
        "view_too_large",
        [],
    )
