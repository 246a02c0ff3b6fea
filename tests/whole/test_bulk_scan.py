"""`/scan` of many domains: the price, the progress, a stop, a restart, a summary."""

from datetime import timedelta
from pathlib import Path

import pytest

from bot.playground.slack import Message
from bot.playground.tracker.service import Hold
from tests.whole.harness import Harness, running_bot, running_stand_ins
from tests.whole.test_audiences import MANAGERS, NO_GUESTS, choose

pytestmark = pytest.mark.transports("socket")


def scans_of(app: Harness) -> list[str]:
    """Return the path of each scan that the service was asked for."""
    return [sent.path for sent in app.tracker.requests if sent.path.endswith("/scan")]


async def message_with(app: Harness, *words: str) -> Message:
    """Return the next direct message to Bob, or edit of one, that holds all the words."""
    return await app.bob.next_message(
        "dm", where=lambda each: all(word in each.everything for word in words)
    )


async def begun(app: Harness) -> Hold:
    """Let Bob start a bulk scan of two domains; return what holds its first scan."""
    held = app.tracker.hold_scans()
    await app.press(app.bob, await app.ask(app.bob, "/scan above:0"), "Start")
    await held.waiting(1)
    return held


@pytest.mark.transports("shared")
async def test_a_bulk_scan_names_its_price_and_ends_with_a_summary(ready: Harness) -> None:
    price = await ready.ask(ready.bob, "/scan shop.example www.example shpo.example")
    assert scans_of(ready) == []
    started = await ready.press(ready.bob, price, "Start")
    summary = await message_with(ready, "2 domains scanned")

    assert "*Scan 2 domains?* About 2 minutes" in price.everything
    assert "requests left this hour" in price.everything
    assert "`shpo.example` is not in your portfolio. Did you mean *shop" in price.everything
    assert "direct messages" in started.everything
    assert "All domains" in summary.buttons
    assert ready.service_requests() == [
        ("GET", "domain-tracker"),
        ("POST", "scan"),
        ("POST", "scan"),
        ("GET", "domain-tracker"),
    ]


async def test_the_rest_of_very_many_names_is_scanned_too(ready: Harness) -> None:
    for number in range(60):
        ready.account.add(f"{'long-name-' * 4}{number}.example", health=50)
    held = await begun(ready)
    await ready.bob.press(await message_with(ready, "Now:"), "Stop")
    await message_with(ready, "Stopping")
    held.release()
    summary = await message_with(ready, "Stopped: 1 of")
    await ready.bob.press(summary, "Scan the rest")

    price = await message_with(ready, "*Scan 61 domains?*")
    await ready.bob.press(price, "Start")

    await message_with(ready, "61 domains scanned")
    assert len(scans_of(ready)) == 62
    await ready.bob.press(summary, "Scan the rest")  # which another bulk scan did
    await message_with(ready, "This bulk scan is over")


async def test_a_second_person_reads_of_the_running_bulk_scan(ready: Harness) -> None:
    held = await begun(ready)
    second = await ready.ask(ready.ada, "/scan tag:prod")
    again = await ready.ask(ready.bob, "/scan tag:prod")
    answer = await ready.press(ready.bob, again, "Stop")
    stopping = await message_with(ready, "Stopping")
    held.release()
    summary = await message_with(ready, "Stopped: 1 of 2 domains scanned")
    await ready.bob.press(summary, "Scan the rest")
    await message_with(ready, "Scan of ")

    assert f"<@{ready.bob.id}> has a bulk scan under way: 0 of 2 domains" in second.everything
    assert "You have a bulk scan under way: 0 of 2 domains" in again.everything
    assert "The bulk scan ends after the current domain." in answer.everything
    assert stopping.buttons == []
    assert len(scans_of(ready)) == len(set(scans_of(ready))) == 2


async def test_several_domains_are_picked_in_the_form(ready: Harness) -> None:
    nothing = await ready.ask(ready.bob, "/scan tag:prdo")
    no_dates = await ready.ask(ready.bob, "/scan expires:30")
    await ready.bob.type("/scan")
    form = await ready.bob.next_form()
    await ready.bob.submit(form, {"Domain": ["shop.example", "www.example"]})
    price = await ready.answer(ready.bob)

    assert "No domain has the tag `prdo`" in nothing.everything
    assert no_dates.buttons[0] == "Scan all 3"
    assert "*Scan 2 domains?* About 2 minutes" in price.everything
    assert price.buttons == ["Start", "Cancel"]
    assert scans_of(ready) == []


async def test_a_price_of_deleted_domains_starts_nothing(ready: Harness) -> None:
    by_filter = await ready.ask(ready.bob, "/scan tag:prod")
    names = await ready.ask(ready.bob, "/scan shop.example www.example")
    ready.account.domains.clear()
    ready.clock.ahead += timedelta(minutes=10)

    nothing = await ready.press(ready.bob, by_filter, "Start")
    gone = await ready.press(ready.bob, names, "Start")

    assert "has no domains yet" in nothing.everything
    assert "`shop.example` is not in your portfolio" in gone.everything


async def test_a_person_without_permission_starts_no_bulk_scan(ready: Harness) -> None:
    price = await ready.ask(ready.slack.person("gus"), "/scan tag:prod")
    await choose(ready, scan=NO_GUESTS)

    refused = await ready.press(ready.slack.person("gus"), price, "Start")

    assert "Guests can't scan domains" in refused.everything
    assert scans_of(ready) == []


async def test_a_person_without_permission_can_still_stop(ready: Harness) -> None:
    held = await begun(ready)
    await choose(ready, scan=MANAGERS)

    await ready.bob.press(await message_with(ready, "Now:"), "Stop")
    await message_with(ready, "Stopping")
    held.release()
    summary = await message_with(ready, "Stopped: 1 of 2 domains scanned")
    await ready.bob.press(summary, "Scan the rest")
    await message_with(ready, "managers can scan domains")

    assert len(scans_of(ready)) == 1


async def test_an_admin_stops_it_and_a_lost_summary_is_sent_once(ready: Harness) -> None:
    held = await begun(ready)
    for_a_member = await ready.ask(ready.slack.person("cy"), "/scan above:0")
    for_ada = await ready.ask(ready.ada, "/scan above:0")
    stopped = await ready.press(ready.ada, for_ada, "Stop")
    await message_with(ready, f"as <@{ready.ada.id}> asked")
    ready.slack.fail_next("chat.postMessage", kind="drop", after_acting=True)
    held.release()
    sent = await message_with(ready, "Stopped: 1 of 2 domains scanned")
    edited = await message_with(ready, "Stopped: 1 of 2 domains scanned")

    assert (for_a_member.buttons, for_ada.buttons) == ([], ["Stop"])
    assert "The bulk scan ends after the current domain." in stopped.everything
    assert f"<@{ready.ada.id}> stopped it" in sent.everything
    assert (edited.ts, edited.buttons) != (sent.ts, [])
    posted = [each for each in ready.bob.messages("dm") if "Stopped: 1 of" in each.everything]
    assert len(posted) == 2  # the edited one was the progress


@pytest.mark.transports("shared")
async def test_a_restart_goes_on_with_a_bulk_scan(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        for number in range(4):
            app.account.add(f"n{number}.example", health=number, tags=("prod",))
        async with running_bot(app, finish_within_s=0.5):
            await app.connect()
            price = await app.ask(app.bob, "/scan tag:prod")
            app.tracker.requests.clear()
            held = app.tracker.hold_scans()
            await app.press(app.bob, price, "Start")
            await held.waiting(1)
        held.release()
        app.clock.ahead += timedelta(minutes=2)
        async with running_bot(app):
            summary = await message_with(app, "3 of 4 domains scanned, 1 failed")

        assert "result is unknown" in summary.everything
        assert len(scans_of(app)) == len(set(scans_of(app))) == 4
