"""What becomes of a digest that Slack does not take, or for which few requests are left."""

from datetime import timedelta

import pytest

from tests.whole.digests import digests, make, move_to, next_digest, next_notice, nine, open_list
from tests.whole.harness import Harness

# Where a queue takes runs up again, there is more that could be done twice.
pytestmark = pytest.mark.transports("shared")

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


async def test_nothing_that_slack_may_have_posted_is_posted_again(ready: Harness) -> None:
    ways = {"09:00": "internal_error", "09:10": "fatal_error", "09:20": ""}
    for time in ways:
        await make(ready, {"Time": time})
    due, notices = nine(ready), []
    for number, error in enumerate(ways.values()):
        if error:
            ready.slack.fail_next("chat.postMessage", error)
        else:
            ready.slack.fail_next("chat.postMessage", kind="html", status=502)
        move_to(ready, due + number * 10 * MINUTE)
        notices.append(await next_notice(ready))
    move_to(ready, due + HOUR)
    listed = await open_list(ready, ready.bob)

    for notice in notices:
        assert "may be missing" in notice.everything
        assert "Send now" in notice.buttons
    assert listed.everything.count("may be missing:") == len(ways)
    assert digests(ready) == []


async def test_the_last_requests_of_an_hour_are_for_digests(ready: Harness) -> None:
    await make(ready, channel="secret")
    await ready.ask(ready.bob, "/domains")
    ready.tracker.hourly_limit = 40  # fewer than the twentieth part that is kept
    ready.clock.ahead += 2 * MINUTE
    await ready.ask(ready.bob, "/domains")
    refused = await ready.ask(ready.bob, "/scan shop.example")
    move_to(ready, nine(ready))
    post = await next_digest(ready, channel="secret")

    assert "last requests are reserved for digests" in refused.everything
    assert "3 domains" in post.everything
