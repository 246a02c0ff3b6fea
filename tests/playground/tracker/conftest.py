"""A running Domain Tracker, its clock, an account with a key, and a plain HTTP client."""

import ssl
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from bot.playground.tracker import Account, Tracker, running_tracker
from tests.fakes import TIME_LIMIT_S

# httpx would read all certificates of the machine for each client: 20 ms of processor time.
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
LIST = "/api/tools/domain-tracker"


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 9, 10, 15, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, **ahead: float) -> None:
        self.now += timedelta(**ahead)


class Api:
    """An HTTP client that sends one key and knows the three endpoints."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self.http = http

    async def list(self, key: str) -> httpx.Response:
        return await self.http.get(LIST, headers=bearer(key))

    async def add(self, key: str, **body: object) -> httpx.Response:
        body = {"domain": "shop.example", "domainType": "owned"} | body
        return await self.http.post(LIST, headers=bearer(key), json=body)

    async def scan(self, key: str, domain_id: str, action: object = "full_scan") -> httpx.Response:
        path = f"{LIST}/{domain_id}/scan"
        return await self.http.post(path, headers=bearer(key), json={"action": action})


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def tracker(clock: Clock) -> AsyncIterator[Tracker]:
    async with running_tracker(clock=clock) as tracker:
        yield tracker


@pytest.fixture
async def api(tracker: Tracker) -> AsyncIterator[Api]:
    async with httpx.AsyncClient(
        base_url=tracker.url, timeout=TIME_LIMIT_S, trust_env=False, verify=NO_TLS
    ) as http:
        yield Api(http)


@pytest.fixture
def acme(tracker: Tracker) -> Account:
    return tracker.account("acme")


@pytest.fixture
def key(acme: Account) -> str:
    return acme.create_key("bot")
