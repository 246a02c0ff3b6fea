"""Managers, history, two keys, rotation and reminders: `/domainkey` over the years."""

import asyncio
from datetime import timedelta

import pytest

from bot.playground.slack import Message, Person, View
from tests.loops import loop_over
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


# Managers


async def test_a_named_manager_does_what_an_admin_does(shop: Town) -> None:
    saved = await name_managers(shop, "bob")
    new = shop.acme.create_key("new", scopes=("read_domains",), days=30)

    form = await submit(shop.bob, await open_form(shop, "Replace key", shop.bob), API_key=new)

    assert "Saved" in saved.everything
    assert "works and is saved" in form.everything


async def name_groups(town: Town, *handles: str) -> View:
    form = await open_form(town, "Managers")
    return await submit(town.ada, form, User_groups=[f"@{handle}" for handle in handles])


async def test_whoever_is_in_a_named_group_does_what_an_admin_does(shop: Town) -> None:
    saved = await name_groups(shop, "web-team")
    new = shop.acme.create_key("new", scopes=("read_domains",), days=30)

    form = await submit(shop.bob, await open_form(shop, "Replace key", shop.bob), API_key=new)

    assert "Saved" in saved.everything
    assert "works and is saved" in form.everything
    assert "changed the managers" in await history(shop)


async def test_who_may_is_told_with_groups(shop: Town) -> None:
    await name_groups(shop, "security")

    refusal = await state(shop, shop.bob)
    seen = await state(shop)

    [security] = [
        group.id
        for group in shop.slack.world.workspace.user_groups.values()
        if group.handle == "security"
    ]
    assert f"<!subteam^{security}>" in refusal.everything
    assert f"<!subteam^{security}> may manage this key" in seen.everything


async def test_a_group_that_was_taken_out_again_may_nothing(shop: Town) -> None:
    await name_groups(shop, "web-team")
    seen = await state(shop, shop.bob)
    await name_groups(shop)

    after = await shop.press(shop.bob, seen, "Remove key")

    assert REFUSAL in after.everything
    assert shown(shop.key) in (await state(shop)).everything


async def test_where_slack_does_not_say_who_is_in_a_group_nobody_is_let_in(shop: Town) -> None:
    await name_groups(shop, "web-team")
    shop.slack.fail_next("usergroups.users.list", "internal_error")

    answer = await state(shop, shop.bob)

    assert "Slack did not say who is in" in answer.everything
    assert "Replace key" not in answer.buttons


async def test_a_manager_cannot_name_others(shop: Town) -> None:
    await name_managers(shop, "bob")

    seen = await state(shop, shop.bob)

    assert "Managers" not in seen.buttons
    assert "Replace key" in seen.buttons


async def test_a_member_reads_who_can(shop: Town) -> None:
    await name_managers(shop, "cy")

    refusal = await state(shop, shop.bob)

    assert REFUSAL in refusal.everything
    assert shop.slack.person("cy").id in refusal.everything


@pytest.mark.parametrize("label", ["Check key", "Remove key", "History", "Rotate key"])
async def test_a_manager_who_was_left_out_again_is_refused_at_every_press(
    shop: Town, label: str
) -> None:
    await name_managers(shop, "bob")
    seen = await state(shop, shop.bob)
    await name_managers(shop)

    after = await shop.press(shop.bob, seen, label)

    assert REFUSAL in after.everything
    assert shown(shop.key) in (await state(shop)).everything


async def test_a_manager_who_was_left_out_again_sets_no_key(shop: Town) -> None:
    await name_managers(shop, "bob")
    form = await open_form(shop, "Replace key", shop.bob)
    await name_managers(shop)

    after = await submit(shop.bob, form, API_key=shop.key)

    assert REFUSAL in after.everything
    assert shop.service_requests() == []


async def test_a_guest_a_stranger_or_a_bot_never_may_even_if_named(shop: Town) -> None:
    await name_managers(shop, "bob")
    shop.slack.world.strangers_may_type = True

    for flag in ("is_restricted", "is_stranger", "is_bot"):
        setattr(shop.bob.member, flag, True)
        answer = await state(shop, shop.bob)
        setattr(shop.bob.member, flag, False)
        assert answer.buttons == [], flag


@loop_over("name", ["gus", "zoe"])
async def test_who_can_be_no_manager_is_not_saved(shop: Town, name: str) -> None:
    form = await open_form(shop, "Managers")

    after = await submit(shop.ada, form, Managers=["bob", name])

    assert "Not saved" in after.everything
    assert shop.slack.person(name).id in after.everything
    assert "Replace key" not in (await state(shop, shop.bob)).buttons


async def test_a_form_of_managers_that_is_old_changes_nothing(shop: Town) -> None:
    form = await open_form(shop, "Managers")
    olga = shop.slack.person("olga")
    await submit(olga, await open_form(shop, "Managers", olga), Managers=["cy"])

    after = await submit(shop.ada, form, Managers=["bob"])

    assert "Somebody else has changed them" in after.everything
    assert REFUSAL in (await state(shop, shop.bob)).everything


async def test_who_is_no_admin_any_more_does_not_name_managers(shop: Town) -> None:
    form = await open_form(shop, "Managers")
    shop.ada.member.is_admin = False

    after = await submit(shop.ada, form, Managers=["bob"])

    assert "can say who its managers are" in after.everything
    assert REFUSAL in (await state(shop, shop.bob)).everything


async def test_a_manager_reads_how_to_mend_a_refused_key(shop: Town) -> None:
    await name_managers(shop, "bob")
    shop.acme.delete_key(shop.key)

    answer = await shop.ask(shop.bob, "/domains")

    assert "Replace key" in answer.buttons


async def test_a_manager_counts_as_admin_where_only_admins_change_digests(shop: Town) -> None:
    await shop.ada.type("/domaindigest")
    await press(shop.ada, await settled(shop.ada), "Only admins may change digests")
    await name_managers(shop, "bob")

    await shop.bob.type("/domaindigest")

    assert "New" in (await settled(shop.bob)).buttons


# History


async def test_the_history_says_who_did_what(shop: Town) -> None:
    await replace_key(shop)
    await name_managers(shop, "bob")
    await shop.ada.type("/domaindigest")
    await press(shop.ada, await settled(shop.ada), "Only admins may change digests")

    told = await history(shop)

    for words in ("set the key", "replaced the key", "changed the managers", "let only admins"):
        assert words in told
    assert shop.ada.id in told
    assert shop.key[11:-4] not in told


async def test_the_history_says_who_did_what_with_digests(shop: Town) -> None:
    listed = await make(shop)
    pausing = await press(shop.bob, listed, "Pause")
    paused = await submit(shop.bob, pausing)
    resumed = await press(shop.bob, paused, "Resume")
    await press(shop.bob, resumed, "Delete")

    told = await history(shop)

    for words in ("made a digest", "paused a digest", "resumed a digest", "deleted a digest"):
        assert f"<@{shop.bob.id}> {words}" in told


async def test_the_history_has_pages(shop: Town) -> None:
    for number in range(7):
        await name_managers(shop, *(["bob"] if number % 2 else ["cy"]))
        await replace_key(shop)

    first = await open_form(shop, "History")
    last = await press(shop.ada, first, "Earlier")

    assert "set the key" not in first.everything
    assert "set the key" in last.everything
    assert "Page 1 of 2" in (await press(shop.ada, last, "Later")).everything


async def test_the_history_is_not_for_members(shop: Town) -> None:
    for _ in range(7):
        await replace_key(shop)
        await name_managers(shop, "bob")
        await name_managers(shop, "cy")
    form = await open_form(shop, "History")
    shop.ada.member.is_admin = False

    after = await press(shop.ada, form, "Earlier")

    assert REFUSAL in after.everything
    assert "replaced" not in after.everything


# Two keys


async def test_rolling_back_takes_the_key_before_at_once(shop: Town) -> None:
    new = await replace_key(shop)

    back = await shop.press(shop.ada, await state(shop), "Roll back")

    assert f"`{shown(shop.key)}` works and is in use again" in back.everything
    assert shown(new) not in (await state(shop)).everything
    assert "rolled back" in await history(shop)


async def test_a_second_press_does_not_roll_forward(shop: Town) -> None:
    await replace_key(shop)
    one, two = await state(shop), await state(shop)
    await shop.press(shop.ada, one, "Roll back")

    answer = await shop.press(shop.ada, two, "Roll back")

    assert "in use already" in answer.everything
    assert shown(shop.key) in (await state(shop)).everything
    assert (await history(shop)).count("rolled back") == 1


async def test_a_key_that_is_refused_is_not_rolled_back_to(shop: Town) -> None:
    new = await replace_key(shop)
    shop.acme.delete_key(shop.key)

    answer = await shop.press(shop.ada, await state(shop), "Roll back")

    assert "Nothing was changed" in answer.everything
    assert shown(new) in (await state(shop)).everything
    assert shop.ada.messages("dm") == []


async def test_a_member_cannot_roll_back(shop: Town) -> None:
    new = await replace_key(shop)
    seen = await state(shop)
    shop.ada.member.is_admin = False

    answer = await shop.press(shop.ada, seen, "Roll back")

    assert REFUSAL in answer.everything
    shop.ada.member.is_admin = True
    assert shown(new) in (await state(shop)).everything


async def test_after_seven_days_there_is_no_way_back(shop: Town) -> None:
    await replace_key(shop)
    seen = await state(shop)
    shop.clock.ahead += 7 * DAY

    answer = await shop.press(shop.ada, seen, "Roll back")

    assert "no longer kept" in answer.everything
    assert "Roll back" not in (await state(shop)).buttons


async def test_an_old_button_does_not_remove_a_newer_key(shop: Town) -> None:
    seen = await state(shop)
    new = await replace_key(shop)

    answer = await shop.press(shop.ada, seen, "Remove key")

    assert "replaced meanwhile" in answer.everything
    assert shown(new) in (await state(shop)).everything


async def test_removing_twice_says_so(shop: Town) -> None:
    one, two = await state(shop), await state(shop)
    await shop.press(shop.ada, one, "Remove key")

    answer = await shop.press(shop.ada, two, "Remove key")

    assert "no key to remove" in answer.everything
    assert (await history(shop)).count("removed the key") == 1


# Rotation


async def test_a_rotation_is_led_from_step_to_step(shop: Town) -> None:
    first = await open_form(shop, "Rotate key")
    new = shop.acme.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    second = await press(shop.ada, first, "I have made it")
    third = await submit(shop.ada, second, API_key=new)
    in_use = shown(new) in (await state(shop)).everything
    fourth = await press(shop.ada, third, "It stands still")
    shop.acme.delete_key(shop.key)
    done = await press(shop.ada, fourth, "Done")

    assert "write_domains" in first.everything
    assert f"…{shop.key[-4:]}" in third.everything
    assert "Step 4 of 4" in fourth.everything
    assert in_use
    assert "Done" in done.everything
    assert "Roll back" not in (await state(shop)).buttons


async def test_a_rotation_that_was_left_is_gone_on_with(shop: Town) -> None:
    await replace_key(shop)
    first = await open_form(shop, "Rotate key")

    third = await press(shop.ada, first, "Go on with step 3")

    assert f"…{shop.key[-4:]}" in third.everything
    assert "It stands still" in third.buttons


async def test_an_old_rotation_form_does_not_go_on_with_another_key(shop: Town) -> None:
    await replace_key(shop)
    first = await open_form(shop, "Rotate key")
    olga = shop.slack.person("olga")
    other = shop.acme.create_key("other", scopes=("read_domains",), days=90)
    await submit(olga, await open_form(shop, "Replace key", olga), API_key=other)

    after = await press(shop.ada, first, "Go on with step 3")

    assert "no longer kept" in after.everything


async def test_a_step_pressed_twice_stays_where_it_is(shop: Town) -> None:
    second = await press(shop.ada, await open_form(shop, "Rotate key"), "I have made it")
    new = shop.acme.create_key("new", scopes=("read_domains", "write_domains"), days=90)
    third = await submit(shop.ada, second, API_key=new)

    await asyncio.gather(*(shop.ada.press(third, "It stands still") for _ in range(2)))

    assert "Step 4 of 4" in (await settled(shop.ada)).everything


async def test_a_rotation_with_a_refused_key_changes_nothing(shop: Town) -> None:
    second = await press(shop.ada, await open_form(shop, "Rotate key"), "I have made it")
    new = shop.acme.create_key("new", scopes=("read_domains",), days=90)
    shop.acme.delete_key(new)

    after = await submit(shop.ada, second, API_key=new)

    assert "Not saved" in after.everything
    assert "Step 2 of 4" in after.everything
    assert shown(shop.key) in (await state(shop)).everything


async def test_a_rotation_needs_another_key(shop: Town) -> None:
    second = await press(shop.ada, await open_form(shop, "Rotate key"), "I have made it")

    after = await submit(shop.ada, second, API_key=shop.key)

    assert "in use already" in after.everything
    assert shop.service_requests() == []


async def test_the_key_before_keeps_another_name_than_the_one_in_use(shop: Town) -> None:
    second = await press(shop.ada, await open_form(shop, "Rotate key"), "I have made it")
    new = shop.acme.create_key("new", scopes=("read_domains", "write_domains"), days=90)

    await submit(shop.ada, second, API_key=new)

    seen = (await state(shop)).everything
    assert f"`Domain Tracker for Slack, {shop.clock():%b %Y}`" in seen
    assert f"The key before it, `Domain Tracker for Slack` (`…{shop.key[-4:]}`)" in seen


@pytest.mark.parametrize("step", ["I have made it", "Check and swap"])
async def test_rights_that_were_lost_end_a_rotation(shop: Town, step: str) -> None:
    form = await open_form(shop, "Rotate key")
    new = shop.acme.create_key("new", scopes=("read_domains",), days=90)
    if step != "I have made it":
        form = await press(shop.ada, form, "I have made it")
    shop.ada.member.is_admin = False

    if step == "I have made it":
        after = await press(shop.ada, form, step)
    else:
        after = await submit(shop.ada, form, API_key=new)

    assert REFUSAL in after.everything
    assert shop.service_requests() == []


# What people are told by themselves


async def test_new_managers_are_told_by_whom_and_those_left_out_are_not(shop: Town) -> None:
    await name_managers(shop, "bob")
    told = await next_notice(shop, shop.bob)
    await name_managers(shop)

    assert f"<@{shop.ada.id}> has made you a manager" in told.everything
    assert "`/domainkey`" in told.everything
    assert [len(each.messages("dm")) for each in (shop.ada, shop.bob)] == [0, 1]


async def test_a_refused_key_is_told_once_to_the_setter_and_the_managers(shop: Town) -> None:
    await name_managers(shop, "bob")
    await next_notice(shop, shop.bob)  # that they are one
    shop.acme.delete_key(shop.key)

    for _ in range(2):
        await shop.ask(shop.slack.person("cy"), "/domains")

    told = await next_notice(shop, shop.bob)
    assert "refuses the API key" in told.everything
    assert "Replace key" in told.buttons
    assert [len(each.messages("dm")) for each in (shop.ada, shop.bob)] == [1, 2]


async def test_the_people_of_a_named_group_are_told_too(shop: Town) -> None:
    await name_groups(shop, "web-team")
    shop.acme.delete_key(shop.key)

    await shop.ask(shop.slack.person("cy"), "/domains")

    assert "refuses the API key" in (await next_notice(shop, shop.bob)).everything
    assert [len(each.messages("dm")) for each in (shop.ada, shop.bob)] == [1, 1]


async def test_a_member_reads_which_managers_were_told_that_a_key_is_refused(
    shop: Town,
) -> None:
    await name_managers(shop, "bob")
    shop.acme.delete_key(shop.key)
    cy = shop.slack.person("cy")

    told = (await shop.ask(cy, "/domains")).everything

    assert f"I have told <@{shop.ada.id}>, who set it, and the managers: <@{shop.bob.id}>" in told
    assert "ask a manager, or a workspace admin or owner, to replace it" in told
    assert cy.messages("dm") == []


async def test_the_direct_message_mends_it(shop: Town) -> None:
    shop.acme.delete_key(shop.key)
    await shop.ask(shop.bob, "/domains")
    new = shop.acme.create_key("new", scopes=("read_domains",), days=90)

    await shop.ada.press(await next_notice(shop, shop.ada), "Replace key")
    form = await submit(shop.ada, await settled(shop.ada), API_key=new)

    assert "works and is saved" in form.everything
    assert "3 domains" in (await shop.ask(shop.bob, "/domains")).everything


async def test_the_countdown_comes_step_by_step(shop: Town) -> None:
    told = []
    for days in (76, 7, 4, 2, 1):
        shop.clock.ahead += days * DAY
        told.append((await next_notice(shop, shop.ada)).everything)

    for words, text in zip(
        ("in 14 days", "in 7 days", "in 3 days", "tomorrow", "today"), told, strict=True
    ):
        assert f"expires {words}" in text
        assert "Replace key" in text


async def test_a_key_that_expired_and_was_refused_is_one_message(shop: Town) -> None:
    shop.clock.ahead += 90 * DAY
    notice = await next_notice(shop, shop.ada)
    shop.clock.ahead += DAY

    refused = await shop.ask(shop.bob, "/domains")

    assert "expires today" in notice.everything
    assert "as invalid" in refused.everything
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
    assert len(shop.ada.messages("dm")) == 2


async def test_a_rotation_is_proposed_after_ninety_days(town: Town) -> None:
    key = town.acme.create_key("bot", scopes=("read_domains",), days=365)
    await town.submit_key(key, Expiration="365 days")

    town.clock.ahead += 90 * DAY
    told = await next_notice(town, town.ada)

    assert "was set 90 days ago" in told.everything
    assert "Rotate key" in told.buttons


async def test_the_state_says_what_works_command_by_command(shop: Town) -> None:
    key = shop.acme.create_key("read", scopes=("read_domains",), days=90)
    await shop.submit_key(key, Scopes=["read_domains"])
    before = (await state(shop)).everything
    await shop.ask(shop.bob, "/adddomain blog.example")

    after = (await state(shop)).everything

    assert "`/domains` works" in before
    assert "`/adddomain` not tried yet; by your note it lacks" in before
    assert "`/adddomain` lacks a scope: it needs the scope `write_domains`" in after
    assert "`/scan` not tried yet" in after
