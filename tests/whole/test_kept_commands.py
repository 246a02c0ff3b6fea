"""What is typed before there is a key is kept for a quarter of an hour, and then run."""

from pathlib import Path

import pytest

from tests.whole.harness import Harness, running_bot, running_stand_ins

pytestmark = pytest.mark.transports("socket")


@pytest.mark.transports("shared")
async def test_a_kept_command_is_answered_once_there_is_a_key(app: Harness) -> None:
    app.account.add("shop.example", health=41)
    waiting = await app.ask(app.bob, "/scan shop.example")
    assert "ask a workspace admin or owner" in waiting.everything
    assert "kept your command" in waiting.everything

    await app.connect()

    assert "Scan of shop.example" in (await app.answer(app.bob)).everything


@pytest.mark.transports("http")
async def test_kept_commands_run_in_the_order_of_typing(app: Harness) -> None:
    lines = ("/adddomain shop.example", "/scan shop.example", "/domains", "/domains tag:x")
    for line in lines:
        await app.ask(app.bob, line)
    app.tracker.latency_s = app.tracker.scan_latency_s = 0.2

    await app.connect()

    said = [(await app.answer(app.bob)).text for _ in lines]
    assert "Added " in said[0]
    assert "Scan of shop.example" in said[1]
    assert said[2].startswith("1 domain,")
    assert said[3].startswith("None of your")


async def test_a_kept_command_survives_a_restart(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        async with running_bot(app):
            await app.ask(app.bob, "/domains")
        async with running_bot(app):
            await app.connect()

            assert "no domains" in (await app.answer(app.bob)).everything
