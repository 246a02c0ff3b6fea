"""Whole messages and forms are drawn, and nothing of them breaks the rest."""

from pathlib import Path
from typing import Any

import pytest

from bot.playground.page.drawing import STYLE
from tests.playground.blockkit import samples
from tests.playground.blockkit.samples import button, form_field, mrkdwn, plain
from tests.playground.page.drawing.people import Recorder
from tests.playground.page.drawing.stage import Stage, everything, of
from tests.whole.harness import running_harness

pytestmark = pytest.mark.anyio
Json = Any
# One of each block and element that the bot sends, as rich as it may be.
BLOCKS: list[Json] = [
    samples.section(accessory=button(confirm=samples.confirm()), fields=[plain(), mrkdwn()]),
    {"type": "header", "text": plain(), "level": 3},
    {"type": "divider"},
    {"type": "context", "elements": [mrkdwn(), plain()]},
    samples.actions(button(), {"type": "static_select", "options": samples.options(3)}),
    samples.data_table(rows=3, page_size=10, row_header_column_index=1),
    samples.chart(),
    samples.container(samples.section(), is_collapsible=True, default_collapsed=True),
]


async def test_every_block_that_the_bot_sends_is_drawn(stage: Stage) -> None:
    blocks = [{**block, "block_id": f"b{place}"} for place, block in enumerate(BLOCKS)]

    user = await stage.blocks(Recorder(), *blocks)

    for block in blocks:
        assert of(user, "data-block-id", block["block_id"]), block["type"]
    assert [each.props["aria-level"] for each in of(user, "role", "heading")] == ["3"]
    assert not of(user, "tag", "pre")


async def test_every_element_is_drawn_in_a_form_and_beside_a_text(stage: Stage) -> None:
    elements = [
        {**element, "action_id": f"a{place}"} for place, element in enumerate(samples.EVERY_FIELD)
    ]
    fields = [form_field(element, hint=plain()) for element in elements]

    user = await stage.blocks(
        Recorder(), *fields, *(samples.section(accessory=element) for element in elements)
    )

    for element in elements:
        drawn = of(user, "data-action-id", element["action_id"])
        assert len(drawn) == 2, element["type"]
    assert not of(user, "tag", "pre")


async def test_everything_that_the_bot_sends_is_drawn(stage: Stage, tmp_path: Path) -> None:
    lines = ["/domains", "/domains x:y", "/domains help", "/scan shop.example", "/scan shop"]
    lines += ["/adddomain new.example", "/domainkey"]
    async with running_harness(tmp_path, "socket") as sandbox:
        sandbox.account.add("shop.example", health=41)
        sent = [(await sandbox.ask(sandbox.ada, line)).blocks for line in lines[-1:]]
        await sandbox.connect()
        sent += [(await sandbox.ask(sandbox.ada, line)).blocks for line in lines]
        await sandbox.bob.type("/adddomain")
        sent.append((await sandbox.bob.next_form()).blocks)

    user = await stage.blocks(Recorder(), *(block for blocks in sent for block in blocks))
    assert not of(user, "tag", "pre")


UNKNOWN = {
    "a block of another type": {"type": "bogus", "text": "<i>"},
    "a block without a type": {"text": "<i>"},
    "a chart of another type": samples.chart({"type": "pie", "segments": [{"label": "<i>"}]}),
    "a header without its text": {"type": "header", "<i>": 1},
    "a text that is none": {"type": "section", "text": "<i>"},
    "an element of another type": samples.actions({"type": "bogus", "text": "<i>"}),
    "a child of another type": samples.container({"type": "bogus", "text": "<i>"}),
}


async def test_what_cannot_be_drawn_is_shown_as_its_json_beside_the_others(stage: Stage) -> None:
    for name, block in UNKNOWN.items():
        user = await stage.blocks(Recorder(), samples.section(), block)

        assert "&lt;i&gt;" in everything(user), name
        assert "<i>" not in everything(user), name
        assert "<b>Words</b>" in everything(user), name


async def test_nothing_half_drawn_is_left_of_a_broken_block(stage: Stage) -> None:
    user = await stage.blocks(Recorder(), samples.actions(button(), {"type": "bogus"}))

    assert not of(user, "data-action-id", "scan")


def test_the_style_loads_nothing() -> None:
    assert "http" not in STYLE.replace("http://www.w3.org/2000/svg", "")
    assert "@import" not in STYLE
    assert "body.body--dark" in STYLE
