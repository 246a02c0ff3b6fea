"""Digests as people meet them (D1–D20): real sockets, a real store, a clock that is moved."""

import asyncio

import pytest

from bot.blocks.text import moment_text
from tests.whole.digests import (
    at_nine,
    digests,
    headline,
    make,
    move_to,
    next_digest,
    next_notice,
    nine,
    open_list,
    press_in,
    score,
    settled,
    until_listed,
)
from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("socket")


@pytest.mark.transports("shared")
async def test_a_double_press_of_send_now_posts_once(ready: Harness) -> None:
    listed = await make(ready)
    score(ready, "shop.example", 12)

    press = ready.bob.press(listed, "Send now")
    await asyncio.gather(press, ready.bob.press(listed, "Send now"))
    sent = await settled(ready.bob)
    once = len(digests(ready))
    again = await press_in(ready.bob, sent, "Send now")

    assert ("Sent" in sent.everything, "Sent" in again.everything) == (True, True)
    assert (once, len(digests(ready))) == (1, 2)
    assert all("12" in post.everything for post in digests(ready))


async def test_a_new_issue_is_posted_and_details_are_private(ready: Harness) -> None:
    await make(ready, {"Post": "When something got worse"})
    first = await at_nine(ready)
    for number in range(4):
        ready.account.add(f"added{number}.example", health=99)
    issue = b'{"severity": "critical", "title": "Listed on a mail blacklist"}'
    ready.tracker.answer_next(body=b'{"security": {"issues": [%s]}}' % issue, on="scan")
    await ready.bob.type("/scan shop.example")
    await ready.bob.next_message(where=lambda message: "Scan of" in message.everything)
    second = await at_nine(ready)
    # The post is there before the store says so, and with it that the first one is old.
    await until_listed(ready, f"Last run {moment_text(ready.clock())}")
    requests = ready.service_requests()

    await ready.ada.press(second, "Details")
    details = await ready.ada.next_message(where=lambda each: "Digest details" in each.everything)
    await ready.ada.press(first, "Details")
    gone = await ready.ada.next_message(where=lambda each: "newer digest" in each.everything)

    assert "New issues" in second.everything
    assert "Critical: Listed on a mail blacklist" in second.text
    assert "Still open" not in second.everything
    assert "4 domains new" in second.everything
    assert "added3.example" not in second.everything
    assert "added3.example" in details.everything
    assert (details.is_ephemeral, gone.is_ephemeral) == (True, True)
    assert ready.service_requests() == requests
    assert len(digests(ready)) == 2


@pytest.mark.transports("http")
async def test_buttons_of_a_post_list_digests_and_scan_the_worst(ready: Harness) -> None:
    await make(ready)
    post = await at_nine(ready)

    await ready.ada.press(post, "Manage")
    listed = await settled(ready.ada)
    await ready.ada.press(post, "Scan worst")
    answer = await ready.ada.next_message(where=lambda message: "Scan of" in message.everything)

    assert "1 digest" in listed.everything
    assert "Scan of shop.example" in answer.everything
    assert answer.is_ephemeral


async def test_the_app_greets_a_channel_and_resumes_its_digests(ready: Harness) -> None:
    await make(ready)
    ready.slack.archive("general")
    move_to(ready, nine(ready))
    await next_notice(ready)
    ready.slack.unarchive("general")

    await ready.slack.invite_bot("general")  # archiving has taken it out
    greeting = await ready.bob.next_message(where=lambda each: "is in this channel" in each.text)
    general = ready.slack.channel("general")
    joins = {"type": "member_joined_channel", "user": ready.ada.id, "channel": general.id}
    await ready.slack.deliver_event(joins)  # of a person: no word
    await ready.bob.press(greeting, "Make a digest")
    form = await settled(ready.bob)
    post = await at_nine(ready)

    assert sum("is in this channel" in each.text for each in general.messages) == 1
    assert "goes on: next" in greeting.everything
    assert "Next five runs" in form.everything
    assert headline(post)


@pytest.mark.transports("http")
async def test_digests_due_together_cost_one_request(ready: Harness) -> None:
    await make(ready)
    await make(ready, channel="secret")  # with a filter, its maker would ask for a list too
    ready.tracker.requests.clear()

    await at_nine(ready)
    await next_digest(ready, channel="secret")

    assert ready.service_requests() == [("GET", "domain-tracker")]


async def test_a_preview_is_for_one_person_alone_and_changes_nothing(ready: Harness) -> None:
    listed = await make(ready)

    preview = await press_in(ready.bob, listed, "Preview")
    await ready.bob.close(preview)
    below = ready.bob.form
    again = await open_list(ready, ready.bob)

    assert "only you can see this" in preview.everything
    assert "3 domains" in preview.everything
    assert preview.buttons == []
    assert below is not None
    assert below.id == listed.id
    assert "Preview" in below.buttons
    assert "No runs yet" in again.everything
    for person in (ready.bob, ready.ada):
        assert not any("Preview" in each.everything for each in person.messages())
