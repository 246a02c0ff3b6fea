"""The store, opened as the settings say: a part of the composition root."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from bot.house import migrations
from bot.installations.departure import beginning_of
from bot.operating.forwarding import require_unmoved
from bot.operating.store_checks import disk_warning
from bot.settings import Settings
from bot.store.forgotten import ErasableDocuments, ForgettingDocuments
from bot.store.key_file import key_file_of
from bot.store.postgres.address import Address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from bot.store.postgres.pool import Pool
from bot.store.postgres.seen import StoredSeen
from bot.store.sealed import KeyRing, check_key_ring, load_or_make_key_file
from bot.store.sqlite import open_sqlite
from bot.store.timed import Note, TimedDocuments

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Shared:
    """The database that several processes work on, and the connections of this one.

    `seen` is what any of them has seen; `drop_bans` removes bans on writing that have ended.
    """

    address: Address
    pool: Pool
    seen: StoredSeen
    drop_bans: Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The store, and the ring that opens what is sealed in it.

    `shared` is `None` for the embedded store, which one process has alone.
    """

    documents: ErasableDocuments
    ring: KeyRing
    shared: Shared | None = None


@asynccontextmanager
async def opened_store(settings: Settings, note: Note) -> AsyncIterator[Stored]:
    """Yield the store of these settings; `note` learns of each call.

    Raises:
        StoreError: it cannot be opened: in use, damaged, out of date, not reachable, moved
            elsewhere, or sealed with other keys.
    """
    database = settings.database
    async with AsyncExitStack() as stack:
        documents: ErasableDocuments
        shared = None
        if isinstance(database, Path):
            logger.info("store", path=str(settings.database_path.absolute()))
            documents = await _open_file(database)
        else:
            documents = opened = await _open_shared(database)
            shared = Shared(database, opened.pool, StoredSeen(opened.pool), opened.drop_old)
        stack.push_async_callback(documents.close)
        ring = _key_ring(settings)
        await check_key_ring(documents, ring)
        yield Stored(documents=TimedDocuments(documents, note), ring=ring, shared=shared)


async def _open_file(path: Path) -> ForgettingDocuments:
    if warning := disk_warning(os.environ):
        logger.warning(warning)
    documents = await open_sqlite(path)
    try:
        await require_unmoved(documents)
    except BaseException:
        await documents.close()
        raise
    return ForgettingDocuments(documents, beginning_of=beginning_of)


async def _open_shared(address: Address) -> PostgresDocuments:
    logger.info("store", place=address.place, connections=address.pool_size)
    return await open_postgres(address, sets=migrations(), beginning_of=beginning_of)


def _key_ring(settings: Settings) -> KeyRing:
    if settings.bot_secret_keys:  # which PostgreSQL requires
        return KeyRing.parse(settings.bot_secret_keys.get_secret_value())
    path = key_file_of(settings.database_path)
    ring, is_new = load_or_make_key_file(path)
    if is_new:
        logger.warning(
            "BOT_SECRET_KEYS is not set: made a key file, without which the store cannot be read."
            " Keep a copy of it somewhere else",
            path=str(path),
        )
    return ring
