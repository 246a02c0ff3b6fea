"""What the tracker remembers of requests, and that a key is nowhere in it."""

import pytest

from bot.playground.tracker import Account, Request, Tracker
from tests.playground.tracker.conftest import LIST, Api, Clock

pytestmark = pytest.mark.anyio


async def test_a_request_is_remembered(
    api: Api, tracker: Tracker, acme: Account, clock: Clock, key: str
) -> None:
    await api.add(key)
    await api.list("service_sk_" + "A" * 41)

    body = {"domain": "shop.example", "domainType": "owned"}
    assert tracker.requests == [
        Request("POST", LIST, clock.now, "add", "acme", "bot", 201, body),
        Request("GET", LIST, clock.now, "list", status=401),
    ]


async def test_a_key_is_nowhere_to_be_read(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    await api.scan(key, key, f"my key is {key}!")
    await api.http.get(LIST, params={"key": key})
    acme.delete_key(key)
    await api.list(key)

    seen = repr((tracker, tracker.requests, acme, acme.keys, vars(acme)))
    assert len(tracker.requests) == 3
    assert key[11:] not in seen
