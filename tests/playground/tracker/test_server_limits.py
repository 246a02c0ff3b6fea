"""The list, what is not there, and the hourly allowance: service document, sections 4 and 8."""

from typing import Any

import httpx
import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import LIST, Api, Clock, bearer


async def test_the_limit_is_kept(api: Api, tracker: Tracker, acme: Account, key: str) -> None:
    tracker.hourly_limit = 2

    replies = [await api.list(key) for _ in range(3)]

    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert replies[2].json()["error"] == "Rate limit exceeded"
    assert [reply.headers["X-RateLimit-Remaining"] for reply in replies] == ["1", "0", "0"]


async def test_the_limit_ends_with_the_hour(
    api: Api, tracker: Tracker, clock: Clock, key: str
) -> None:
    tracker.hourly_limit = 1

    statuses = []
    for minutes in (0, 44, 1, 1):  # 10:15, 10:59, 11:00, 11:01
        clock.move(minutes=minutes)
        statuses.append((await api.list(key)).status_code)

    assert statuses == [200, 429, 200, 429]


@pytest.mark.parametrize(
    ("method", "path", "sent", "status"),
    [
        ("GET", "/", {}, 404),
        ("DELETE", LIST, {}, 405),
        ("GET", LIST + "?sort=score", {}, 400),
        ("GET", LIST, {"json": {}}, 400),
        ("POST", LIST, {"json": ["shop.example"]}, 400),
        ("POST", LIST, {"content": b"{", "headers": {"Content-Type": "application/json"}}, 400),
        ("POST", LIST, {"data": {"domain": "shop.example"}}, 415),
    ],
)
async def test_an_undocumented_request_is_refused(
    api: Api, key: str, method: str, path: str, sent: dict[str, Any], status: int
) -> None:
    sent |= {"headers": bearer(key) | sent.get("headers", {})}

    assert (await api.http.request(method, path, **sent)).status_code == status


async def test_an_answer_can_be_cut_off(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    tracker.fail_next("cut_off")

    with pytest.raises(httpx.RemoteProtocolError, match="complete message"):
        await api.add(key)
    assert len(acme.domains) == 1
