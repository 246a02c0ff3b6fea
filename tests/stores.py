"""A store, opened or read at once."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from bot.store.documents import Document
from bot.store.postgres.address import Address
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore


async def read_file(path: Path) -> list[Document]:
    """Return what the file holds now; see `FileStore.documents`."""
    return await _read(FileStore(path).documents())


async def read_database(address: Address) -> list[Document]:
    """Return what the database holds now; see `DatabaseStore.documents`."""
    return await _read(DatabaseStore(address, {}).documents())


async def _read(reading: AsyncGenerator[Document]) -> list[Document]:
    async with aclosing(reading) as documents:
        return [each async for each in documents]
