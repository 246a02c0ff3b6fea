"""Digests when something is wrong: with the key, the service, Slack, the bot, or what is typed."""

from datetime import timedelta
from pathlib import Path

import pytest

from tests.whole.digests import (
    DAY,
    at_nine,
    digests,
    make,
    move_to,
    next_digest,
    next_notice,
    nine,
    open_list,
    press_in,
    until_listed,
)
from tests.whole.harness import Harness, running_bot, running_stand_ins

pytestmark = pytest.mark.transports("socket")

MINUTE = timedelta(minutes=1)


@pytest.mark.transports("shared")
async def test_a_busy_slack_gets_what_is_sent_now_a_little_later(ready: Harness) -> None:
    await make(ready)
    ready.slack.fail_next("chat.postMessage", "ratelimited", retry_after_s=1)

    sent = await press_in(ready.bob, await open_list(ready, ready.bob), "Send now")
    await next_digest(ready)
    notice = await next_notice(ready)

    assert "On its way" in sent.everything
    assert "Your digest is now posted" in notice.everything
    assert len(digests(ready)) == 1


@pytest.mark.transports("http")
async def test_without_a_service_the_digest_waits_and_comes_late(ready: Harness) -> None:
    await make(ready)
    ready.tracker.fail_next("503", times=50)
    move_to(ready, nine(ready))
    await until_listed(ready, "Domain Tracker did not answer")
    ready.tracker.faults.clear()
    move_to(ready, ready.clock() + 20 * MINUTE)

    post = await next_digest(ready)

    assert "late" in post.everything.lower()


async def test_a_new_key_sends_each_waiting_digest_once(ready: Harness) -> None:
    await make(ready)
    await make(ready, channel="secret")
    ready.account.revoke_key(ready.key)
    move_to(ready, nine(ready))
    notice = await next_notice(ready, ready.ada)

    await ready.connect()
    await next_digest(ready)
    await next_digest(ready, channel="secret")
    await open_list(ready, ready.bob)

    assert "key" in notice.everything
    assert (len(digests(ready)), len(digests(ready, "secret"))) == (1, 1)
    notices = [each for each in ready.ada.messages("dm") if "no longer works" in each.everything]
    assert [message.ts for message in notices] == [notice.ts]


@pytest.mark.transports("shared")
async def test_a_slot_is_posted_once_across_restarts(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        async with running_bot(app):
            app.account.add("shop.example", health=41)
            await app.connect()
            await make(app)
            await at_nine(app)
        for _ in range(2):
            async with running_bot(app):
                await open_list(app, app.bob)

        assert len(digests(app)) == 1


async def test_days_of_downtime_bring_one_post(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        async with running_bot(app):
            app.account.add("shop.example", health=41)
            await app.connect()
            await make(app)
        move_to(app, nine(app) + 3 * DAY + 60 * MINUTE)
        async with running_bot(app):
            post = await next_digest(app)
            notice = await next_notice(app)

        assert "late" in post.everything.lower()
        assert "3" in notice.everything
        assert "missed" in post.everything
        assert len(digests(app)) == 1
