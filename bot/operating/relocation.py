"""`move`: from the file of the embedded store to a database, step by step."""

from datetime import datetime
from pathlib import Path

from bot.operating.arrived import moved_lines
from bot.operating.database_store import DatabaseStore
from bot.operating.errors import OperatingError
from bot.operating.file_store import FileStore
from bot.operating.moving import NOTHING, Progress, move_into, survey
from bot.operating.processes import roles
from bot.store.files import FileLock, lock_file_of
from bot.store.postgres.arriving import arriving
from bot.store.postgres.migrating import migrate
from bot.store.snapshot import read_pages


async def relocate(
    path: Path, target: DatabaseStore, *, setting: str | None, now: datetime, progress: Progress
) -> list[str]:
    """Move the store at `path` to `target`; return what to say of it.

    `setting` is BOT_SECRET_KEYS, `None` where it is not set. Begun again, it ends the same.

    Raises:
        OperatingError, StoreError: why nothing was moved. The tables may have been made.
        StoreLockedError: the bot is running.
    """
    store = FileStore(path)
    store.require_there()
    lock = FileLock(lock_file_of(path))
    try:
        ring = store.ring_source(setting)
        here = await survey(lambda: read_pages(path), ring)
        await migrate(target.address, target.sets)
        await _require_still(target)
        async with arriving(target.address) as arrival:
            moved = await move_into(arrival, lambda: read_pages(path), here, now, progress)
        return [*moved_lines(moved, ring, path)]
    finally:
        lock.release()


async def _require_still(target: DatabaseStore) -> None:
    if running := await target.living():
        raise OperatingError(
            f"A bot is running on that database: {roles(running)}. Stop it first. {NOTHING}"
        )
