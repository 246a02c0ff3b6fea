"""What is typed before there is a key is kept for a quarter of an hour, and then run."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.whole.town import Town, running_bot, running_stand_ins

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


@pytest.mark.modes("shared")
async def test_a_member_is_told_whom_to_ask_and_gets_the_answer_when_the_key_is_set(
    town: Town,
) -> None:
    town.acme.add("shop.example", health=41)
    waiting = await town.ask(town.bob, "/scan shop.example")
    assert "ask a workspace admin or owner" in waiting.everything
    assert "kept your command" in waiting.everything

    await town.connect()

    assert "Scan of shop.example" in (await town.answer(town.bob)).everything


@pytest.mark.modes("shared")
async def test_after_a_quarter_of_an_hour_nothing_is_run(town: Town) -> None:
    await town.ask(town.bob, "/domains")
    town.clock.ahead += timedelta(minutes=16)

    await town.connect()

    assert "3 domains" not in str([m.everything for m in town.bob.messages()])
    assert len(town.bob.messages()) == 1


async def test_admins_get_the_button_and_for_a_form_nothing_is_promised(town: Town) -> None:
    to_ada = await town.ask(town.ada, "/domains")
    to_bob = await town.ask(town.bob, "/scan")  # a form cannot open by itself later on

    assert "Set key" in to_ada.buttons
    assert "kept your command" not in to_bob.everything
    assert "ask a workspace admin" in to_bob.everything


@pytest.mark.modes("shared")
async def test_every_kept_command_is_answered(town: Town) -> None:
    town.acme.add("shop.example", health=41)
    await town.ask(town.bob, "/scan shop.example")
    await town.ask(town.bob, "/domains")

    await town.connect()

    answers = [(await town.answer(town.bob)).everything for _ in range(2)]
    assert any("Scan of shop.example" in answer for answer in answers)
    assert any("1 domain," in answer for answer in answers)


async def test_kept_commands_run_one_after_the_other_in_the_order_in_which_they_were_typed(
    town: Town,
) -> None:
    lines = ("/adddomain shop.example", "/scan shop.example", "/domains", "/domains tag:x")
    for line in lines:
        await town.ask(town.bob, line)
    town.tracker.latency_s = town.tracker.scan_latency_s = 0.2

    await town.connect()

    said = [(await town.answer(town.bob)).text for _ in lines]
    assert "Added " in said[0]
    assert "Scan of shop.example" in said[1]
    assert said[2].startswith("1 domain,")
    assert said[3].startswith("None of your")


@pytest.mark.modes("socket", "shared")
async def test_a_kept_command_survives_a_restart(tmp_path: Path, mode: str) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        async with running_bot(town):
            await town.ask(town.bob, "/domains")
        async with running_bot(town):
            await town.connect()

            assert "no domains" in (await town.answer(town.bob)).everything
