"""Each way in which a service, or a proxy before it, can fail."""

import httpx
import pytest

from bot.playground.tracker import Account, Tracker
from bot.playground.tracker.service import FaultPlan
from tests.playground.tracker.conftest import LIST, Api, bearer

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("kind", "status", "body"),
    [
        ("500", 500, '{"error": "Internal server error"}'),
        ("502", 502, "Bad Gateway\n"),
        ("503", 503, '{"error": "Service temporarily unavailable"}'),
        ("empty_200", 200, ""),
        ("foreign_json", 200, '{"hello": ["world", {"n": 1}], "data": 7}'),
        ("teapot", 418, "short and stout\n"),
    ],
)
async def test_a_fault_answers_in_place_of_the_service(
    api: Api, tracker: Tracker, acme: Account, key: str, kind: str, status: int, body: str
) -> None:
    tracker.fail_next(kind)

    response = await api.add(key)

    assert (response.status_code, response.text) == (status, body)
    assert acme.domains == {}
    assert acme.keys[0].last_used_at is None
    assert response.headers["X-RateLimit-Remaining"] == "1000"


async def test_a_forced_rate_limit_says_that_nothing_remains(
    api: Api, tracker: Tracker, key: str
) -> None:
    tracker.fail_next("rate_limit")

    assert (await api.list(key)).headers["X-RateLimit-Remaining"] == "0"


async def test_a_fault_can_wait_for_its_endpoint(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    record = acme.add("known.example")
    tracker.fail_next("502", on="scan")
    tracker.fail_next("503", on="add")

    replies = [await api.list(key), await api.add(key), await api.scan(key, record.domain_id)]

    assert [reply.status_code for reply in replies] == [200, 503, 502]


@pytest.mark.parametrize("planned", [{"what": "5000"}, {"what": "500", "on": "lists"}])
def test_a_misspelt_fault_is_refused(planned: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="choose one of"):
        FaultPlan().plan(**planned)  # type: ignore[arg-type]  # a str is never `times` here


@pytest.mark.parametrize(("kind", "is_added"), [("drop", False), ("drop_after", True)])
async def test_a_connection_can_be_closed_before_the_answer(
    api: Api, tracker: Tracker, acme: Account, key: str, kind: str, is_added: bool
) -> None:
    tracker.fail_next(kind)

    with pytest.raises(httpx.RemoteProtocolError):
        await api.add(key)

    assert bool(acme.domains) is is_added
    assert tracker.requests[0].status is None


async def test_a_truncated_answer_is_half_of_the_json(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    tracker.fail_next("truncated")

    response = await api.add(key)

    assert response.status_code == 201
    assert response.text.startswith('{"domainId"')
    assert not response.text.endswith("}")
    assert len(acme.domains) == 1


async def test_an_answer_can_be_cut_off_on_the_way(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    tracker.fail_next("cut_off")

    with pytest.raises(httpx.RemoteProtocolError, match="complete message"):
        await api.add(key)

    assert len(acme.domains) == 1


async def test_a_followed_redirect_is_counted(api: Api, tracker: Tracker, key: str) -> None:
    tracker.fail_next("redirect", times=2)

    stayed = await api.list(key)
    assert (stayed.status_code, tracker.followed_redirects) == (302, 0)
    await api.http.get(LIST, headers=bearer(key), follow_redirects=True)

    assert tracker.followed_redirects == 1
    assert [request.account for request in tracker.requests] == ["acme", "acme", "acme"]
