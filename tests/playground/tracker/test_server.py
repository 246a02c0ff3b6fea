"""Who is let in: service document, sections 5 and 7, over real sockets.

The list, what is not there, and the hourly allowance: service document, sections 4 and 8.
"""

import httpx
import pytest

from bot.playground.tracker import Account, Tracker
from tests.playground.tracker.conftest import LIST, Api, Clock

READ, WRITE = "read_domains", "write_domains"


def refusal(response: httpx.Response) -> tuple[int, str]:
    return response.status_code, response.json()["error"]


@pytest.mark.parametrize(
    "header",
    [
        pytest.param(None, id="missing"),
        pytest.param("", id="empty"),
        pytest.param("{key}", id="no-scheme"),
        pytest.param("Basic {key}", id="wrong-scheme"),
        pytest.param("bearer {key}", id="lower-case-scheme"),
        pytest.param("Bearer  {key}", id="two-blanks"),
        pytest.param("Bearer {key}x", id="too-long"),
        pytest.param("Bearer {key} extra", id="two-words"),
        pytest.param("Bearer service_sk_short", id="too-short"),
        pytest.param("Bearer service_sk_" + "A" * 41, id="unknown"),
    ],
)
async def test_any_other_header_is_an_invalid_key(api: Api, key: str, header: str | None) -> None:
    headers = {} if header is None else {"Authorization": header.format(key=key)}

    response = await api.http.get(LIST, headers=headers)

    assert refusal(response) == (401, "Invalid API key")


async def test_an_expired_key_is_an_invalid_key(api: Api, clock: Clock, key: str) -> None:
    clock.move(days=90, seconds=-1)
    assert (await api.list(key)).status_code == 200

    clock.move(seconds=1)

    assert refusal(await api.list(key)) == (401, "Invalid API key")


async def test_an_address_that_is_not_listed_is_refused(api: Api, acme: Account) -> None:
    key = acme.create_key("bot", ips=("203.0.113.7",))

    assert refusal(await api.list(key)) == (403, "IP address not allowed")


@pytest.mark.parametrize(
    ("scopes", "listed", "added", "scanned"),
    [
        pytest.param((READ,), 200, 403, 403, id="read-only"),
        pytest.param((WRITE,), 403, 201, 200, id="write-only"),
        pytest.param((READ, WRITE), 200, 201, 200, id="read-and-write"),
        pytest.param(("admin",), 200, 201, 200, id="admin"),
        pytest.param(("read_reports", "write_alerts"), 403, 403, 403, id="other-resources"),
    ],
)
async def test_each_endpoint_needs_its_scope(
    api: Api, acme: Account, scopes: tuple[str, ...], listed: int, added: int, scanned: int
) -> None:
    key, record = acme.create_key("bot", scopes), acme.add("known.example")

    replies = [await api.list(key), await api.add(key), await api.scan(key, record.domain_id)]

    assert [reply.status_code for reply in replies] == [listed, added, scanned]
    for reply in replies:
        assert reply.status_code != 403 or reply.json()["error"] == "Insufficient permissions"


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


async def test_an_answer_can_be_cut_off(
    api: Api, tracker: Tracker, acme: Account, key: str
) -> None:
    tracker.fail_next("cut_off")

    with pytest.raises(httpx.RemoteProtocolError, match="complete message"):
        await api.add(key)
    assert len(acme.domains) == 1
