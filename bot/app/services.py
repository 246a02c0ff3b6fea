"""Build what all features share: store, HTTP clients, counters, clocks."""

import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import aiohttp
import httpx
import structlog

from bot.app.bolt import SlackAuth, SlackClients, open_workspaces
from bot.blocks.links import use_template
from bot.installations.installation import scope_of_key
from bot.installations.repository import InstallationRepository
from bot.process.clock import Clock
from bot.process.concurrency import Tasks
from bot.process.logs import lines_counted
from bot.settings import Settings, text_of
from bot.slack.posting import Posting
from bot.slack.replies import LINES_PER_HOST, Replies
from bot.store.deduplication import Dedup
from bot.store.encryption import KeyRing, check_key_ring, key_file_of, load_or_make_key_file
from bot.store.fenced import ErasableDocuments, FencedDocuments, timed_documents
from bot.store.files import WIPED_DISK
from bot.store.postgres.address import Address
from bot.store.sqlite import open_sqlite
from bot.tracker.http import tracker_http
from bot.tracker.names import use_names
from bot.web.metrics import QUEUE, Metrics, traced_calls

if TYPE_CHECKING:
    from bot.store.postgres.documents import PostgresDocuments

logger = structlog.get_logger()
# The SDK 3.47 does not pass its `timeout` on to a session that it is given. With `connect` a Slack
# that cannot be reached differs from one that may have done what it was asked.
SLACK_TIMEOUT = aiohttp.ClientTimeout(total=15, connect=8)
IDLE_LINE_S = 4.0


class Role(Enum):
    """What a process is for. `web` and `worker` share one PostgreSQL, any number of each."""

    ALL = "all"
    WEB = "web"  # takes what Slack sends
    WORKER = "worker"  # does what falls due

    @property
    def answers(self) -> bool:
        return self is not Role.WORKER

    @property
    def delivers(self) -> bool:
        return self is not Role.WEB


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The objects that all features share; `shared` is `None` for the embedded store."""

    settings: Settings
    documents: ErasableDocuments
    ring: KeyRing
    tasks: Tasks
    slack: SlackAuth
    installations: InstallationRepository
    posting: Posting
    replies: Replies
    tracker_http: httpx.AsyncClient
    clock: Clock
    metrics: Metrics
    seen: Dedup
    shared: "PostgresDocuments | None" = None


async def build_services(
    stack: AsyncExitStack, settings: Settings, role: Role, clock: Clock
) -> Services:
    """Open the store of these settings, and build what works with it; raise StoreError."""
    use_template(settings.domain_tracker_domain_url)
    if settings.scan_names_file:
        use_names(settings.scan_names_file)
    metrics = Metrics(role=role.value, store="postgresql" if settings.is_shared else "sqlite")
    stack.enter_context(lines_counted(metrics.note_line))
    database, shared, seen = settings.database, None, Dedup()
    store: ErasableDocuments
    if isinstance(database, Path):
        logger.info("store", path=str(database.absolute()))
        store = await _open_file(database, stack)
    else:
        shared, seen = await _open_shared(database, stack, metrics)
        store = shared
    ring = _key_ring(settings)
    await check_key_ring(store, ring)
    documents = timed_documents(store, metrics.store.note_call)
    http = await stack.enter_async_context(_slack_session(metrics))
    installations = InstallationRepository(documents, ring)
    slack = open_workspaces(
        settings, installations, SlackClients(settings.slack_api_url, http), clock=clock
    )
    return Services(
        settings=settings,
        documents=documents,
        ring=ring,
        tasks=Tasks(),
        slack=slack,
        installations=installations,
        posting=Posting(slack.authorize.client_for),
        replies=Replies(http),
        tracker_http=await stack.enter_async_context(tracker_http()),
        clock=clock,
        metrics=metrics,
        seen=seen,
        shared=shared,
    )


async def _open_file(path: Path, stack: AsyncExitStack) -> FencedDocuments:
    if "DYNO" in os.environ:
        detail, hint = WIPED_DISK
        logger.warning(detail, hint=hint)
    documents = await open_sqlite(path)
    stack.push_async_callback(documents.close)
    return FencedDocuments(documents, beginning_of=scope_of_key)


async def _open_shared(
    address: Address, stack: AsyncExitStack, metrics: Metrics
) -> tuple["PostgresDocuments", Dedup]:
    """Open the database; return it and what knows repeated requests, and measure the queue."""
    # Slow to import, and a file needs none of it.
    from bot.jobs.queue import depth
    from bot.jobs.queue_jobs import migrations
    from bot.store.postgres.documents import PostgresDedup, open_postgres

    logger.info("store", location=address.location, connections=address.pool_size)
    documents = await open_postgres(address, steps=migrations(), beginning_of=scope_of_key)
    stack.push_async_callback(documents.close)
    metrics.gauges.sources[QUEUE] = lambda: depth(documents.pool)
    return documents, Dedup(PostgresDedup(documents.pool))


def _key_ring(settings: Settings) -> KeyRing:
    if setting := text_of(settings.bot_secret_keys):  # which PostgreSQL requires
        return KeyRing.parse(setting)
    path = key_file_of(settings.database_path)
    ring, is_new = load_or_make_key_file(path)
    if is_new:
        logger.warning(
            "BOT_SECRET_KEYS is not set: made a key file, without which the store cannot be read."
            " Keep a copy of it somewhere else",
            path=str(path),
        )
    return ring


def _slack_session(metrics: Metrics) -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and no process may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(
        keepalive_timeout=IDLE_LINE_S, limit=0, limit_per_host=LINES_PER_HOST
    )
    trace = traced_calls(metrics.slack.note_call)
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT, trace_configs=[trace])
