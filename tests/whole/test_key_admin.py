"""Managers, history, two keys, rotation and reminders: `/domainkey` over the years."""

from datetime import timedelta

import pytest

from bot.playground.slack import Message, Person, View
from tests.whole.digests import make, next_notice, settled
from tests.whole.town import Town

# The forms of the key are tried in the other modes in test_domainkey.py.
pytestmark = [pytest.mark.anyio, pytest.mark.modes("http")]

DAY = timedelta(days=1)
REFUSAL = "Only admins and owners"


async def state(town: Town, person: Person | None = None) -> Message:
    """Return the answer to `/domainkey`; others may post in the channel meanwhile."""
    person = person or town.ada
    await person.type("/domainkey")
    return await person.next_message(where=lambda message: message.is_ephemeral)


async def open_form(town: Town, label: str, person: Person | None = None) -> View:
    """Press a button of the key's state; return the form that it opens."""
    person = person or town.ada
    await person.press(await state(town, person), label)
    return await settled(person)


async def press(person: Person, form: View, label: str) -> View:
    """Press a button in a form; return what stands there then."""
    await person.press(form, label)
    return await settled(person)


async def submit(person: Person, form: View, **fields: object) -> View:
    delivery = await person.submit(form, {name.replace("_", " "): v for name, v in fields.items()})
    assert not delivery.errors, delivery.errors
    return await settled(person)


async def name_managers(town: Town, *names: str) -> View:
    form = await open_form(town, "Managers")
    return await submit(town.ada, form, Managers=list(names))


async def replace_key(town: Town) -> str:
    """Replace the key by a new one; return that."""
    new = town.acme.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    assert "works and is saved" in (await town.submit_key(new)).everything
    return new


def shown(key: str) -> str:
    """Return the key in use as people see it; of the one before only the end is shown."""
    return f"service_sk_…{key[-4:]}"


async def history(town: Town) -> str:
    return (await open_form(town, "History")).everything


# Managers. Who may press what, and from which old form: tests/listeners/test_admin_actions.py


async def name_groups(town: Town, *handles: str) -> View:
    form = await open_form(town, "Managers")
    return await submit(town.ada, form, User_groups=[f"@{handle}" for handle in handles])


async def test_managers_by_name_and_by_group_do_what_an_admin_does(shop: Town) -> None:
    cy = shop.slack.person("cy")
    saved = await name_managers(shop, "cy")
    refusal = await state(shop, shop.bob)
    await name_groups(shop, "web-team")
    shop.slack.fail_next("usergroups.users.list", "internal_error")
    unsaid = await state(shop, shop.bob)
    seen = await state(shop)
    new = shop.acme.create_key("new", scopes=("read_domains",), days=30)

    form = await submit(shop.bob, await open_form(shop, "Replace key", shop.bob), API_key=new)

    groups = {each.handle: each.id for each in shop.slack.world.workspace.user_groups.values()}
    assert "Saved" in saved.everything
    assert REFUSAL in refusal.everything
    assert cy.id in refusal.everything
    assert "Slack did not say who is in" in unsaid.everything
    assert "Replace key" not in unsaid.buttons
    assert f"managers: <@{cy.id}>, <!subteam^{groups['web-team']}>." in seen.everything
    assert "works and is saved" in form.everything
    assert "Replace key" in (await state(shop, cy)).buttons


# History


async def test_the_history_says_who_did_what(shop: Town) -> None:
    pausing = await press(shop.bob, await make(shop), "Pause")
    resumed = await press(shop.bob, await submit(shop.bob, pausing), "Resume")
    await press(shop.bob, resumed, "Delete")
    await replace_key(shop)
    await name_managers(shop, "bob")
    await shop.ada.type("/domaindigest")
    await press(shop.ada, await settled(shop.ada), "Only admins may change digests")

    told = await history(shop)

    for words in ("set the key", "replaced the key", "changed the managers", "let only admins"):
        assert f"<@{shop.ada.id}> {words}" in told
    for words in ("made a digest", "paused a digest", "resumed a digest", "deleted a digest"):
        assert f"<@{shop.bob.id}> {words}" in told
    assert shop.key[11:-4] not in told


async def test_the_history_has_pages(shop: Town) -> None:
    for number in range(7):
        await name_managers(shop, *(["bob"] if number % 2 else ["cy"]))
        await replace_key(shop)

    first = await open_form(shop, "History")
    last = await press(shop.ada, first, "Earlier")

    assert "set the key" not in first.everything
    assert "set the key" in last.everything
    assert "Page 1 of 2" in (await press(shop.ada, last, "Later")).everything


# Two keys


async def test_buttons_from_before_say_why_they_do_nothing_any_more(shop: Town) -> None:
    old = await state(shop)
    new = await replace_key(shop)
    replaced = await shop.press(shop.ada, old, "Remove key")
    one, two = await state(shop), await state(shop)
    back = await shop.press(shop.ada, one, "Roll back")
    again = await shop.press(shop.ada, two, "Roll back")
    one, two = await state(shop), await state(shop)
    await shop.press(shop.ada, one, "Remove key")
    gone = await shop.press(shop.ada, two, "Remove key")

    assert "replaced the key" in replaced.everything
    assert f"`{shown(shop.key)}` works and is in use again" in back.everything
    assert "already in use" in again.everything
    assert shown(shop.key) in one.everything
    assert shown(new) not in one.everything
    assert "no key to remove" in gone.everything
    told = await history(shop)
    assert (told.count("rolled back"), told.count("removed the key")) == (1, 1)


async def test_a_key_that_is_refused_is_not_rolled_back_to(shop: Town) -> None:
    new = await replace_key(shop)
    shop.acme.delete_key(shop.key)

    answer = await shop.press(shop.ada, await state(shop), "Roll back")

    assert "Nothing was changed" in answer.everything
    assert shown(new) in (await state(shop)).everything
    assert shop.ada.messages("dm") == []


async def test_after_seven_days_there_is_no_way_back(shop: Town) -> None:
    await replace_key(shop)
    seen = await state(shop)
    shop.clock.ahead += 7 * DAY

    answer = await shop.press(shop.ada, seen, "Roll back")

    assert "no longer kept" in answer.everything
    assert "Roll back" not in (await state(shop)).buttons


# Rotation


async def test_a_rotation_is_led_from_step_to_step(shop: Town) -> None:
    first = await open_form(shop, "Rotate key")
    second = await press(shop.ada, first, "Enter new key")
    same = await submit(shop.ada, second, API_key=shop.key)
    asked = shop.service_requests()
    refused = shop.acme.create_key("refused", scopes=("read_domains",), days=90)
    shop.acme.delete_key(refused)
    not_saved = await submit(shop.ada, same, API_key=refused)
    unchanged = await state(shop)
    new = shop.acme.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    third = await submit(shop.ada, not_saved, API_key=new)
    in_use = await state(shop)
    await shop.ada.close(third)
    left = await press(shop.ada, await open_form(shop, "Rotate key"), "Continue with step 3")
    fourth = await press(shop.ada, left, "No longer used")
    shop.acme.delete_key(shop.key)
    done = await press(shop.ada, fourth, "Done")

    assert "write_domains" in first.everything
    assert ("already in use" in same.everything, asked) == (True, [])
    assert "Not saved" in not_saved.everything
    assert "Step 2 of 4" in not_saved.everything
    assert shown(shop.key) in unchanged.everything
    assert f"…{shop.key[-4:]}" in third.everything
    assert shown(new) in in_use.everything
    assert f"`Domain Tracker for Slack, {shop.clock():%b %Y}`" in in_use.everything
    before = f"The previous key, `Domain Tracker for Slack` (`…{shop.key[-4:]}`)"
    assert before in in_use.everything
    assert f"…{shop.key[-4:]}" in left.everything
    assert "Step 4 of 4" in fourth.everything
    assert "Done" in done.everything
    assert "Roll back" not in (await state(shop)).buttons


# What people are told by themselves


async def test_a_refused_key_is_told_once_and_mended_from_the_direct_message(shop: Town) -> None:
    cy = shop.slack.person("cy")
    await name_managers(shop, "bob")
    appointed = await next_notice(shop, shop.bob)
    shop.acme.delete_key(shop.key)
    refusal = (await shop.ask(cy, "/domains")).everything
    to_manager = await shop.ask(shop.bob, "/domains")
    notices = [await next_notice(shop, each) for each in (shop.bob, shop.ada)]
    counts = [len(each.messages("dm")) for each in (shop.ada, shop.bob, cy)]
    new = shop.acme.create_key("new", scopes=("read_domains",), days=90)
    await shop.ada.press(notices[1], "Replace key")
    form = await submit(shop.ada, await settled(shop.ada), API_key=new)

    assert f"<@{shop.ada.id}> has made you a manager" in appointed.everything
    who = f"I notified <@{shop.ada.id}>, who set it, and the managers: <@{shop.bob.id}>"
    assert who in refusal
    assert "ask a manager, or a workspace admin or owner to replace it" in refusal
    assert "Replace key" in to_manager.buttons
    for notice in notices:
        assert "no longer works" in notice.everything
        assert "Replace key" in notice.buttons
    assert counts == [1, 2, 0]
    assert "works and is saved" in form.everything
    assert "3 domains" in (await shop.ask(shop.bob, "/domains")).everything


async def test_the_people_of_a_named_group_are_told_too(shop: Town) -> None:
    await name_groups(shop, "web-team")
    shop.acme.delete_key(shop.key)

    await shop.ask(shop.slack.person("cy"), "/domains")

    assert "no longer works" in (await next_notice(shop, shop.bob)).everything
    assert [len(each.messages("dm")) for each in (shop.ada, shop.bob)] == [1, 1]


async def test_a_key_that_expired_and_was_refused_is_one_message(shop: Town) -> None:
    shop.clock.ahead += 90 * DAY
    notice = await next_notice(shop, shop.ada)
    shop.clock.ahead += DAY

    refused = await shop.ask(shop.bob, "/domains")

    assert "expires today" in notice.everything
    assert "no longer works" in refused.everything
    assert len(shop.ada.messages("dm")) == 1


async def test_a_replaced_key_is_not_counted_down(shop: Town) -> None:
    shop.clock.ahead += 76 * DAY
    first = await next_notice(shop, shop.ada)
    new = shop.acme.create_key("new", scopes=("read_domains",), days=365)
    await shop.submit_key(new, Expiration="365 days")

    shop.clock.ahead += 90 * DAY
    second = await next_notice(shop, shop.ada)

    assert "expires in 14 days" in first.everything
    assert "was set 90 days ago" in second.everything
    assert "Rotate key" in second.buttons
    assert len(shop.ada.messages("dm")) == 2


async def test_the_state_says_what_works_command_by_command(shop: Town) -> None:
    key = shop.acme.create_key("read", scopes=("read_domains",), days=90)
    await shop.submit_key(key, Scopes=["read_domains"])
    before = (await state(shop)).everything
    await shop.ask(shop.bob, "/adddomain blog.example")

    after = (await state(shop)).everything

    assert "`/domains` works" in before
    assert "`/adddomain` not tried yet; the recorded scopes lack" in before
    assert "🔒 `/adddomain` needs the scope `write_domains`" in after
    assert "`/scan` not tried yet" in after
