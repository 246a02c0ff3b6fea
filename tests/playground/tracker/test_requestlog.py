"""What the tracker remembers of requests, and that a key is nowhere in it."""

import asyncio
import logging

import httpx
import pytest

from bot.playground.tracker import Account, Request, Tracker
from tests.fakes import TIME_LIMIT_S
from tests.playground.tracker.conftest import LIST, Api, Clock

pytestmark = pytest.mark.anyio


async def test_a_request_is_remembered(api: Api, tracker: Tracker, clock: Clock, key: str) -> None:
    await api.add(key)

    assert tracker.requests == [
        Request(
            method="POST",
            path=LIST,
            at=clock.now,
            endpoint="add",
            account="acme",
            key_name="bot",
            status=201,
            body={"domain": "shop.example", "domainType": "owned"},
        )
    ]


async def test_a_refused_request_is_remembered_with_its_account(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    acme.delete_key(key)

    await api.list(key)
    await api.list("service_sk_" + "A" * 41)

    assert [(seen.account, seen.status) for seen in tracker.requests] == [
        ("acme", 401),
        (None, 401),
    ]


@pytest.mark.parametrize(
    "place", ["header", "path", "query", "body", "refused", "dropped", "other_header"]
)
async def test_a_key_is_nowhere_to_be_read(
    api: Api,
    tracker: Tracker,
    acme: Account,
    key: str,
    place: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG, logger="bot")

    await send_key_in(place, api, tracker, key)

    seen = repr((tracker, tracker.requests, acme, acme.keys, vars(acme)))
    assert key not in seen + caplog.text
    assert key[11:] not in seen + caplog.text
    assert tracker.requests[0].key_elsewhere is (
        place in {"path", "query", "body", "other_header"}
    )


async def send_key_in(place: str, api: Api, tracker: Tracker, key: str) -> None:
    match place:
        case "path":
            await api.scan(key, key)
        case "query":
            await api.http.get(LIST, params={"key": key})
        case "body":
            await api.scan(key, "dom_1", f"my key is {key}!")
        case "other_header":
            await api.http.get(LIST, headers={"X-Api-Key": key})
        case "refused":
            tracker.account("acme").delete_key(key)
            await api.list(key)
        case "dropped":
            tracker.fail_next("cut_off")
            with pytest.raises(httpx.RemoteProtocolError, match="complete message"):
                await api.add(key)
        case _:
            await api.list(key)


async def test_a_request_that_cannot_be_parsed_leaves_no_key_in_the_log(
    tracker: Tracker, key: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)

    answer = await send_raw(tracker, f"GET / HTTP/1.1\r\nAuthorization: Bearer {key}\0\r\n\r\n")

    assert answer.startswith(b"HTTP/1.0 400 ")
    assert "Bearer service_sk_…" in caplog.text
    assert key not in caplog.text


async def send_raw(tracker: Tracker, text: str, *, hang_up: bool = False) -> bytes:
    """Send what no HTTP client would, and return the answer until the tracker closes."""
    host, port = tracker.url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(text.encode())
    if hang_up:
        writer.write_eof()
    async with asyncio.timeout(TIME_LIMIT_S):
        answer = await reader.read()
    writer.close()
    return answer
