"""Managers, history, two keys, rotation and reminders: `/domainkey` over the years."""

from datetime import timedelta

import pytest

from bot.blocks.text import day_text
from bot.playground.slack import Message, Person, View
from tests.whole.digests import make, move_to, next_digest, next_notice, nine, settled
from tests.whole.harness import Harness
from tests.whole.test_audiences import MANAGERS

# The forms of the key are tried in the other modes in test_domainkey.py.
pytestmark = pytest.mark.transports("http")

DAY = timedelta(days=1)


async def state(app: Harness, person: Person | None = None) -> Message:
    """Return the answer to `/domainkey`; others may post in the channel in the meantime."""
    person = person or app.ada
    await person.type("/domainkey")
    return await person.next_message(where=lambda message: message.is_ephemeral)


async def listed(app: Harness) -> str:
    """Return what bob reads when he asks for the domains; the channel has other messages."""
    await app.bob.type("/domains")
    return (await app.bob.next_message(where=lambda message: message.is_ephemeral)).everything


async def open_form(app: Harness, label: str, person: Person | None = None) -> View:
    """Press a button of the key's state; return the form that it opens."""
    person = person or app.ada
    await person.press(await state(app, person), label)
    return await settled(person)


async def press(person: Person, form: View, label: str) -> View:
    """Press a button in a form; return what stands there then."""
    await person.press(form, label)
    return await settled(person)


async def submit(person: Person, form: View, **fields: object) -> View:
    delivery = await person.submit(form, {name.replace("_", " "): v for name, v in fields.items()})
    assert not delivery.errors, delivery.errors
    return await settled(person)


async def name_managers(app: Harness, *names: str) -> View:
    form = await open_form(app, "Managers")
    return await submit(app.ada, form, Managers=list(names))


def shown(key: str) -> str:
    """Return the key in use as people see it; of the one before only the end is shown."""
    return f"service_sk_…{key[-4:]}"


async def test_a_replacement_is_led_from_step_to_step(ready: Harness) -> None:
    first = await open_form(ready, "Replace key")
    refused = ready.account.create_key("refused", scopes=("read_domains",), days=90)
    ready.account.delete_key(refused)
    not_saved = await submit(ready.ada, first, API_key=refused)
    unchanged = await state(ready)
    new = ready.account.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    second = await submit(ready.ada, not_saved, API_key=new)
    in_use = await state(ready)
    await ready.ada.close(second)
    left = await press(ready.ada, await open_form(ready, "Replace key"), "Continue with step 2")
    third = await press(ready.ada, left, "No longer used")
    ready.account.delete_key(ready.key)
    done = await press(ready.ada, third, "Done")

    assert "write_domains" in first.everything
    assert "Not saved" in not_saved.everything
    assert "Step 1 of 3" in not_saved.everything
    assert shown(ready.key) in unchanged.everything
    assert "Rotate key" not in unchanged.buttons
    assert "works and is saved. It sees 3 domains." in second.everything
    assert f"…{ready.key[-4:]}" in second.everything
    assert shown(new) in in_use.everything
    assert f"`Domain Tracker for Slack, {day_text(ready.clock().date())}`" in in_use.everything
    before = f"The old key, `Domain Tracker for Slack` (`…{ready.key[-4:]}`)"
    assert before in in_use.everything
    assert f"…{ready.key[-4:]}" in left.everything
    assert "Step 3 of 3" in third.everything
    assert "Done" in done.everything
    assert "Roll back" not in (await state(ready)).buttons


async def test_the_old_key_is_put_back_by_one_press(ready: Harness) -> None:
    new = ready.account.create_key("new", scopes=("read_domains",), days=90)
    second = await submit(ready.ada, await open_form(ready, "Replace key"), API_key=new)
    third = await press(ready.ada, second, "No longer used")
    await ready.ada.press(await state(ready), "Roll back")
    back = await ready.ada.next_message(where=lambda each: "in use again" in each.everything)
    too_late = await press(ready.ada, third, "Done")

    assert shown(ready.key) in back.everything
    assert "The replaced key is kept for 7 days." in back.everything
    assert "The keys were changed" in too_late.everything


async def test_a_key_of_another_portfolio_is_used_after_one_more_question(ready: Harness) -> None:
    other = ready.tracker.account("other")
    other.fill(5)
    key = other.create_key("other", scopes=("read_domains",), days=90)
    asked = await submit(ready.ada, await open_form(ready, "Replace key"), API_key=key)
    unchanged = await state(ready)
    used = await press(ready.ada, asked, "Use this key")

    assert "This key sees 5 domains, none of your 3. Another portfolio?" in asked.everything
    assert shown(ready.key) in unchanged.everything
    assert "works and is saved. It sees 5 domains." in used.everything
    assert shown(key) in (await state(ready)).everything
    assert key[11:-4] not in asked.everything


async def test_a_confirmation_in_a_message_that_fails_can_be_given_again(ready: Harness) -> None:
    other = ready.tracker.account("other")
    other.fill(5)
    key = other.create_key("other", scopes=("read_domains",), days=90)
    form = await open_form(ready, "Replace key")
    hold = ready.tracker.hold_requests()
    await ready.ada.submit(form, {"API key": key})
    await ready.ada.close(await ready.ada.next_form())
    hold.release()
    asked = await ready.answer(ready.ada)
    ready.tracker.fail_next("500", times=9)
    failed = await ready.press(ready.ada, asked, "Use this key")
    ready.tracker.faults.clear()
    used = await ready.press(ready.ada, failed, "Use this key")

    assert "The key was not saved" in failed.everything
    assert "works and is saved. It sees 5 domains." in used.everything


async def test_of_two_admins_with_the_same_form_open_each_is_heard(ready: Harness) -> None:
    olga, cy = ready.slack.person("olga"), ready.slack.person("cy")
    admins = (ready.ada, olga)
    forms = [await open_form(ready, "Managers", admin) for admin in admins]
    await submit(ready.ada, forms[0], Managers=["bob"])
    named = await submit(olga, forms[1], Managers=["cy"])
    choices = [await open_form(ready, "Permissions", admin) for admin in admins]
    await submit(ready.ada, choices[0], Who_may_scan_domains=MANAGERS)
    chosen = await submit(olga, choices[1], Who_may_add_domains=MANAGERS)

    assert {f"<@{each.id}>" in named.everything for each in (ready.bob, cy)} == {True}
    assert chosen.everything.count(MANAGERS.lower()) == 2


async def test_a_refused_key_is_replaced_from_its_notice(ready: Harness) -> None:
    cy = ready.slack.person("cy")
    await name_managers(ready, "bob")
    ready.account.delete_key(ready.key)
    refusal = (await ready.ask(cy, "/domains")).everything
    to_manager = await ready.ask(ready.bob, "/domains")
    notices = [await next_notice(ready, each) for each in (ready.bob, ready.ada)]
    counts = [len(each.messages("dm")) for each in (ready.ada, ready.bob, cy)]
    new = ready.account.create_key("new", scopes=("read_domains",), days=90)
    await ready.ada.press(notices[1], "Replace key")
    form = await submit(ready.ada, await settled(ready.ada), API_key=new)

    who = f"I notified <@{ready.ada.id}>, <@{ready.bob.id}>"
    assert who in refusal
    assert "ask a workspace admin or owner to replace it" in refusal
    assert "Replace key" in to_manager.buttons
    for notice in notices:
        assert "no longer works" in notice.everything
        assert "Replace key" in notice.buttons
    assert counts == [1, 1, 0]
    assert "works and is saved" in form.everything
    assert "3 domains" in (await ready.ask(ready.bob, "/domains")).everything
    healed = await next_notice(ready, ready.bob)
    assert f"key `{shown(new)}` works" in healed.everything
    assert len(ready.ada.messages("dm")) == 1  # who has set it knows


async def test_a_key_refused_by_mistake_is_tried_at_the_slot_of_a_digest(ready: Harness) -> None:
    await make(ready)
    move_to(ready, nine(ready) - timedelta(minutes=20))
    ready.tracker.fail_next("invalid_key")
    refused = await listed(ready)
    move_to(ready, nine(ready))
    post = await next_digest(ready)

    assert "no longer works" in refused
    assert "late" not in post.everything.lower()


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
