"""Build what all features share: store, HTTP clients, counters, clocks."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.dispatch.deferred_commands import DeferredCommands
from bot.dispatch.interrupted import InflightTracker
from bot.domains.service import StoredVersions
from bot.installations.installation import scope_of_key
from bot.process.clock import seconds_now
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.settings import Settings, text_of
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.store.deduplication import DedupStore, MemoryDedup, SharedDedup
from bot.store.encryption import KeyRing, check_key_ring, key_file_of, load_or_make_key_file
from bot.store.fenced import ErasableDocuments, FencedDocuments, Note, timed_documents
from bot.store.postgres.address import Address
from bot.store.sqlite import open_sqlite
from bot.web.gauges import QUEUE
from bot.web.metrics import Metrics

if TYPE_CHECKING:
    from bot.store.postgres.documents import PostgresDocuments

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The store, and the ring that opens what is sealed in it.

    `shared` is the database of several processes, `None` for the embedded store.
    """

    documents: ErasableDocuments
    ring: KeyRing
    shared: "PostgresDocuments | None" = None


@asynccontextmanager
async def opened_store(settings: Settings, note: Note) -> AsyncIterator[Stored]:
    """Yield the store of these settings; `note` learns of each call.

    Raises StoreError: in use, damaged, out of date, not reachable, moved, or sealed otherwise.
    """
    database = settings.database
    async with AsyncExitStack() as stack:
        documents: ErasableDocuments
        shared = None
        if isinstance(database, Path):
            logger.info("store", path=str(database.absolute()))
            documents = await _open_file(database, stack)
        else:
            documents = shared = await _open_shared(database)
            stack.push_async_callback(shared.close)
        ring = _key_ring(settings)
        await check_key_ring(documents, ring)
        yield Stored(documents=timed_documents(documents, note), ring=ring, shared=shared)


async def _open_file(path: Path, stack: AsyncExitStack) -> FencedDocuments:
    # What the operator's commands use is slow to import.
    if "DYNO" in os.environ:
        from bot.ops.doctor_store import DISK_IS_WIPED

        logger.warning(DISK_IS_WIPED.said, mend=DISK_IS_WIPED.mend)
    documents = await open_sqlite(path)
    stack.push_async_callback(documents.close)
    return FencedDocuments(documents, beginning_of=scope_of_key)


async def _open_shared(address: Address) -> "PostgresDocuments":
    # Slow to import, and a file needs none of it.
    from bot.jobs.queue_jobs import migrations
    from bot.store.postgres.documents import open_postgres

    logger.info("store", place=address.place, connections=address.pool_size)
    return await open_postgres(address, sets=migrations(), beginning_of=scope_of_key)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedState:
    """`seen` never raises. `periodic` keeps the shared memory small."""

    seen: DedupStore
    versions: StoredVersions | None
    periodic: Mapping[str, Callable[[], Awaitable[object]]] = field(default_factory=dict)


def build_shared_state(stored: Stored) -> SharedState:
    """Return what is known together on this store."""
    if stored.shared is None:
        own = MemoryDedup(clock=seconds_now)
        return SharedState(
            seen=own,
            versions=None,
        )
    from bot.store.postgres.documents import PostgresDedup

    by_all, here = PostgresDedup(stored.shared.pool), MemoryDedup(clock=seconds_now)
    return SharedState(
        seen=SharedDedup(by_all, here=here),
        versions=StoredVersions(stored.documents),
        periodic={"seen": by_all.drop_old},
    )


class Role(Enum):
    """What a process is for. `web` and `worker` share one PostgreSQL, any number of each."""

    ALL = "all"
    WEB = "web"  # answers Slack
    WORKER = "worker"  # delivers digests, and does what comes again and again

    @property
    def answers(self) -> bool:
        """Whether it takes what Slack sends."""
        return self is not Role.WORKER

    @property
    def delivers(self) -> bool:
        """Whether it does what falls due."""
        return self is not Role.WEB


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The objects that all features share; their creator closes them."""

    settings: Settings
    documents: ErasableDocuments
    ring: KeyRing
    deferred: DeferredCommands
    tasks: Tasks
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]]
    posting: Posting
    replies: Replies
    tracker_http: httpx.AsyncClient
    clock: Callable[[], datetime]
    metrics: Metrics
    commons: SharedState
    inflight: InflightTracker


def observe_store(metrics: Metrics, stored: Stored) -> None:
    """Let the metrics tell what the queue holds."""
    if (shared := stored.shared) is None:
        return

    from bot.jobs.queue import depth  # slow to import, and a file has no queue

    metrics.looks.set_source(QUEUE, lambda: depth(shared.pool))
