"""`move`: from the file of the embedded store to a database, and what it leaves behind."""

from datetime import datetime
from pathlib import Path

from bot.operating.arrived import back_lines, moved_lines
from bot.operating.database_store import DatabaseStore
from bot.operating.errors import OperatingError
from bot.operating.file_store import FileStore
from bot.operating.forwarding import Forwarding, come_back, leave
from bot.operating.moving import NOTHING, Progress, move_into, survey
from bot.operating.printing import shown
from bot.operating.processes import roles
from bot.store.base import Documents
from bot.store.errors import StoreError
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
    async with store.opened() as documents:  # to the end, so that no bot starts in between
        ring = store.ring_source(setting)
        here = await survey(lambda: read_pages(path), ring)
        await migrate(target.address, target.sets)
        await _require_still(target)
        async with arriving(target.address) as arrival:
            moved = await move_into(arrival, lambda: read_pages(path), here, now, progress)
        await _note(documents, Forwarding(target.address.place, moved.at or now))
    return [*moved_lines(moved, ring, path)]


async def back(path: Path) -> list[str]:
    """Let bots start on a file again whose store has moved; return what to say of it.

    Raises:
        OperatingError, StoreError: why not.
        StoreLockedError: somebody uses the file.
    """
    store = FileStore(path)
    store.require_there()
    async with store.opened() as documents:
        forwarding = await come_back(documents)
    return [*back_lines(forwarding, path)]


async def _note(documents: Documents, forwarding: Forwarding) -> None:
    try:
        await leave(documents, forwarding)
    except StoreError as error:
        raise OperatingError(
            "Everything is in the database, but the file could not be told so:"
            f" {shown(str(error), 300)}. Run `move` again before anybody starts a bot on it."
        ) from error


async def _require_still(target: DatabaseStore) -> None:
    if running := await target.living():
        raise OperatingError(
            f"A bot is running on that database: {roles(running)}. Stop it first. {NOTHING}"
        )
