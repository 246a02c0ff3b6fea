"""Each way in which a service, or a proxy before it, can fail."""

import httpx
import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import Api

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("kind", "status", "body"),
    [
        ("500", 500, '{"error": "Internal server error"}'),
        ("503", 503, '{"error": "Service temporarily unavailable"}'),
        ("empty_200", 200, ""),
        ("foreign_json", 200, '{"hello": ["world", {"n": 1}], "data": 7}'),
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


async def test_a_fault_can_wait_for_its_endpoint(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    record = acme.add("known.example")
    tracker.fail_next("500", on="scan")
    tracker.fail_next("503", on="add")

    replies = [await api.list(key), await api.add(key), await api.scan(key, record.domain_id)]

    assert [reply.status_code for reply in replies] == [200, 503, 500]


@pytest.mark.parametrize(("kind", "is_added"), [("drop", False), ("drop_after", True)])
async def test_a_connection_can_be_closed_before_the_answer(
    api: Api, tracker: Tracker, acme: Account, key: str, kind: str, is_added: bool
) -> None:
    tracker.fail_next(kind)

    with pytest.raises(httpx.RemoteProtocolError):
        await api.add(key)

    assert bool(acme.domains) is is_added
    assert tracker.requests[0].status is None


async def test_an_answer_can_be_cut_off_on_the_way(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    tracker.fail_next("cut_off")

    with pytest.raises(httpx.RemoteProtocolError, match="complete message"):
        await api.add(key)

    assert len(acme.domains) == 1
