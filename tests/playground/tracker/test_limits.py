"""The list, what is not there, and the hourly allowance: service document, sections 4 and 8."""

import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import Api, Clock

pytestmark = pytest.mark.anyio


async def test_the_request_beyond_the_limit_is_refused(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    tracker.hourly_limit = 2

    replies = [await api.list(key) for _ in range(3)]

    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert replies[2].json()["error"] == "Rate limit exceeded"
    assert [reply.headers["X-RateLimit-Remaining"] for reply in replies] == ["1", "0", "0"]


async def test_the_limit_holds_until_the_clock_hour_ends(
    api: Api, tracker: Tracker, clock: Clock, key: str
) -> None:
    tracker.hourly_limit = 1

    statuses = []
    for minutes in (0, 44, 1, 1):  # 10:15, 10:59, 11:00, 11:01
        clock.move(minutes=minutes)
        statuses.append((await api.list(key)).status_code)

    assert statuses == [200, 429, 200, 429]
