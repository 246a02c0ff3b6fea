"""Where the store lives, for the operators' commands: a part of their composition root."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from bot.arguments import MOVE_TO
from bot.operating.database_store import DatabaseStore
from bot.operating.errors import OperatingError
from bot.operating.file_store import FileStore
from bot.operating.moving import Progress
from bot.operating.relocation import back, relocate
from bot.operating.stored import Store
from bot.settings import DEFAULT_FILE, Settings
from bot.store.errors import WrongKeyRingError
from bot.store.postgres.address import Address, parse_address
from bot.store.postgres.migrating import OURS, MigrationSet, migrate


def migrations() -> tuple[MigrationSet, ...]:
    """Return all that a database needs, in order: the store's own tables and the queue's."""
    # Imported only now: with a file there is no queue.
    from bot.engine.queue_schema import queue_migrations

    return (OURS, queue_migrations())


def store_of(settings: Settings) -> Store:
    """Return the store of these settings."""
    if isinstance(settings.database, Path):
        return FileStore(settings.database)
    return DatabaseStore(settings.database, migrations())


async def migrate_store(database: Path | Address | None) -> list[str]:
    """Bring the tables of a database up to date; return what to say of it; raise StoreError.

    `None`: nobody has set which.
    """
    if database is None:
        return [
            f"DATABASE_URL is not set, so the store is the file {DEFAULT_FILE}, which needs no"
            " migration."
        ]
    if isinstance(database, Path):
        return ["There is nothing to do: the store is a file, which needs no migration."]
    steps = await migrate(database, migrations())
    return [f"applied {step}" for step in steps] or ["The store's schema is up to date."]


async def move(settings: Settings, to: str, tell: Callable[[str], object]) -> list[str]:
    """Bring the embedded store into the database at the address `to`; return what to say of it.

    Raises:
        OperatingError, StoreError: why it was not moved.
    """
    path, keys = _old_house(settings), settings.bot_secret_keys
    if not to:
        raise OperatingError(f"Where to? Give the address as --to or in {MOVE_TO}.")
    try:
        address = parse_address(to)
    except ValueError as error:
        raise OperatingError(f"Where to? {error}. Nothing was moved.") from None
    target = DatabaseStore(address, migrations())
    setting = keys.get_secret_value() if keys else None
    try:
        return await relocate(
            path, target, setting=setting, now=datetime.now(UTC), progress=Progress(tell)
        )
    except WrongKeyRingError as error:
        raise OperatingError(f"{error}. Nothing was moved.") from error


async def move_back(settings: Settings) -> list[str]:
    """Let bots start on the embedded store again; return what to say of it.

    Raises:
        OperatingError, StoreError: why not.
    """
    return await back(_old_house(settings))


def _old_house(settings: Settings) -> Path:
    if isinstance(settings.database, Path):
        return settings.database
    raise OperatingError(
        "DATABASE_URL is a PostgreSQL already. `move` is for a store in SQLite: let DATABASE_URL"
        " be the old address, sqlite:///…. Nothing was changed."
    )
