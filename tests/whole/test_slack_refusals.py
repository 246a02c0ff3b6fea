"""What Slack refuses: the plain twin, the other ways to answer, the press that comes too late."""

from datetime import timedelta

import pytest

from tests.whole.harness import Harness

# The words are the same whatever carries them: one mode is enough for so many of them.
pytestmark = pytest.mark.transports("shared")

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
