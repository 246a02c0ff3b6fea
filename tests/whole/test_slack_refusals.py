"""What Slack refuses: the plain twin, the other ways to answer, the press that comes too late.

A press that fails costs no one the message that they pressed in.
"""

from datetime import timedelta

import pytest

from tests.whole.harness import Harness

# The words are the same whatever carries them: one mode is enough for so many of them.
pytestmark = pytest.mark.transports("http")

NEW_BLOCKS = ("data_table", "container")


async def test_a_workspace_without_the_new_blocks_gets_the_plain_twin(ready: Harness) -> None:
    ready.slack.refuse_block_types(*NEW_BLOCKS)

    for line in ("/domains", "/scan shop.example"):
        answer = await ready.ask(ready.bob, line)

        assert "shop.example" in answer.everything
        assert not {block["type"] for block in answer.blocks} & set(NEW_BLOCKS), line


async def test_a_used_up_response_url_does_not_silence_a_scan(ready: Harness) -> None:
    await ready.bob.type("/scan")
    form = await ready.bob.next_form()
    ready.clock.ahead += timedelta(minutes=31)

    await ready.bob.submit(form, {"Domain": "shop.example"})

    assert "Scan of shop.example" in (await ready.answer(ready.bob)).everything


async def test_a_trigger_that_came_too_late_is_answered_with_another_try(ready: Harness) -> None:
    ready.slack.fail_next("views.open", error="expired_trigger_id")

    late = await ready.ask(ready.bob, "/scan")
    await ready.bob.press(late, "Try again")

    assert (await ready.bob.next_form()).title == "Scan a domain"


async def test_no_one_is_an_admin_when_slack_does_not_answer(ready: Harness) -> None:
    ready.slack.fail_next("users.info", kind="html", times=3)

    answer = await ready.ask(ready.ada, "/domainkey")

    assert "Slack returned an unexpected response" in answer.everything
    assert "Try again" in answer.buttons


async def test_somebody_of_another_workspace_cannot_press_what_was_shared(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, "/scan shop.example", channel="shared")
    await ready.bob.press(answer, "Share")
    zoe = ready.slack.person("zoe")
    zoe.member.is_stranger, zoe.member.is_admin = False, True  # as Slack may say of her
    shared = await zoe.next_message(channel="shared")
    ready.tracker.requests.clear()

    await zoe.press(shared, "Show all")

    refused = await zoe.next_message(channel="shared")
    assert "Only members of the workspace" in refused.everything
    assert zoe.form is None


async def test_a_share_that_fails_leaves_the_list_where_it_is(ready: Harness) -> None:
    listed = await ready.ask(ready.bob, "/domains")
    ready.clock.ahead += ready.clock.ahead.resolution * 61_000_000
    ready.tracker.fail_next("500", times=9)

    failure = await ready.press(ready.bob, listed, "Share")

    assert "Reference" in failure.everything
    assert next(message.everything for message in ready.bob.messages()) == listed.everything
    ready.tracker.faults.clear()
    await ready.bob.press(listed, "Share")
    assert "Shared by" in (await ready.slack.person("cy").next_message()).everything


async def test_an_answer_comes_below_the_pressed_message(ready: Harness) -> None:
    scan = await ready.ask(ready.bob, "/scan shop.example")

    for count, label in enumerate(("Scan again", "All domains"), 2):
        await ready.press(ready.bob, scan, label)

        shown = [message.everything for message in ready.bob.messages()]
        assert len(shown) == count, label
        assert shown[0] == scan.everything
        assert "⏳" not in str(shown)


@pytest.mark.transports("socket")
async def test_try_again_acts_once_per_message_unless_it_fails(ready: Harness) -> None:
    ready.tracker.fail_next("500", on="scan", times=2)
    failure = await ready.ask(ready.bob, "/scan shop.example")

    assert "Try again" in (await ready.press(ready.bob, failure, "Try again")).buttons
    assert "Scan again" in (await ready.press(ready.bob, failure, "Try again")).buttons
    again = await ready.press(ready.bob, failure, "Try again")

    assert "This is already done" in again.everything
    assert ready.service_requests().count(("POST", "scan")) == 3
