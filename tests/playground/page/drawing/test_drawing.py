"""Whole messages and forms are drawn, and nothing of them breaks the rest."""

from pathlib import Path
from typing import Any

import pytest

from bot.playground.blockkit import Problem
from bot.playground.page.drawing import STYLE, draw_problem, draw_text
from tests.playground.blockkit import samples
from tests.playground.blockkit.samples import button, form_field, option, plain
from tests.playground.page.drawing.people import Berlin, Recorder
from tests.playground.page.drawing.stage import Stage, everything, of
from tests.whole.town import running_town

pytestmark = pytest.mark.anyio
Json = Any
ELEMENTS: list[Json] = [
    *({"type": f"{kind}_select"} for kind in ("users", "channels", "conversations", "external")),
    *({"type": f"multi_{kind}_select"} for kind in ("users", "channels", "conversations")),
    {"type": "multi_external_select", "min_query_length": 0},
    {"type": "static_select", "options": samples.options(100)},
    {
        "type": "static_select",
        "option_groups": [{"label": plain(), "options": samples.options(2)}],
    },
    {"type": "multi_static_select", "options": samples.options(3), "max_selected_items": 2},
    {"type": "checkboxes", "options": [option(description=plain())], "initial_options": []},
    {"type": "radio_buttons", "options": samples.options(2), "initial_option": option("1")},
    {"type": "datepicker", "initial_date": "2031-02-03"},
    {"type": "timepicker", "initial_time": "09:30", "timezone": "Europe/Berlin"},
    {"type": "datetimepicker", "initial_date_time": 1801656000},
    {"type": "plain_text_input", "multiline": True, "max_length": 10},
    {"type": "number_input", "is_decimal_allowed": True, "min_value": "1"},
    {"type": "email_text_input"},
    {"type": "url_text_input"},
    {"type": "rich_text_input", "initial_value": samples.rich_text()},
    {"type": "file_input"},
]


@pytest.mark.parametrize("block", samples.EVERY_MESSAGE_BLOCK, ids=lambda block: block["type"])
async def test_every_block_of_a_message_is_drawn(stage: Stage, block: Json) -> None:
    user = await stage.blocks(Recorder(), {**block, "block_id": "b1"})
    assert of(user, "data-block-id", "b1")
    assert "Slack would refuse" not in everything(user)


@pytest.mark.parametrize(
    "block",
    [
        {"type": "alert", "text": samples.mrkdwn(), "level": "error"},
        {"type": "video", "title": plain(), "video_url": "https://a.example", "alt_text": "A"},
        *(samples.chart({**samples.line_chart(), "type": kind}) for kind in ("bar", "area")),
        samples.chart(samples.pie_chart()),
    ],
    ids=["alert", "video", "bar", "area", "pie"],
)
async def test_the_other_blocks_are_drawn(stage: Stage, block: Json) -> None:
    user = await stage.blocks(Recorder(), block)
    assert "Slack would refuse" not in everything(user)


@pytest.mark.parametrize("element", ELEMENTS, ids=lambda element: element["type"])
async def test_every_element_is_drawn_in_a_form_and_beside_a_text(
    stage: Stage, element: Json
) -> None:
    element = {**element, "action_id": "a1"}
    blocks = [form_field(element, hint=plain()), samples.section(accessory=element)]

    user = await stage.blocks(Recorder(), *blocks)
    assert len(of(user, "data-action-id", "a1")) == 2
    assert "Slack would refuse" not in everything(user)


async def test_everything_that_the_bot_sends_is_drawn(stage: Stage, tmp_path: Path) -> None:
    lines = ["/domains", "/domains x:y", "/domains help", "/scan shop.example", "/scan shop"]
    lines += ["/adddomain new.example", "/domainkey"]
    async with running_town(tmp_path, "socket") as town:
        town.acme.add("shop.example", health=41)
        sent = [(await town.ask(town.ada, line)).blocks for line in lines[-1:]]
        await town.connect()
        sent += [(await town.ask(town.ada, line)).blocks for line in lines]
        await town.bob.type("/adddomain")
        sent.append((await town.bob.next_form()).blocks)

    user = await stage.blocks(Recorder(), *(block for blocks in sent for block in blocks))
    assert "Slack would refuse" not in everything(user)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "bogus"}, "unsupported type: bogus"),
        ({}, "unsupported type: None"),
        ({"type": "header"}, "missing required field: text"),
        ({"type": "section", "text": "no object"}, "must be of the shape"),
        (samples.actions({"type": "bogus"}), "unsupported type: bogus"),
        (samples.container({"type": "bogus"}), "/blocks/1/child_blocks/0"),
    ],
)
async def test_a_block_that_is_none_is_shown_as_an_error_beside_the_others(
    stage: Stage, block: Json, words: str
) -> None:
    user = await stage.blocks(Recorder(), samples.section(), block)
    assert words in everything(user)
    assert "<b>Words</b>" in everything(user)


async def test_a_refused_message_shows_each_problem_with_its_place(stage: Stage) -> None:
    problem = Problem("too_long", "<b> is too long", "/blocks/0/text")

    user = await stage.show(lambda: draw_problem([problem]))
    assert "&lt;b&gt; is too long" in everything(user)
    assert "[json-pointer:/blocks/0/text]" in everything(user)


async def test_a_message_without_blocks_is_mrkdwn(stage: Stage) -> None:
    user = await stage.show(lambda: draw_text("*hi* <script>", names=Berlin()))
    assert "<b>hi</b> &lt;script&gt;" in everything(user)


async def test_nothing_half_drawn_is_left_of_a_broken_block(stage: Stage) -> None:
    user = await stage.blocks(Recorder(), samples.actions(button(), {"type": "bogus"}))

    assert not of(user, "data-action-id", "scan")


def test_the_style_loads_nothing() -> None:
    assert "http" not in STYLE.replace("http://www.w3.org/2000/svg", "")
    assert "@import" not in STYLE
    assert "body.body--dark" in STYLE
