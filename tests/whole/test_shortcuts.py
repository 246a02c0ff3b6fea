"""Shortcuts: the forms from anywhere, and the domains that a message names."""

import pytest

from bot.playground.slack import Message, Person, View
from bot.playground.slack.posting import OTHER_BOT_ID
from tests.whole.harness import Harness
from tests.whole.test_alerts import redrawn

pytestmark = pytest.mark.transports("socket")

IN_MESSAGE = "Scan domains in message"


async def found(person: Person, message: Message) -> View:
    """Use the shortcut of a message; return the form with what was found."""
    await person.message_shortcut(message, IN_MESSAGE)
    while "⏳" in (form := await person.next_form()).everything:
        pass
    return form


async def test_a_global_shortcut_answers_in_the_direct_message(ready: Harness) -> None:
    await ready.bob.shortcut("Scan a domain")
    await ready.bob.submit(await ready.bob.next_form(), {"Domain": "shop.example"})
    scanned = await redrawn(ready.bob, "Scan of shop.example", "dm")
    await ready.bob.shortcut("Add a domain")
    await ready.bob.submit(await ready.bob.next_form(), {"Domain": "more.example"})

    assert (await redrawn(ready.bob, "Added", "dm")).buttons
    assert "Share" not in scanned.buttons
    assert ready.bob.messages() == []


async def test_domains_of_a_message_are_scanned_and_shared(ready: Harness) -> None:
    cy = ready.slack.person("cy")
    start = cy.say("shop.example and www.example are slow, more.example is down")
    cy.say("Anybody?", thread_ts=start.ts)

    form = await found(ready.bob, start)
    answers = {"Scan": ["shop.example", "www.example"], "Add to your portfolio": ["more.example"]}
    await ready.bob.submit(form, answers)
    first = await redrawn(ready.bob, "Scan of shop.example")
    second = await redrawn(ready.bob, "Scan of www.example")
    added = await redrawn(ready.bob, "Added")

    for answer in (first, second, added):
        assert (answer.thread_ts, answer.seen_by) == (start.ts, ready.bob.id)
    assert len(ready.bob.messages()) == 5  # nothing but the answers
    await ready.bob.press(first, "Share in thread")
    shared = await redrawn(cy, "Scan of shop.example")
    assert (shared.thread_ts, shared.is_ephemeral) == (start.ts, False)
    assert "Shared by" in shared.everything


async def test_blocks_of_a_bots_message_are_read_anywhere(ready: Harness) -> None:
    """In a thread without replies Slack would not show an answer to one person."""
    channel, cy = ready.slack.channel("random"), ready.slack.person("cy")
    alarm = {"blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "`shop.example`"}}]}
    start = ready.slack.world.posting.add(channel, alarm, user=OTHER_BOT_ID)

    await ready.bob.submit(await found(ready.bob, start))
    answer = await redrawn(ready.bob, "Scan of shop.example", "random")
    await ready.bob.press(answer, "Share in thread")
    shared = await redrawn(cy, "Scan of shop.example", "random")
    form = await found(cy, start)
    ready.slack.world.posting.remove(start)
    await cy.submit(form)
    again = await redrawn(cy, "Scan of shop.example", "random")

    assert (answer.thread_ts, answer.seen_by) == (None, ready.bob.id)
    assert (shared.thread_ts, shared.is_ephemeral) == (start.ts, False)
    assert again.is_ephemeral


async def test_a_failure_is_shown_in_the_form_of_the_shortcut(ready: Harness) -> None:
    ready.tracker.fail_next("invalid_key", on="list")

    form = await found(ready.bob, ready.bob.say("shop.example"))

    assert "key" in form.everything


async def test_ten_answers_fit_into_slacks_five(
    ready: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    """https://docs.slack.dev/interactivity/handling-user-interaction#message_responses"""
    names = [f"n{number}.example" for number in range(8)]
    for name in names:
        ready.account.add(name)
    form = await found(ready.bob, ready.bob.say(" ".join(names)))

    await ready.bob.submit(form)
    for name in names:
        await redrawn(ready.bob, f"Scan of {name}")

    assert "answer failed" not in capsys.readouterr().out
