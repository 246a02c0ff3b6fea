"""`/domainkey`: set, check, replace, remove, and who may."""

from datetime import timedelta

import pytest

from bot.playground.slack import FormError
from tests.whole.town import Town

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket")]


async def test_an_admin_is_led_from_no_key_to_a_working_one(town: Town) -> None:
    town.acme.add("shop.example", health=41)

    key = await town.connect()

    state = await town.ask(town.ada, "/domainkey")
    assert f"service_sk_…{key[-4:]}" in state.everything
    assert "Domain Tracker for Slack" in state.everything
    assert f"{town.clock() + timedelta(days=90):%b %Y} (in 90 days)" in state.everything


async def test_owners_may_set_the_key_too_and_all_others_are_told_who_may(town: Town) -> None:
    state = await town.ask(town.slack.person("olga"), "/domainkey")
    refusals = [
        await town.ask(town.slack.person(name), "/domainkey") for name in ("bob", "gus", "cy")
    ]
    usage = await town.ask(town.bob, "/domainkey help")

    assert "Set key" in state.buttons
    for refusal in refusals:
        assert "Only admins and owners" in refusal.everything
        assert refusal.buttons == []
    assert "/domainkey" in usage.everything


NO_KEYS = ["x", "service_sk_short", "sk_" + "a" * 49, "service_sk_" + "a" * 40 + "é"]


async def test_what_cannot_be_a_key_or_its_label_is_refused_in_the_form(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_domains",), days=30)
    await town.ada.press(await town.ask(town.ada, "/domainkey"), "Set key")
    form = await town.ada.next_form()

    with pytest.raises(FormError):
        await town.ada.submit(form)
    for typed in NO_KEYS:
        delivery = await town.ada.submit(form, {"API key": typed})
        assert "52 characters" in delivery.errors["API key"], typed
    delivery = await town.ada.submit(form, {"API key": key, "Label": f" {key}"})

    assert "never the key" in delivery.errors["Label"]
    assert town.tracker.requests == []


@pytest.mark.modes("shared")
async def test_a_date_can_be_given_as_expiration_and_must_then_be_picked(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_domains",), days=30)
    await town.ada.press(await town.ask(town.ada, "/domainkey"), "Set key")
    form = await town.ada.next_form()

    without = await town.ada.submit(form, {"API key": key, "Expiration": "A date…"})
    assert "pick the date" in without.errors["Expiration date"]
    await town.ada.submit(form, {"Expiration date": "2031-02-03"})
    while "saved" not in (await town.ada.next_form()).everything:
        pass

    assert "3 Feb 2031" in (await town.ask(town.ada, "/domainkey")).everything


async def test_a_key_that_the_service_refuses_is_not_saved(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_domains",), days=30)
    town.acme.delete_key(key)

    form = await town.submit_key(key, Label="Our bot")

    assert "Not saved" in form.everything
    assert "refuses this key" in form.everything
    assert "Our bot" in form.everything
    state = await town.ask(town.ada, "/domainkey")
    assert "not connected" in state.everything


async def test_a_key_that_may_not_list_is_not_saved(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_alerts",), days=30)

    form = await town.submit_key(key)

    assert "read_domains" in form.everything
    assert "Not saved" in form.everything


async def test_a_service_that_is_down_leaves_the_old_key_in_place(shop: Town) -> None:
    new = shop.acme.create_key("new", scopes=("read_domains",), days=30)
    shop.tracker.fail_next("500", times=9)

    form = await shop.submit_key(new)

    assert "Not saved" in form.everything
    assert shop.key[-4:] in (await shop.ask(shop.ada, "/domainkey")).everything


async def test_the_form_says_which_key_is_in_use_also_after_a_failure(shop: Town) -> None:
    await shop.ada.press(await shop.ask(shop.ada, "/domainkey"), "Replace key")
    opened = (await shop.ada.next_form()).everything
    wrong = shop.acme.create_key("wrong", scopes=("read_alerts",), days=30)

    after = (await shop.submit_key(wrong)).everything

    in_use = f"Current key: `Domain Tracker for Slack` (`…{shop.key[-4:]}`)"
    assert in_use in opened
    assert in_use in after
    assert "Not saved" in after


async def test_a_refused_key_has_no_ticks_beside_it(shop: Town) -> None:
    shop.acme.delete_key(shop.key)
    await shop.ask(shop.bob, "/domains")

    told = (await shop.ask(shop.ada, "/domainkey")).everything

    assert "no longer works" in told
    assert "✅" not in told
    assert "requests left" not in told


@pytest.mark.modes("shared")
async def test_removing_a_key_asks_first_and_disconnects(shop: Town) -> None:
    state = await shop.ask(shop.ada, "/domainkey")
    assert "Remove the key?" in str(shop.ada.dismiss(state, "Remove key"))

    removed = await shop.press(shop.ada, state, "Remove key")

    assert "removed" in removed.everything
    assert "not connected" in (await shop.ask(shop.bob, "/domains")).everything


@pytest.mark.modes("shared")
async def test_rights_are_checked_again_at_every_press_and_submit(shop: Town) -> None:
    state = await shop.ask(shop.ada, "/domainkey")
    await shop.ada.press(state, "Replace key")
    form = await shop.ada.next_form()
    shop.ada.member.is_admin = False

    refused = await shop.press(shop.ada, state, "Remove key")
    await shop.ada.submit(form, {"API key": shop.key})
    while "⏳" in (shown := await shop.ada.next_form()).everything:
        pass

    assert "Only admins and owners" in refused.everything
    assert "Only admins and owners" in shown.everything
    assert (await shop.ask(shop.bob, "/domains")).blocks[0]["type"] == "header"


@pytest.mark.modes("shared")
async def test_a_form_that_was_closed_meanwhile_still_tells_how_it_ended(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_domains",), days=30)
    hold = town.tracker.hold_requests()
    await town.ada.press(await town.ask(town.ada, "/domainkey"), "Set key")
    await town.ada.submit(await town.ada.next_form(), {"API key": key})
    await town.ada.close(await town.ada.next_form())
    hold.release()

    told = await town.answer(town.ada)

    assert "works and is saved" in told.everything
