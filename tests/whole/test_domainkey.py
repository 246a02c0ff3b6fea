"""`/domainkey`: set, check, replace, remove, and who may."""

from datetime import timedelta

import pytest

from bot.playground.slack import FormError
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


async def test_an_admin_is_led_from_no_key_to_a_working_one(app: Harness) -> None:
    app.account.add("shop.example", health=41)

    key = await app.connect()

    state = await app.ask(app.ada, "/domainkey")
    assert f"service_sk_…{key[-4:]}" in state.everything
    assert "Domain Tracker for Slack" in state.everything
    assert f"{app.clock() + timedelta(days=90):%b %Y} (in 90 days)" in state.everything


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


@pytest.mark.transports("http")
async def test_a_date_can_be_given_as_expiration_and_must_then_be_picked(app: Harness) -> None:
    key = app.account.create_key("bot", scopes=("read_domains",), days=30)
    await app.ada.press(await app.ask(app.ada, "/domainkey"), "Set key")
    form = await app.ada.next_form()

    without = await app.ada.submit(form, {"API key": key, "Expiration": "A date…"})
    assert "pick the date" in without.errors["Expiration date"]
    await app.ada.submit(form, {"Expiration date": "2031-02-03"})
    while "saved" not in (await app.ada.next_form()).everything:
        pass
    await app.next_first_steps()

    assert "3 Feb 2031" in (await app.ask(app.ada, "/domainkey")).everything


@pytest.mark.transports("http")
async def test_removing_a_key_asks_first_and_disconnects(ready: Harness) -> None:
    state = await ready.ask(ready.ada, "/domainkey")
    assert "Remove the key?" in str(ready.ada.dismiss(state, "Remove key"))

    removed = await ready.press(ready.ada, state, "Remove key")

    assert "removed" in removed.everything
    assert "not connected" in (await ready.ask(ready.bob, "/domains")).everything


@pytest.mark.transports("shared")
async def test_an_admin_sees_what_is_left_and_what_is_reserved(ready: Harness) -> None:
    await ready.ask(ready.bob, "/scan shop.example")
    await ready.press(ready.ada, await ready.ask(ready.ada, "/domainkey"), "Check key")

    text = (await ready.ask(ready.ada, "/domainkey")).everything

    assert "left this hour, as of" in text
    assert "are reserved for digests" in text
