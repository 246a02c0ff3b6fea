"""The list, what is not there, and the hourly allowance: service document, sections 4 and 8."""

import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import LIST, Api, Clock, bearer

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


async def test_a_list_request_with_a_body_is_refused(api: Api, key: str) -> None:
    response = await api.http.request("GET", LIST, headers=bearer(key), json={})

    assert response.status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/", 404, id="root"),
        pytest.param("GET", LIST + "/", 404, id="trailing-slash"),
        pytest.param("DELETE", LIST, 405, id="delete"),
        pytest.param("HEAD", LIST, 405, id="head"),
        pytest.param("GET", LIST + "/x/scan", 405, id="get-a-scan"),
        pytest.param("POST", LIST + "//scan", 404, id="scan-without-id"),
    ],
)
async def test_what_is_not_in_the_document_is_not_there(
    api: Api, key: str, method: str, path: str, status: int
) -> None:
    response = await api.http.request(method, path, headers=bearer(key))

    assert response.status_code == status


async def test_a_request_with_a_query_is_refused(api: Api, key: str) -> None:
    reply = await api.http.get(f"{LIST}?sort=score", headers=bearer(key))

    assert (reply.status_code, reply.json()) == (400, {"error": "A request has no query"})
