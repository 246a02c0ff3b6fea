"""What the bot sends is drawn."""

from pathlib import Path

import pytest

from tests.playground.blockkit import samples
from tests.playground.page.drawing.people import Nowhere
from tests.playground.page.drawing.stage import Stage, everything, of
from tests.whole.harness import running_harness

pytestmark = pytest.mark.anyio


async def test_every_block_and_every_field_that_the_bot_sends_is_drawn(stage: Stage) -> None:
    fields = [
        samples.form_field({**element, "action_id": f"a{place}"}, block_id=f"f{place}")
        for place, element in enumerate(samples.EVERY_FIELD)
    ]
    blocks = [
        {**block, "block_id": f"b{place}"}
        for place, block in enumerate(samples.EVERY_MESSAGE_BLOCK)
    ]

    user = await stage.blocks(Nowhere(), *blocks, *fields, errors={"f0": "<i>wrong"})

    for block in (*blocks, *fields):
        assert of(user, "data-block-id", block["block_id"]), block["type"]
    for field in fields:
        assert of(user, "data-action-id", field["element"]["action_id"]), field["element"]["type"]
    assert "&lt;i&gt;wrong" in everything(user)
    assert [head.props["aria-expanded"] for head in of(user, "aria-expanded")] == ["false"]


async def test_everything_that_the_bot_answers_is_drawn(stage: Stage, tmp_path: Path) -> None:
    lines = ["/domains", "/domains x:y", "/domains help", "/scan shop.example", "/scan shop"]
    lines += ["/adddomain new.example", "/domainkey"]
    async with running_harness(tmp_path, "socket") as sandbox:
        sandbox.account.add("shop.example", health=41)
        sent = [(await sandbox.ask(sandbox.ada, line)).blocks for line in lines[-1:]]
        await sandbox.connect()
        sent += [(await sandbox.ask(sandbox.ada, line)).blocks for line in lines]
        await sandbox.bob.type("/adddomain")
        sent.append((await sandbox.bob.next_form()).blocks)
    blocks = [block for each in sent for block in each]

    user = await stage.blocks(Nowhere(), *blocks)

    for block in blocks:
        assert of(user, "data-block-id", block["block_id"]), block["type"]
