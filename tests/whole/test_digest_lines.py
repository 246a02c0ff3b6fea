"""Digests in one typed line, and acts on a digest by its name."""

import pytest

from bot.playground.slack import Message
from tests.whole.digests import open_list, settled, until_listed
from tests.whole.harness import Harness

pytestmark = [pytest.mark.anyio, pytest.mark.transports("socket")]


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


async def test_to_pause_or_resume_twice_tells_the_channel_once(ready: Harness) -> None:
    await typed(ready, "daily name:Prod", "Saved")
    for line, words in (("pause Prod", "Paused."), ("resume Prod", "Resumed.")):
        await typed(ready, line, words)
        await typed(ready, line, "already")

    seen = " ".join(each.everything for each in ready.ada.messages("general"))
    assert (seen.count("paused the digest"), seen.count("resumed the digest")) == (1, 1)


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
    assert "set up an alert" in told[0].everything
