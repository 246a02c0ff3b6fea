"""A store, opened or read at once."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from bot.store.documents import Document
from bot.store.postgres.address import Address
from bot.store.postgres.snapshot import database_documents
from bot.store.snapshot import file_documents


async def read_file(path: Path) -> list[Document]:
    """Return what the file holds now; see `file_documents`."""
    return await _read(file_documents(path))


async def read_database(address: Address) -> list[Document]:
    """Return what the database holds now; see `database_documents`."""
    return await _read(database_documents(address))


async def _read(reading: AsyncGenerator[Document]) -> list[Document]:
    async with aclosing(reading) as documents:
        return [each async for each in documents]
