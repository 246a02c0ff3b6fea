"""The store, opened as the settings say: a part of the composition root."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog

from bot.installations.departure import beginning_of
from bot.operating.store_checks import disk_warning
from bot.settings import Settings
from bot.store.forgotten import ForgettingDocuments
from bot.store.key_file import key_file_of
from bot.store.sealed import KeyRing, check_key_ring, load_or_make_key_file
from bot.store.sqlite import open_sqlite

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """The store, and the ring that opens what is sealed in it.

    `shared` is what several processes work on together, `None` for the embedded store.
    """

    documents: ForgettingDocuments
    ring: KeyRing
    shared: Any = None


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncIterator[Stored]:
    """Yield the store of these settings.

    Raises:
        StoreError: it cannot be opened: in use, damaged, or sealed with other keys.
    """
    logger.info("store", path=str(settings.database_path.absolute()))
    if warning := disk_warning(os.environ):
        logger.warning(warning)
    stored = await open_sqlite(settings.database_path)
    documents = ForgettingDocuments(stored, beginning_of=beginning_of)
    try:
        ring = _key_ring(settings)
        await check_key_ring(documents, ring)
        yield Stored(documents=documents, ring=ring)
    finally:
        await documents.close()


def _key_ring(settings: Settings) -> KeyRing:
    if settings.bot_secret_keys:
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
