"""A press that fails costs no one the message that they pressed in."""

import pytest

from tests.whole.harness import Harness

pytestmark = pytest.mark.transports("http")


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


@pytest.mark.transports("socket")
async def test_a_key_typed_as_a_tag_is_not_sent_to_the_service(ready: Harness) -> None:
    answer = await ready.ask(ready.bob, f"/adddomain blog.example tag:{ready.key}")

    assert "exposed" in answer.everything
    assert ready.tracker.requests == []
