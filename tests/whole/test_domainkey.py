"""`/domainkey`: set, check, replace, remove, and who may."""

from datetime import timedelta

import pytest

from bot.playground.slack import FormError
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


async def test_an_admin_is_led_from_no_key_to_a_working_one(app: Harness) -> None:
    app.account.add("shop.example", health=41)

    key = await app.connect()

    state = await app.ask(app.ada, "/domainkey")
    assert f"service_sk_…{key[-4:]}" in state.everything
    assert "Domain Tracker for Slack" in state.everything
    assert f"{app.clock() + timedelta(days=90):%b %Y} (in 90 days)" in state.everything


async def test_owners_may_set_the_key_too_and_all_others_are_told_who_may(app: Harness) -> None:
    state = await app.ask(app.slack.person("olga"), "/domainkey")
    refusals = [
        await app.ask(app.slack.person(name), "/domainkey") for name in ("bob", "gus", "cy")
    ]
    usage = await app.ask(app.bob, "/domainkey help")

    assert "Set key" in state.buttons
    for refusal in refusals:
        assert "Only admins, owners, and appointed managers" in refusal.everything
        assert refusal.buttons == []
    assert "/domainkey" in usage.everything


NO_KEYS = ["x", "service_sk_short", "sk_" + "a" * 49, "service_sk_" + "a" * 40 + "é"]


async def test_what_cannot_be_a_key_or_its_label_is_refused_in_the_form(app: Harness) -> None:
    key = app.account.create_key("bot", scopes=("read_domains",), days=30)
    await app.ada.press(await app.ask(app.ada, "/domainkey"), "Set key")
    form = await app.ada.next_form()

    with pytest.raises(FormError):
        await app.ada.submit(form)
    for typed in NO_KEYS:
        delivery = await app.ada.submit(form, {"API key": typed})
        assert "52 characters" in delivery.errors["API key"], typed
    delivery = await app.ada.submit(form, {"API key": key, "Label": f" {key}"})

    assert "never the key" in delivery.errors["Label"]
    assert app.tracker.requests == []


@pytest.mark.transports("shared")
async def test_a_date_can_be_given_as_expiration_and_must_then_be_picked(app: Harness) -> None:
    key = app.account.create_key("bot", scopes=("read_domains",), days=30)
    await app.ada.press(await app.ask(app.ada, "/domainkey"), "Set key")
    form = await app.ada.next_form()

    without = await app.ada.submit(form, {"API key": key, "Expiration": "A date…"})
    assert "pick the date" in without.errors["Expiration date"]
    await app.ada.submit(form, {"Expiration date": "2031-02-03"})
    while "saved" not in (await app.ada.next_form()).everything:
        pass

    assert "3 Feb 2031" in (await app.ask(app.ada, "/domainkey")).everything


async def test_a_key_that_the_service_refuses_is_not_saved(app: Harness) -> None:
    key = app.account.create_key("bot", scopes=("read_domains",), days=30)
    app.account.delete_key(key)

    form = await app.submit_key(key, Label="Our bot")

    assert "Not saved" in form.everything
    assert "refuses this key" in form.everything
    assert "Our bot" in form.everything
    state = await app.ask(app.ada, "/domainkey")
    assert "not connected" in state.everything


async def test_a_service_that_is_down_leaves_the_old_key_in_place(ready: Harness) -> None:
    new = ready.account.create_key("new", scopes=("read_domains",), days=30)
    ready.tracker.fail_next("500", times=9)

    form = await ready.submit_key(new)

    assert "Not saved" in form.everything
    assert ready.key[-4:] in (await ready.ask(ready.ada, "/domainkey")).everything


async def test_the_form_says_which_key_is_in_use_also_after_a_failure(ready: Harness) -> None:
    await ready.ada.press(await ready.ask(ready.ada, "/domainkey"), "Replace key")
    opened = (await ready.ada.next_form()).everything
    wrong = ready.account.create_key("wrong", scopes=("read_alerts",), days=30)

    after = (await ready.submit_key(wrong)).everything

    in_use = f"Current key: `Domain Tracker for Slack` (`…{ready.key[-4:]}`)"
    assert in_use in opened
    assert in_use in after
    assert "Not saved" in after


@pytest.mark.transports("shared")
async def test_removing_a_key_asks_first_and_disconnects(ready: Harness) -> None:
    state = await ready.ask(ready.ada, "/domainkey")
    assert "Remove the key?" in str(ready.ada.dismiss(state, "Remove key"))

    removed = await ready.press(ready.ada, state, "Remove key")

    assert "removed" in removed.everything
    assert "not connected" in (await ready.ask(ready.bob, "/domains")).everything


@pytest.mark.transports("shared")
async def test_rights_are_checked_again_at_every_press_and_submit(ready: Harness) -> None:
    state = await ready.ask(ready.ada, "/domainkey")
    await ready.ada.press(state, "Replace key")
    form = await ready.ada.next_form()
    ready.ada.member.is_admin = False

    refused = await ready.press(ready.ada, state, "Remove key")
    await ready.ada.submit(form, {"API key": ready.key})
    while "⏳" in (shown := await ready.ada.next_form()).everything:
        pass

    assert "Only admins, owners, and appointed managers" in refused.everything
    assert "Only admins, owners, and appointed managers" in shown.everything
    assert (await ready.ask(ready.bob, "/domains")).blocks[0]["type"] == "header"


@pytest.mark.transports("shared")
async def test_a_form_that_was_closed_meanwhile_still_tells_how_it_ended(app: Harness) -> None:
    key = app.account.create_key("bot", scopes=("read_domains",), days=30)
    hold = app.tracker.hold_requests()
    await app.ada.press(await app.ask(app.ada, "/domainkey"), "Set key")
    await app.ada.submit(await app.ada.next_form(), {"API key": key})
    await app.ada.close(await app.ada.next_form())
    hold.release()

    text = await app.answer(app.ada)

    assert "works and is saved" in text.everything
