"""A store, opened or read at once."""

from pathlib import Path
from typing import Any

from bot.store.postgres.address import Address
from bot.store.postgres.snapshot import database_pages
from bot.store.snapshot import Snapshot, read_pages, whole


async def read_snapshot(path: Path) -> Snapshot:
    """Return what the file holds now; see `read_pages`."""
    return await whole(read_pages(path))


async def read_database(address: Address, **wanted: Any) -> Snapshot:
    """Return what the database holds now; see `database_pages`."""
    return await whole(database_pages(address, **wanted))


def keys_of(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the keys of all that was read."""
    return tuple(sorted([*(each.key for each in snapshot.documents), *snapshot.unreadable]))
