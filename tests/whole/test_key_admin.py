"""Managers, history, two keys, rotation and reminders: `/domainkey` over the years."""

from datetime import timedelta

import pytest

from bot.playground.slack import Message, Person, View
from tests.whole.digests import make, move_to, next_digest, next_notice, nine, settled
from tests.whole.harness import Harness

# The forms of the key are tried in the other modes in test_domainkey.py.
pytestmark = [pytest.mark.anyio, pytest.mark.transports("http")]

DAY = timedelta(days=1)
REFUSAL = "Only admins, owners, and appointed managers"


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


async def replace_key(app: Harness) -> str:
    """Replace the key by a new one; return that."""
    new = app.account.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    assert "works and is saved" in (await app.submit_key(new)).everything
    return new


def shown(key: str) -> str:
    """Return the key in use as people see it; of the one before only the end is shown."""
    return f"service_sk_…{key[-4:]}"


async def history(app: Harness) -> str:
    return (await open_form(app, "History")).everything


# Managers. Who may press what, and from which old form: tests/listeners/test_admin_actions.py


async def name_groups(app: Harness, *handles: str) -> View:
    form = await open_form(app, "Managers")
    return await submit(app.ada, form, User_groups=[f"@{handle}" for handle in handles])


async def test_managers_by_name_and_by_group_do_what_an_admin_does(ready: Harness) -> None:
    cy = ready.slack.person("cy")
    saved = await name_managers(ready, "cy")
    refusal = await state(ready, ready.bob)
    await name_groups(ready, "web-team")
    ready.slack.fail_next("usergroups.users.list", "internal_error")
    unsaid = await state(ready, ready.bob)
    seen = await state(ready)
    new = ready.account.create_key("new", scopes=("read_domains",), days=30)

    form = await submit(ready.bob, await open_form(ready, "Replace key", ready.bob), API_key=new)

    groups = {each.handle: each.id for each in ready.slack.world.workspace.user_groups.values()}
    assert "Saved" in saved.everything
    assert REFUSAL in refusal.everything
    assert cy.id in refusal.everything
    assert "Slack did not say who is in" in unsaid.everything
    assert "Replace key" not in unsaid.buttons
    assert f"managers: <@{cy.id}>, <!subteam^{groups['web-team']}>." in seen.everything
    assert "works and is saved" in form.everything
    assert "Replace key" in (await state(ready, cy)).buttons


# History


async def test_the_history_says_who_did_what(ready: Harness) -> None:
    pausing = await press(ready.bob, await make(ready), "Pause")
    resumed = await press(ready.bob, await submit(ready.bob, pausing), "Resume")
    await press(ready.bob, resumed, "Delete")
    await replace_key(ready)
    await name_managers(ready, "bob")
    await ready.ada.type("/domaindigest")
    await press(ready.ada, await settled(ready.ada), "Only admins may change digests")

    text = await history(ready)

    for words in ("set the key", "replaced the key", "changed the managers", "let only admins"):
        assert f"<@{ready.ada.id}> {words}" in text
    for words in ("set up a digest", "paused a digest", "resumed a digest", "deleted a digest"):
        assert f"<@{ready.bob.id}> {words}" in text
    assert ready.key[11:-4] not in text


async def test_the_history_has_pages(ready: Harness) -> None:
    for number in range(7):
        await name_managers(ready, *(["bob"] if number % 2 else ["cy"]))
        await replace_key(ready)

    first = await open_form(ready, "History")
    last = await press(ready.ada, first, "Earlier")

    assert "set the key" not in first.everything
    assert "set the key" in last.everything
    assert "Page 1 of 2" in (await press(ready.ada, last, "Later")).everything


# Two keys


async def test_buttons_from_before_say_why_they_do_nothing_any_more(ready: Harness) -> None:
    old = await state(ready)
    new = await replace_key(ready)
    replaced = await ready.press(ready.ada, old, "Remove key")
    one, two = await state(ready), await state(ready)
    back = await ready.press(ready.ada, one, "Roll back")
    again = await ready.press(ready.ada, two, "Roll back")
    one, two = await state(ready), await state(ready)
    await ready.press(ready.ada, one, "Remove key")
    gone = await ready.press(ready.ada, two, "Remove key")

    assert "replaced the key" in replaced.everything
    assert f"`{shown(ready.key)}` works and is in use again" in back.everything
    assert "already in use" in again.everything
    assert shown(ready.key) in one.everything
    assert shown(new) not in one.everything
    assert "key is removed" in gone.everything
    text = await history(ready)
    assert (text.count("rolled back"), text.count("removed the key")) == (1, 1)


# Rotation


async def test_a_rotation_is_led_from_step_to_step(ready: Harness) -> None:
    first = await open_form(ready, "Rotate key")
    second = await press(ready.ada, first, "Enter new key")
    same = await submit(ready.ada, second, API_key=ready.key)
    asked = ready.service_requests()
    refused = ready.account.create_key("refused", scopes=("read_domains",), days=90)
    ready.account.delete_key(refused)
    not_saved = await submit(ready.ada, same, API_key=refused)
    unchanged = await state(ready)
    new = ready.account.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    third = await submit(ready.ada, not_saved, API_key=new)
    in_use = await state(ready)
    await ready.ada.close(third)
    left = await press(ready.ada, await open_form(ready, "Rotate key"), "Continue with step 3")
    fourth = await press(ready.ada, left, "No longer used")
    ready.account.delete_key(ready.key)
    done = await press(ready.ada, fourth, "Done")

    assert "write_domains" in first.everything
    assert ("already in use" in same.everything, asked) == (True, [])
    assert "Not saved" in not_saved.everything
    assert "Step 2 of 4" in not_saved.everything
    assert shown(ready.key) in unchanged.everything
    assert f"…{ready.key[-4:]}" in third.everything
    assert shown(new) in in_use.everything
    assert f"`Domain Tracker for Slack, {ready.clock():%b %Y}`" in in_use.everything
    before = f"The previous key, `Domain Tracker for Slack` (`…{ready.key[-4:]}`)"
    assert before in in_use.everything
    assert f"…{ready.key[-4:]}" in left.everything
    assert "Step 4 of 4" in fourth.everything
    assert "Done" in done.everything
    assert "Roll back" not in (await state(ready)).buttons


# What people hear without asking


async def test_a_refused_key_is_told_once_and_mended_from_the_direct_message(
    ready: Harness,
) -> None:
    cy = ready.slack.person("cy")
    await name_managers(ready, "bob")
    appointed = await next_notice(ready, ready.bob)
    ready.account.delete_key(ready.key)
    refusal = (await ready.ask(cy, "/domains")).everything
    to_manager = await ready.ask(ready.bob, "/domains")
    notices = [await next_notice(ready, each) for each in (ready.bob, ready.ada)]
    counts = [len(each.messages("dm")) for each in (ready.ada, ready.bob, cy)]
    new = ready.account.create_key("new", scopes=("read_domains",), days=90)
    await ready.ada.press(notices[1], "Replace key")
    form = await submit(ready.ada, await settled(ready.ada), API_key=new)

    assert f"<@{ready.ada.id}> has made you a manager" in appointed.everything
    who = f"I notified <@{ready.ada.id}>, <@{ready.bob.id}>"
    assert who in refusal
    assert "ask a manager, or a workspace admin or owner to replace it" in refusal
    assert "Replace key" in to_manager.buttons
    for notice in notices:
        assert "no longer works" in notice.everything
        assert "Replace key" in notice.buttons
    assert counts == [1, 2, 0]
    assert "works and is saved" in form.everything
    assert "3 domains" in (await ready.ask(ready.bob, "/domains")).everything
    for person, counted in ((ready.bob, 2), (ready.ada, 1)):
        edited = await next_notice(ready, person)
        assert f"The key in use is `{shown(new)}`" in edited.everything
        assert edited.buttons == []
        assert len(person.messages("dm")) == counted


async def test_a15_a_key_refused_by_mistake_is_tried_once_an_hour_and_heals_by_itself(
    ready: Harness,
) -> None:
    await make(ready)
    ready.tracker.requests.clear()
    ready.tracker.fail_next("invalid_key", times=2)
    move_to(ready, nine(ready))
    notice = await next_notice(ready, ready.ada)
    refusals = [await listed(ready)]
    ready.clock.ahead += timedelta(hours=1)
    refusals.append(await listed(ready))
    asked = len(ready.tracker.requests)
    ready.clock.ahead += timedelta(hours=1, minutes=1)
    post = await next_digest(ready)
    edited = await next_notice(ready, ready.ada)

    assert all("no longer works" in each for each in refusals)
    assert asked == 2  # at the slot, and an hour later
    assert "late" in post.everything.lower()
    assert "works again since" in edited.everything
    assert (edited.ts, len(ready.ada.messages("dm"))) == (notice.ts, 1)


async def test_a_key_that_expired_and_was_refused_is_one_message(ready: Harness) -> None:
    ready.clock.ahead += 90 * DAY
    notice = await next_notice(ready, ready.ada)
    ready.clock.ahead += DAY

    refused = await ready.ask(ready.bob, "/domains")

    assert "expires today" in notice.everything
    assert "no longer works" in refused.everything
    assert len(ready.ada.messages("dm")) == 1


async def test_a_replaced_key_is_not_counted_down(ready: Harness) -> None:
    ready.clock.ahead += 76 * DAY
    first = await next_notice(ready, ready.ada)
    new = ready.account.create_key("new", scopes=("read_domains",), days=365)
    await ready.submit_key(new, Expiration="365 days")
    edited = await next_notice(ready, ready.ada)

    ready.clock.ahead += 90 * DAY
    second = await next_notice(ready, ready.ada)

    assert "expires in 14 days" in first.everything
    assert (edited.ts, edited.buttons) == (first.ts, [])
    assert "was replaced" in edited.everything
    assert "was set 90 days ago" in second.everything
    assert "Rotate key" in second.buttons
    assert len(ready.ada.messages("dm")) == 2


async def test_the_state_says_what_works_command_by_command(ready: Harness) -> None:
    key = ready.account.create_key("read", scopes=("read_domains",), days=90)
    await ready.submit_key(key, Scopes=["read_domains"])
    before = (await state(ready)).everything
    await ready.ask(ready.bob, "/adddomain blog.example")

    after = (await state(ready)).everything

    assert "`/domains` works" in before
    assert "`/adddomain` not tried yet; the recorded scopes lack" in before
    assert "🔒 `/adddomain` needs the scope `write_domains`" in after
    assert "`/scan` not tried yet" in after
