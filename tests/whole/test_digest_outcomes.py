"""What becomes of a digest that Slack does not take, or for which few requests are left."""

from datetime import timedelta

import pytest

from tests.whole.digests import (
    digests,
    make,
    move_to,
    next_digest,
    next_notice,
    nine,
    open_list,
)
from tests.whole.town import Town

pytestmark = pytest.mark.anyio

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def mode(database: str) -> str:
    """Where a queue takes runs up again, there is more that could be done twice."""
    return database


async def test_nothing_that_slack_may_have_posted_is_posted_again(shop: Town) -> None:
    ways = {"09:00": "internal_error", "09:10": "fatal_error", "09:20": ""}
    for time in ways:
        await make(shop, {"Time": time})
    due, notices = nine(shop), []
    for number, error in enumerate(ways.values()):
        if error:
            shop.slack.fail_next("chat.postMessage", error)
        else:
            shop.slack.fail_next("chat.postMessage", kind="html", status=502)
        move_to(shop, due + number * 10 * MINUTE)
        notices.append(await next_notice(shop))
    move_to(shop, due + HOUR)
    listed = await open_list(shop, shop.bob)

    for notice in notices:
        assert "may be missing" in notice.everything
        assert "Send now" in notice.buttons
    assert listed.everything.count("maybe posted") == len(ways)
    assert digests(shop) == []


async def test_a_channel_that_takes_no_posts_of_apps_pauses_its_digest(shop: Town) -> None:
    await make(shop)
    shop.slack.restrict("general")

    move_to(shop, nine(shop))
    notice = await next_notice(shop)
    shop.slack.unrestrict("general")
    await shop.bob.press(notice, "Resume")
    answer = await next_notice(shop)
    move_to(shop, nine(shop))
    await next_digest(shop)

    assert "do not let the bot post" in notice.everything
    assert "Resumed" in answer.everything
    assert len(digests(shop)) == 1


async def test_the_last_requests_of_an_hour_are_for_digests(shop: Town) -> None:
    await make(shop, channel="secret")
    await shop.ask(shop.bob, "/domains")
    shop.acme.key(shop.key).hourly_limit = 40  # fewer than the twentieth part that is kept
    shop.clock.ahead += 2 * MINUTE
    await shop.ask(shop.bob, "/domains")
    refused = await shop.ask(shop.bob, "/scan shop.example")
    move_to(shop, nine(shop))
    post = await next_digest(shop, channel="secret")

    assert "last requests are reserved for digests" in refused.everything
    assert "3 domains" in post.everything
