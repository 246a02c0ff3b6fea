"""The form that shapes a digest: short, with the rest behind `More options`.

Digests in one typed line, and acts on a digest by its name.
Digests of one's own: in one's direct messages with the app, seen by no one else.
"""

import asyncio

import pytest

from bot.playground.slack import Message, View
from tests.whole.digests import (
    headline,
    make,
    move_to,
    new_form,
    nine,
    open_list,
    press_in,
    settled,
    until_listed,
)
from tests.whole.harness import Harness
from tests.whole.test_home import opened

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]

SHORT = ["Channel", "Repeat", "Days", "Time", "Time zone", "Filter", "Post"]


def labels(form: View) -> list[str]:
    return [block["label"]["text"] for block in form.payload["blocks"] if block["type"] == "input"]


async def choose(app: Harness, form: View, field: str, value: object) -> View:
    await app.bob.choose(form, field, value)
    return await settled(app.bob)


async def test_fields_without_a_meaning_are_not_there_and_come_back_as_they_were(
    ready: Harness,
) -> None:
    form = await press_in(ready.bob, await new_form(ready, ready.bob), "More options")
    form = await choose(ready, form, "Time", "07:45")
    assert "Heartbeat" not in labels(form)
    changed = await choose(ready, form, "Post", "When something changed")
    alert = await choose(ready, changed, "Post", "Alert, every 15 minutes")
    back = await choose(ready, alert, "Post", "Every time")

    assert "Heartbeat" in labels(changed)
    assert not {"Time", "Repeat", "Heartbeat", "Worst domains shown"} & {*labels(alert)}
    assert alert.values["Days"] == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert back.values["Days"] == ["Mon", "Tue", "Wed", "Thu", "Fri"]
    assert back.values["Time"] == "07:45"


async def test_a_name_and_thresholds_are_saved_and_a_taken_name_is_refused(
    ready: Harness,
) -> None:
    rule = {"Points of change": "10", "Days before an end": "60, 30", "Least severity": "Medium"}
    listed = await make(ready, {"Name": "Prod daily", **rule})
    form = await press_in(ready.bob, listed, "New")
    form = await press_in(ready.bob, form, "More options")
    await ready.bob.submit(form, {"Name": "PROD daily"})
    refused = await settled(ready.bob)
    change = await press_in(ready.bob, await open_list(ready, ready.bob), "Change")
    full = await press_in(ready.bob, change, "More options")

    assert "*Prod daily*" in listed.everything
    assert "Another digest of this channel has that name" in refused.everything
    assert refused.values["Name"] == "PROD daily"
    assert {name: full.values[name] for name in rule} == rule
    assert full.values["Name"] == "Prod daily"


async def typed(app: Harness, line: str, words: str) -> Message:
    """Type a line; return the answer, which has these words."""
    await app.bob.type(f"/domaindigest {line}")
    return await app.bob.next_message(
        where=lambda each: each.is_reply and words in each.everything
    )


async def test_a_digest_is_made_by_one_line_that_the_list_shows(ready: Harness) -> None:
    made = await typed(ready, 'weekdays 8:30 UTC below:70 worse name:"Prod"', "Saved")
    listed = await open_list(ready, ready.bob)

    assert "✅ Saved. Next run" in made.everything
    assert made.everything.count("• ") == 5
    assert {"Manage", "Delete"} <= {*made.buttons}
    line = '/domaindigest weekdays 8:30 UTC below:70 worse name:"Prod"'
    assert line in made.everything
    assert line in listed.everything


async def test_what_is_not_understood_is_named_and_the_form_opens_with_the_rest(
    ready: Harness,
) -> None:
    await ready.bob.type("/domaindigest weekdays 9am tag:prod worse")
    form = await settled(ready.bob)
    delivery = await ready.bob.submit(form, {})
    assert not delivery.errors
    saved = await settled(ready.bob)

    assert "`9am`" in form.everything
    assert "No digest was made" in form.everything
    assert (form.values["Filter"], form.values["Post"]) == (
        "tag:prod",
        "When something got worse",
    )
    assert "1 digest in #general" in saved.everything


async def test_where_the_trigger_has_expired_the_form_is_behind_a_button(ready: Harness) -> None:
    ready.slack.fail_next("views.open", "expired_trigger_id")

    answer = await ready.ask(ready.bob, "/domaindigest daily 9am tag:prod")
    await ready.bob.press(answer, "Open form")
    form = await settled(ready.bob)

    assert "`9am`" in answer.everything
    assert form.values["Filter"] == "tag:prod"


async def test_a_named_digest_is_paused_resumed_sent_and_deleted(ready: Harness) -> None:
    await typed(ready, 'daily name:"Prod now"', "Saved")

    await typed(ready, "pause prod NOW", "/domaindigest resume Prod now")
    await typed(ready, "pause prod NOW", "It is already paused.")
    await typed(ready, 'resume "Prod now"', "Resumed.")
    await typed(ready, 'resume "Prod now"', "It is already running.")
    await typed(ready, "send Prod now", "Sent to")
    unknown = await typed(ready, "pause Other", "called `Other`")
    await typed(ready, "delete Prod now", "Deleted")
    await typed(ready, "delete Prod now", "None of the digests here has a name.")
    await until_listed(ready, "No digests in #general")

    assert "`Prod now`" in unknown.everything


async def test_who_makes_a_digest_reads_that_people_of_another_company_read_it(
    ready: Harness,
) -> None:
    before = await typed(ready, 'daily name:"one"', "*one*")
    ready.slack.channel("general").is_shared = True

    after = await typed(ready, 'every 15 minutes name:"two"', "*two*")
    messages = [each for each in ready.slack.channel("general").messages if not each.is_ephemeral]
    told = [each for each in messages if "another company" in each.everything]

    assert "another company" not in before.everything
    assert "People from another company are in this channel" in after.everything
    assert len(told) == 1
    assert "The alert of *bob* is posted in this channel" in told[0].everything


LINE = '/domaindigest daily 9:00 UTC name:"Mine" me'


async def test_a_digest_of_ones_own_comes_as_a_direct_message(ready: Harness) -> None:
    made = await ready.ask(ready.bob, LINE)
    in_channel = await open_list(ready, ready.bob)
    move_to(ready, nine(ready))
    post = await ready.bob.next_message("dm", where=lambda each: headline(each).startswith("Mine"))
    manage = await press_in(ready.bob, post, "Manage")  # type: ignore[arg-type]  # a message too

    assert LINE in made.everything
    assert "1 for you alone" in in_channel.everything
    assert "3 domains" in headline(post)
    assert "*Mine*" in manage.everything
    assert not any(
        "Mine" in each.everything for each in ready.ada.messages() + ready.ada.messages("dm")
    )


async def test_no_one_else_sees_it_in_a_list_on_home_or_by_its_name(ready: Harness) -> None:
    await ready.ask(ready.bob, LINE)

    listed = await open_list(ready, ready.ada)
    home = await opened(ready, ready.ada, "No digests yet")
    unknown = await ready.ask(ready.ada, "/domaindigest pause Mine")
    paused = await ready.ask(ready.bob, "/domaindigest pause Mine")
    own = await until_listed(ready, "Paused")

    for seen in (listed.everything, home.everything, unknown.everything):
        assert "Mine" not in seen.replace("`Mine`", "")
    assert "No digest here is called" in unknown.everything
    assert "Paused" in paused.everything
    assert "*Mine*" in own.everything


async def test_a_form_of_ones_own_has_no_channel_and_is_saved(ready: Harness) -> None:
    await ready.bob.type("/domaindigest daily 9am me")
    form = await settled(ready.bob)
    delivery = await ready.bob.submit(form, {"Time": "08:00"})
    assert not delivery.errors
    saved = await settled(ready.bob)
    change = await press_in(ready.bob, saved, "Change")
    await ready.bob.submit(change, {"Time": "07:00"})
    changed = await settled(ready.bob)

    assert "`9am`" in form.everything
    assert "Channel" not in form.values
    assert "at 08:00" in saved.everything
    assert "at 07:00" in changed.everything
    assert "for you alone" in changed.everything


async def test_it_is_paused_without_a_word_when_its_person_has_left(ready: Harness) -> None:
    await ready.ask(ready.bob, LINE)
    before = len(ready.ada.messages("dm")), len(ready.bob.messages("dm"))
    ready.slack.deactivate("bob")
    move_to(ready, nine(ready))
    await asyncio.sleep(60)
    told = len(ready.ada.messages("dm")), len(ready.bob.messages("dm"))
    ready.slack.world.workspace.member_named("bob").deleted = False
    listed = await until_listed(ready, "Paused")

    assert told == before
    assert "account was closed" in listed.everything


async def test_guests_make_none(ready: Harness) -> None:
    ready.slack.world.workspace.member_named("bob").is_restricted = True

    answer = await ready.ask(ready.bob, LINE)

    assert "Guests can't see or change digests" in answer.everything
