"""A store, opened or read at once."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

from bot.store.postgres.address import Address
from bot.store.postgres.snapshot import database_snapshot
from bot.store.snapshot import Page, Snapshot, file_snapshot, joined


async def read_file(path: Path) -> Page:
    """Return what the file holds now; see `file_snapshot`."""
    return await _read(file_snapshot(path))


async def read_database(address: Address) -> Page:
    """Return what the database holds now; see `database_snapshot`."""
    return await _read(database_snapshot(address))


async def _read(reading: AbstractAsyncContextManager[Snapshot]) -> Page:
    async with reading as snapshot:
        return joined([page async for page in snapshot.pages])


def keys_of(page: Page) -> tuple[str, ...]:
    """Return the keys of all that was read."""
    return tuple(sorted([*(each.key for each in page.documents), *page.unreadable]))
