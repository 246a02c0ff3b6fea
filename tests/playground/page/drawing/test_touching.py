"""What somebody does with what is drawn reaches the hands."""

from typing import Any

import pytest
from nicegui.elements.input import Input

from tests.playground.blockkit import samples
from tests.playground.blockkit.samples import button, confirm, form_field, option
from tests.playground.page.drawing.people import Recorder
from tests.playground.page.drawing.stage import Stage, act, elements, everything, of

pytestmark = pytest.mark.anyio
TYPED = {"type": "plain_text_input", "action_id": "typed"}


async def test_a_pressed_button_is_handed_on(stage: Stage) -> None:
    hands = Recorder()

    user = await stage.blocks(hands, samples.actions(button(), block_id="b1"))
    await act(user, of(user, "data-action-id", "scan")[0], "click")

    assert hands.pressed == [("b1", "scan")]


@pytest.mark.parametrize(("answer", "pressed"), [("Yes", [("b1", "scan")]), ("No", [])])
async def test_a_button_with_a_question_asks_first(
    stage: Stage, answer: str, pressed: list[Any]
) -> None:
    hands = Recorder()

    user = await stage.blocks(hands, samples.actions(button(confirm=confirm()), block_id="b1"))
    await act(user, of(user, "data-action-id", "scan")[0], "click")
    assert hands.pressed == []
    await act(user, of(user, "innerHTML", answer)[0], "click")

    assert hands.pressed == pressed


async def test_a_title_of_a_table_can_be_pressed(stage: Stage) -> None:
    user = await stage.blocks(Recorder(), samples.data_table(rows=2, columns=1))
    table = next(e for e in elements(user) if "<table" in str(e.props.get("innerHTML")))
    await act(user, table, "click", "0")

    assert 'aria-sort="ascending"' in everything(user)


async def test_a_picked_option_is_chosen(stage: Stage) -> None:
    hands = Recorder()
    menu = {"type": "static_select", "action_id": "m1", "options": samples.options(3)}

    user = await stage.blocks(hands, form_field(menu, block_id="b1"))
    select = of(user, "data-action-id", "m1")[0]
    await act(user, select, "update:modelValue", select.props["options"][2])

    state = {"type": "static_select", "selected_option": option("2")}
    assert hands.chosen == [("b1", "m1", state)]


async def test_an_external_menu_asks_from_its_least_length_on(stage: Stage) -> None:
    hands = Recorder(options=[option("x")])

    user = await stage.blocks(hands, form_field({"type": "external_select", "action_id": "m1"}))
    select = of(user, "data-action-id", "m1")[0]
    await act(user, select, "inputValue", "ab")
    await act(user, select, "inputValue", "abc")

    assert [line["label"] for line in select.props["options"]] == ["A"]
    assert hands.asked == ["abc"]


async def test_a_refused_question_leaves_a_menu_as_it_was(stage: Stage) -> None:
    hands = Recorder()
    menu = {"type": "static_select", "action_id": "m1", "options": samples.options(3)}
    block = samples.actions({**menu, "confirm": confirm(), "initial_option": option("0")})

    user = await stage.blocks(hands, block)
    select = of(user, "data-action-id", "m1")[0]
    await act(user, select, "update:modelValue", select.props["options"][2])
    await act(user, of(user, "innerHTML", "No")[0], "click")

    assert select.props["model-value"]["value"] == "0"
    assert hands.chosen == []


async def test_ticked_boxes_are_chosen_in_the_order_of_the_form(stage: Stage) -> None:
    hands = Recorder()
    boxes = {"type": "checkboxes", "action_id": "c1", "options": [option("a"), option("b")]}
    block = form_field({**boxes, "initial_options": [option("b")]}, block_id="b1")

    user = await stage.blocks(hands, block)
    await act(user, of(user, "type", "checkbox")[0], "change", True)

    state = {"type": "checkboxes", "selected_options": [option("a"), option("b")]}
    assert hands.chosen == [("b1", "c1", state)]


async def test_half_a_date_is_not_chosen(stage: Stage) -> None:
    hands = Recorder()

    user = await stage.blocks(hands, form_field({"type": "datepicker", "action_id": "d1"}))
    field = of(user, "data-action-id", "d1")[0]
    for typed in ("2031-02", "2031-02-03", ""):
        await act(user, field, "update:modelValue", typed)

    assert [state["selected_date"] for _, _, state in hands.chosen] == ["2031-02-03", None]


async def test_what_was_typed_is_there_again_and_the_error_stands_under_it(stage: Stage) -> None:
    values = {("b1", "typed"): {"type": "plain_text_input", "value": "half"}}
    block = form_field(TYPED, block_id="b1", optional=True)

    user = await stage.blocks(Recorder(), block, errors={"b1": "<i>wrong"}, values=values)
    field = of(user, "data-action-id", "typed")[0]

    assert isinstance(field, Input)
    assert field.value == "half"
    assert field.props["error"] is True
    assert "&lt;i&gt;wrong" in everything(user)
    assert "(optional)" in everything(user)


async def test_a_container_is_folded_when_its_block_says_so(stage: Stage) -> None:
    open_one = samples.container(samples.section(), is_collapsible=True)
    folded = samples.container(samples.section(), is_collapsible=True, default_collapsed=True)

    user = await stage.blocks(Recorder(), open_one, folded)

    heads = of(user, "aria-expanded")
    assert [head.props["aria-expanded"] for head in heads] == ["true", "false"]


LOUD = {"dispatch_action": True}


async def test_typed_text_is_noted_and_handed_on_with_enter(stage: Stage) -> None:
    hands = Recorder()

    user = await stage.blocks(hands, form_field(TYPED, block_id="b1", **LOUD))
    field = of(user, "data-action-id", "typed")[0]
    await act(user, field, "update:value", "words")
    before_enter = list(hands.chosen)
    await act(user, field, "keydown.enter")

    state = {"type": "plain_text_input", "value": "words"}
    assert (before_enter, hands.noted) == ([], [("b1", "typed", state)])
    assert hands.chosen == [("b1", "typed", state)]
