"""Things that happen at the same time, and stores and keys that change half-way."""

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bot.app import bolt as slack_app
from bot.app import main
from bot.dispatch import router
from bot.playground.slack import Person, View, views
from bot.playground.slack.delivery import Carrier, Delivery
from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import (
    Harness,
    lose_store,
    running_bot,
    running_stand_ins,
)

pytestmark = pytest.mark.transports("socket")


@pytest.mark.transports("http")
async def test_a_scan_whose_result_cannot_be_kept_is_shown_all_the_same(ready: Harness) -> None:
    hold = ready.tracker.hold_scans()
    await ready.bob.type("/scan shop.example")
    await hold.waiting(1)
    await lose_store(ready)
    hold.release()

    assert "Scan of shop.example" in (await ready.answer(ready.bob)).everything


@pytest.mark.transports("http")
async def test_a_removed_key_does_not_hide_an_added_domain(ready: Harness) -> None:
    await ready.ask(ready.bob, "/domains")
    state = await ready.ask(ready.ada, "/domainkey")
    hold = ready.tracker.hold_requests()
    await ready.bob.type("/adddomain blog.example")
    await hold.waiting()
    await ready.press(ready.ada, state, "Remove key")
    hold.release()

    answer = await ready.answer(ready.bob)

    assert "Added *blog.example*" in answer.everything


@dataclass
class LateAcks:
    """Holds the acks of forms up on their way, until `may_come`."""

    carrier: Carrier
    may_come: asyncio.Event = field(default_factory=asyncio.Event)

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        answer = await self.carrier.carry(delivery)
        if delivery.payload.get("type") == "view_submission":
            await self.may_come.wait()
        return answer


async def form_saying(app: Harness, person: Person, words: str) -> View:
    def look() -> View | None:
        return form if (form := person.form) and words in form.everything else None

    return await app.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)


async def key_form(app: Harness) -> View:
    await app.ada.press(await app.ask(app.ada, "/domainkey"), "Set key")
    return await app.ada.next_form()


@pytest.mark.transports("socket", "http")
async def test_a_result_stays_though_the_ack_of_its_form_comes_after_it(app: Harness) -> None:
    form, key = await key_form(app), app.account.create_key("bot", scopes=("read_domains",))
    acks = app.slack.outbox.carrier = LateAcks(app.slack.outbox.carrier)
    submitting = asyncio.create_task(app.ada.submit(form, {"API key": key}))
    await form_saying(app, app.ada, "works and is saved")
    acks.may_come.set()
    await submitting

    assert app.ada.form
    assert "⏳" in app.ada.form.everything
    await form_saying(app, app.ada, "works and is saved")


async def test_what_is_pressed_in_a_result_is_not_drawn_over(ready: Harness) -> None:
    new = ready.account.create_key("new", scopes=("read_domains",))
    await ready.ada.press(await ready.ask(ready.ada, "/domainkey"), "Replace key")
    await ready.ada.submit(await form_saying(ready, ready.ada, "Step 1"), {"API key": new})
    await ready.ada.press(await form_saying(ready, ready.ada, "Step 2"), "No longer used")
    last = await form_saying(ready, ready.ada, "Step 3")
    await asyncio.sleep(2 * router.DRAWN_AGAIN_AFTER_S)

    assert ready.ada.form
    assert ready.ada.form.everything == last.everything


class TestAFormThatIsSentTwice:
    async def test_it_sets_a_key_once(self, ready: Harness) -> None:
        new = ready.account.create_key("new", scopes=("read_domains",))
        await ready.ada.press(await ready.ask(ready.ada, "/domainkey"), "Replace key")
        first = await form_saying(ready, ready.ada, "Step 1")
        await ready.ada.submit(first, {"API key": new})
        second = await form_saying(ready, ready.ada, "Step 2")
        again = await self.sent_again(ready, ready.ada)

        assert again.body["view"]["title"]["text"] == second.title
        assert (await form_saying(ready, ready.ada, "Step 2")).everything == second.everything
        await ready.ada.press(await ready.ask(ready.ada, "/domainkey"), "History")
        history = await form_saying(ready, ready.ada, "set the key")
        assert history.everything.count("replaced the key") == 1

    async def sent_again(self, app: Harness, person: Person) -> Delivery:
        """Send the last form once more, as Slack does whose ack was lost."""
        sent = [each for each in app.slack.envelopes if "view" in each.payload]
        last = next(each for each in reversed(sent) if each.payload["type"] == "view_submission")
        again = await app.slack.outbox.deliver("interactive", last.payload)
        live = app.slack.world.stacks.of(person.id)[-1]
        views.follow(app.slack.world.stacks, live, again)
        return again


async def test_a_stop_acknowledges_what_has_come(
    tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dispatch = slack_app.TimedApp.async_dispatch

    async def slowly(bolt: slack_app.TimedApp, request: Any) -> Any:
        await asyncio.sleep(0.2)
        return await dispatch(bolt, request)

    monkeypatch.setattr(slack_app.TimedApp, "async_dispatch", slowly)
    async with running_stand_ins(tmp_path, transport) as app:
        async with running_bot(app):
            await app.slack.connected()
            typing = asyncio.create_task(app.bob.type("/domains help"))
            await asyncio.sleep(0.1)

        assert (await typing).problem is None


@pytest.mark.transports("http")
async def test_what_comes_while_the_server_closes_is_answered(
    tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish, typed = main._finish, list[Delivery]()

    async def finish_before_a_command(*args: Any) -> None:
        await finish(*args)
        if not typed:
            typed.append(await app.bob.type("/domains"))

    async with running_stand_ins(tmp_path, transport) as app:
        app.account.add("shop.example", health=41)
        async with running_bot(app):
            await app.connect()
            app.tracker.latency_s = 1.0
            monkeypatch.setattr(main, "_finish", finish_before_a_command)

        assert "shop.example" in (await app.answer(app.bob)).everything
