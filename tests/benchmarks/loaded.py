"""The bot's engine for many workspaces in a process of its own, which measures itself.

It reads one line of JSON (see `Orders`), says `ready`, follows the clock that its parent sets,
and when that ends tells what it has measured, as JSON.
"""

import asyncio
import json
import resource
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.api_keys.key_record import StoredKey
from bot.api_keys.key_service import WorkspaceTracker
from bot.api_keys.repository import Keys
from bot.concurrency import Tasks
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery, DigestRenderer
from bot.digests.failure_policy import Owners
from bot.digests.repository import DigestRepository
from bot.digests.worker import DigestWorker
from bot.jobs.scheduler import ticking
from bot.logs import set_up_logs
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.service import Portfolio
from bot.slack.posting import Posting
from bot.store.documents import Document, Documents
from bot.store.encryption import KeyRing
from bot.store.sqlite import open_sqlite
from bot.tracker.client import TrackerClient
from bot.tracker.http import tracker_http
from bot.tracker.rate_limit import RateLimiter
from bot.views.digests.alert import alert_message
from bot.views.digests.post import announcement_message, digest_message, heartbeat_message
from bot.views.digests.trouble import owner_notices
from bot.workspace import WorkspaceId
from tests.benchmarks.handed import HandedClock
from tests.benchmarks.meter import metered

FINISH_WITHIN_S = 20


@dataclass(frozen=True, kw_only=True)
class Orders:
    """`slacks`: address of the Web API and token, by workspace."""

    database: str
    ring: str
    tracker_url: str
    tick_s: float
    slacks: Mapping[str, tuple[str, str]]


@dataclass
class Counted:
    """A store that counts its writes and how long each took, and tells of the first."""

    documents: Documents
    at_first: Callable[[], object]
    writes_s: list[float] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.documents, name)

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        self.at_first()
        before = time.perf_counter()
        document = await self.documents.put(key, value, **how)
        self.writes_s.append(time.perf_counter() - before)
        return document


async def work(orders: Orders) -> dict[str, Any]:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    clock = await asyncio.to_thread(HandedClock, lambda: loop.call_soon_threadsafe(stop.set))
    async with AsyncExitStack() as stack:
        documents = await open_sqlite(Path(orders.database))
        stack.push_async_callback(documents.close)
        meter = await stack.enter_async_context(metered())
        counted, tasks = Counted(documents, meter.end_idling), Tasks()
        rounds = await _rounds(stack, orders, cast(Documents, counted), tasks, clock)
        began_kb, began_cpu_s = _peak_memory_kb(), time.process_time()
        async with ticking(rounds.run_due, every_s=orders.tick_s):
            _say("ready")
            await stop.wait()
        done = await tasks.drain(FINISH_WITHIN_S)
        return meter.told() | {
            "is_done": done,
            "writes": len(counted.writes_s),
            "write_mean_s": sum(counted.writes_s) / max(1, len(counted.writes_s)),
            "write_max_s": max(counted.writes_s, default=0.0),
            "memory_began_mb": began_kb / 1024,
            "memory_peak_mb": _peak_memory_kb() / 1024,
            "cpu_s": time.process_time() - began_cpu_s,
        }


async def _rounds(
    stack: AsyncExitStack, orders: Orders, documents: Documents, tasks: Tasks, clock: HandedClock
) -> DigestWorker:
    """Join the engine as bot/bootstrap/features.py does, with one client for each workspace."""
    slack_http = await stack.enter_async_context(aiohttp.ClientSession())
    clients = {
        WorkspaceId.parse(name): AsyncWebClient(
            token=token, base_url=url, timeout=10, session=slack_http, retry_handlers=[]
        )
        for name, (url, token) in orders.slacks.items()
    }

    async def client_for(workspace: WorkspaceId) -> AsyncWebClient:
        return clients[workspace]

    http = await stack.enter_async_context(tracker_http())
    tracker = TrackerClient(http, base_url=orders.tracker_url, budget=RateLimiter())
    keys = Keys(documents, KeyRing.parse(orders.ring), clock=clock)
    portfolio = Portfolio(WorkspaceTracker(tracker, keys, on_refusal=_nobody), clock=clock)
    shelf, posting = DigestRepository(documents), Posting(client_for)
    delivery = Delivery(
        shelf,
        Collector(portfolio, shelf, KeptEndDates(documents), clock=clock),
        posting,
        DigestRenderer(digest_message, heartbeat_message, announcement_message, alert_message),
        clock=clock,
    )
    owners = Owners(posting, keys, owner_notices)
    return DigestWorker(shelf, delivery, owners, tasks, clock=clock)


async def _nobody(workspace: WorkspaceId, key: StoredKey) -> None:
    raise AssertionError("no key is refused here")


def _peak_memory_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # kilobytes on Linux


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    set_up_logs("ERROR", "console")  # each 429 is a warning
    orders = Orders(**json.loads(sys.stdin.readline()))
    _say(json.dumps(asyncio.run(work(orders))))


if __name__ == "__main__":
    main()
