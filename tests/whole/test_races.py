"""Things that happen at the same time, and stores and keys that change half-way."""

import asyncio
from pathlib import Path

import pytest

from bot.app import serve
from tests.whole.harness import Harness, lose_store, running_stand_ins, until_ready

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


async def test_a_domain_added_by_three_at_once_is_written_once(ready: Harness) -> None:
    people = [ready.slack.person(name) for name in ("ada", "bob", "cy")]

    answers = await asyncio.gather(
        *(ready.ask(person, "/adddomain blog.example") for person in people)
    )

    assert all("blog.example" in answer.everything for answer in answers)
    assert [method for method, _ in ready.service_requests()].count("POST") == 1


@pytest.mark.transports("shared")
async def test_a_scan_whose_result_cannot_be_kept_is_shown_all_the_same(ready: Harness) -> None:
    hold = ready.tracker.hold_scans()
    await ready.bob.type("/scan shop.example")
    await hold.waiting(1)
    await lose_store(ready)
    hold.release()

    assert "Scan of shop.example" in (await ready.answer(ready.bob)).everything


@pytest.mark.transports("shared")
async def test_a_key_removed_while_a_domain_is_added_does_not_hide_that_it_was(
    ready: Harness,
) -> None:
    await ready.ask(ready.bob, "/domains")
    state = await ready.ask(ready.ada, "/domainkey")
    hold = ready.tracker.hold_requests()
    await ready.bob.type("/adddomain blog.example")
    await hold.waiting()
    await ready.press(ready.ada, state, "Remove key")
    hold.release()

    answer = await ready.answer(ready.bob)

    assert "Added *blog.example*" in answer.everything


async def test_checking_a_key_that_somebody_removed_keeps_no_command(ready: Harness) -> None:
    state = await ready.ask(ready.ada, "/domainkey")
    await ready.press(ready.ada, await ready.ask(ready.ada, "/domainkey"), "Remove key")

    answer = await ready.press(ready.ada, state, "Check key")

    assert "not connected" in answer.everything
    assert "kept your command" not in answer.everything


@pytest.mark.transports("socket", "shared")
async def test_a_stop_that_cannot_wait_tells_whoever_waits(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        stop = asyncio.Event()
        bot = asyncio.create_task(serve(app.settings, stop, clock=app.clock, finish_within_s=0.1))
        await until_ready(app, bot)
        app.account.add("shop.example", health=41)
        await app.connect()
        hold = app.tracker.hold_scans()
        await app.bob.type("/scan shop.example")
        await hold.waiting(1)

        stop.set()
        text = await app.answer(app.bob)
        await bot

        assert "The app is restarting" in text.everything
        assert text.buttons == ["Try again"]
        hold.release()
