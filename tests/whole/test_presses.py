"""A press that fails costs nobody the message that they pressed in."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.whole.town import PATIENT, Town, running_town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("shared")]


async def test_a_share_that_fails_leaves_the_list_where_it_is(shop: Town) -> None:
    listed = await shop.ask(shop.bob, "/domains")
    shop.clock.ahead += shop.clock.ahead.resolution * 61_000_000
    shop.tracker.fail_next("500", times=9)

    failure = await shop.press(shop.bob, listed, "Share")

    assert "Reference" in failure.everything
    assert next(message.everything for message in shop.bob.messages()) == listed.everything
    shop.tracker.faults.clear()
    await shop.bob.press(listed, "Share")
    assert "Shared by" in (await shop.slack.person("cy").next_message()).everything


async def test_a_form_that_came_too_late_leaves_its_button_to_press_again(town: Town) -> None:
    state = await town.ask(town.ada, "/domainkey")
    town.slack.fail_next("views.open", error="expired_trigger_id")

    await town.press(town.ada, state, "Set key")
    await town.ada.press(state, "Set key")

    assert "API key" in (await town.ada.next_form()).everything


@pytest.mark.modes("socket")
async def test_a_slow_share_does_not_take_the_lists_place(tmp_path: Path, mode: str) -> None:
    pace = replace(PATIENT, first_word_after_s=0.05)
    async with running_town(tmp_path, mode, pace) as town:
        town.acme.add("shop.example", health=41)
        await town.connect()
        listed = await town.ask(town.bob, "/domains")
        town.clock.ahead += town.clock.ahead.resolution * 61_000_000
        town.tracker.latency_s = 0.3

        await town.bob.press(listed, "Share")
        await town.slack.person("cy").next_message()

        assert [m.everything for m in town.bob.messages() if m.is_ephemeral] == [listed.everything]


@pytest.mark.modes("socket")
async def test_a_key_that_is_checked_slowly_leaves_nothing_behind_in_the_channel(
    tmp_path: Path, mode: str
) -> None:
    pace = replace(PATIENT, first_word_after_s=0.05)
    async with running_town(tmp_path, mode, pace) as town:
        town.tracker.latency_s = 0.3
        await town.connect()

        assert "⏳" not in str([message.everything for message in town.ada.messages()])


@pytest.mark.modes("socket")
async def test_an_expiration_in_the_past_is_not_saved(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_domains",), days=30)

    form = await town.submit_key(key, **{"Expiration": "A date…", "Expiration date": "2001-01-01"})

    assert "has passed" in form.everything
    assert "Not saved" in form.everything


@pytest.mark.modes("socket")
async def test_a_page_that_cannot_be_turned_any_more_is_told_where_one_looks(shop: Town) -> None:
    shop.acme.scan_results["shop.example"] = {"dns": {f"name{n}": n for n in range(100)}}
    scan = await shop.ask(shop.bob, "/scan shop.example")
    await shop.bob.press(scan, "Show all")
    form = await shop.bob.next_form()
    shop.slack.fail_next("views.update", error="not_found")

    await shop.bob.press(form, "Next page")

    assert "Slack refused this request" in (await shop.answer(shop.bob)).everything


async def test_an_answer_comes_below_what_was_pressed_and_leaves_no_please_wait(
    shop: Town,
) -> None:
    scan = await shop.ask(shop.bob, "/scan shop.example")

    for count, label in enumerate(("Scan again", "All domains"), 2):
        await shop.press(shop.bob, scan, label)

        shown = [message.everything for message in shop.bob.messages()]
        assert len(shown) == count, label
        assert shown[0] == scan.everything
        assert "⏳" not in str(shown)


async def test_a_domain_picked_in_a_form_that_a_button_opened_leaves_the_list(shop: Town) -> None:
    listed = await shop.ask(shop.bob, "/domains")
    await shop.bob.press(listed, "Scan")
    await shop.bob.submit(await shop.bob.next_form(), {"Domain": "shop.example"})

    await shop.answer(shop.bob)

    shown = [message.everything for message in shop.bob.messages()]
    assert shown[0] == listed.everything
    assert "⏳" not in str(shown)


@pytest.mark.modes("socket")
async def test_share_pressed_twice_shares_once(shop: Town) -> None:
    listed = await shop.ask(shop.bob, "/domains")

    await shop.bob.press(listed, "Share")
    await shop.slack.person("cy").next_message()
    await shop.bob.press(listed, "Share")

    await shop.bob.next_message(where=lambda message: "already" in message.everything)
    assert len([m for m in shop.bob.messages() if not m.is_ephemeral]) == 1


@pytest.mark.modes("socket", "shared")
async def test_try_again_acts_once_per_message_unless_it_fails(shop: Town) -> None:
    shop.tracker.fail_next("500", on="scan", times=2)
    failure = await shop.ask(shop.bob, "/scan shop.example")

    assert "Try again" in (await shop.press(shop.bob, failure, "Try again")).buttons
    assert "Scan again" in (await shop.press(shop.bob, failure, "Try again")).buttons
    again = await shop.press(shop.bob, failure, "Try again")

    assert "This is already done" in again.everything
    assert shop.service_requests().count(("POST", "scan")) == 3


@pytest.mark.modes("socket")
async def test_a_key_typed_as_a_tag_is_not_sent_to_the_service(shop: Town) -> None:
    answer = await shop.ask(shop.bob, f"/adddomain blog.example tag:{shop.key}")

    assert "exposed" in answer.everything
    assert shop.tracker.requests == []


@pytest.mark.modes("socket")
async def test_every_page_of_a_list_can_be_shared(shop: Town) -> None:
    shop.acme.fill(40, seed=1)
    cy = shop.slack.person("cy")
    first = await shop.ask(shop.bob, "/domains")
    await shop.bob.press(first, "Share")
    assert "page 1 of 2" in (await cy.next_message()).everything

    await shop.bob.press(first, "Next page")
    second = await shop.bob.next_message(
        where=lambda m: m.is_ephemeral and "page 2" in m.everything
    )
    await shop.bob.press(second, "Share")

    assert "page 2 of 2" in (await cy.next_message()).everything


@pytest.mark.modes("socket")
async def test_a_long_scan_that_a_button_began_does_not_take_the_place_of_the_last_one(
    tmp_path: Path, mode: str
) -> None:
    async with running_town(tmp_path, mode, replace(PATIENT, still_waiting_after_s=0.05)) as town:
        town.acme.add("shop.example", health=41)
        await town.connect()
        scan = await town.ask(town.bob, "/scan shop.example")
        hold = town.tracker.hold_scans()

        await town.bob.press(scan, "Scan again")
        await town.bob.next_message(where=lambda message: "Still scanning" in message.everything)
        hold.release()
        await town.answer(town.bob)

        assert next(m.everything for m in town.bob.messages()) == scan.everything
