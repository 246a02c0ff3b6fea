"""What the client's budget learns from a request that goes ahead after a wait."""

from collections.abc import AsyncIterator

import httpx
import pytest

from bot.tracker.client import Limits, TrackerClient
from bot.tracker.models import UnavailableError
from bot.tracker.rate_limit import RateLimiter, fingerprint

pytestmark = pytest.mark.anyio


async def nothing() -> AsyncIterator[bytes]:
    yield b""


async def test_an_outage_met_after_a_wait_is_told_to_the_next_asker_too() -> None:
    now = [100.0]
    budget = RateLimiter(clock=lambda: now[0], chance=lambda: 0.5)
    now[0] += budget.record_rate_limit(fingerprint("key"), 10)
    outage = httpx.MockTransport(lambda _request: httpx.Response(503, content=nothing()))

    async with httpx.AsyncClient(transport=outage) as http:
        limits = Limits(attempts=1, retry_wait_s=0)
        client = TrackerClient(http, base_url="http://tracker", budget=budget, limits=limits)
        for _ in range(2):
            with pytest.raises(UnavailableError):
                await client.list_domains("key")
