"""Things that happen at the same time, and stores and keys that change half-way."""

import asyncio
from pathlib import Path

import pytest

from bot.app import serve
from tests.whole.town import PATIENT, Town, lose_store, running_stand_ins, until_ready

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


async def test_a_domain_added_by_three_at_once_is_written_once(shop: Town) -> None:
    people = [shop.slack.person(name) for name in ("ada", "bob", "cy")]

    answers = await asyncio.gather(
        *(shop.ask(person, "/adddomain blog.example") for person in people)
    )

    assert all("blog.example" in answer.everything for answer in answers)
    assert [method for method, _ in shop.service_requests()].count("POST") == 1


@pytest.mark.modes("shared")
async def test_a_key_replaced_while_a_list_is_under_way_serves_that_list(shop: Town) -> None:
    old = shop.key
    new = shop.acme.create_key("new", scopes=("read_domains",), days=30)
    shop.tracker.latency_s = 0.4
    await shop.bob.type("/domains")
    await shop.submit_key(new)
    shop.acme.revoke_key(old)

    answer = await shop.answer(shop.bob)

    assert "3 domains" in answer.everything
    assert [c.method for c in shop.slack.calls].count("conversations.open") == 0


@pytest.mark.modes("shared")
async def test_a_scan_whose_result_cannot_be_kept_is_shown_all_the_same(shop: Town) -> None:
    hold = shop.tracker.hold_scans()
    await shop.bob.type("/scan shop.example")
    await hold.waiting(1)
    await lose_store(shop)
    hold.release()

    assert "Scan of shop.example" in (await shop.answer(shop.bob)).everything


@pytest.mark.modes("shared")
async def test_a_key_removed_while_a_domain_is_added_does_not_hide_that_it_was(
    shop: Town,
) -> None:
    await shop.ask(shop.bob, "/domains")
    state = await shop.ask(shop.ada, "/domainkey")
    hold = shop.tracker.hold_requests()
    await shop.bob.type("/adddomain blog.example")
    await hold.waiting()
    await shop.press(shop.ada, state, "Remove key")
    hold.release()

    answer = await shop.answer(shop.bob)

    assert "Added `blog.example`" in answer.everything


async def test_checking_a_key_that_somebody_removed_keeps_no_command(shop: Town) -> None:
    state = await shop.ask(shop.ada, "/domainkey")
    await shop.press(shop.ada, await shop.ask(shop.ada, "/domainkey"), "Remove key")

    answer = await shop.press(shop.ada, state, "Check key")

    assert "not connected" in answer.everything
    assert "kept your command" not in answer.everything


async def test_an_envelope_that_slack_sends_twice_acts_once(tmp_path: Path) -> None:
    async with running_stand_ins(tmp_path, "socket") as town:
        stop = asyncio.Event()
        bot = asyncio.create_task(serve(town.settings, stop, clock=town.clock, pace=PATIENT))
        await until_ready(town, bot)
        await town.ask(town.bob, "/domains help")

        await town.slack.outbox.carrier.carry(town.slack.envelopes[-1])
        await town.ask(town.bob, "/scan help")

        assert len(town.bob.messages()) == 2
        stop.set()
        await bot


@pytest.mark.modes("socket", "shared")
async def test_a_stop_that_cannot_wait_tells_whoever_waits(tmp_path: Path, mode: str) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        stop = asyncio.Event()
        bot = asyncio.create_task(
            serve(town.settings, stop, clock=town.clock, pace=PATIENT, finish_within_s=0.1)
        )
        await until_ready(town, bot)
        town.acme.add("shop.example", health=41)
        await town.connect()
        hold = town.tracker.hold_scans()
        await town.bob.type("/scan shop.example")
        await hold.waiting(1)

        stop.set()
        told = await town.answer(town.bob)
        await bot

        assert "is restarting" in told.everything
        assert told.buttons == ["Try again"]
        hold.release()
