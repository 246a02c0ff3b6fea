"""Migrate the tables of the database, step by step."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

import psycopg

from bot.store.documents import StoreError
from bot.store.postgres.address import Address
from bot.store.postgres.pool import Connection, Pool, connected, db_errors

# Any number, the same in every version: who migrates holds the lock of that number.
MIGRATION_LOCK = 7_203_311_927
MIN_SERVER_VERSION = 15_00_00  # the oldest that the tests run on
LONGEST_S = 1800.0
RECORD = """
    CREATE TABLE IF NOT EXISTS migration (
        series text NOT NULL,
        step text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (series, step)
    )
"""


@dataclass(frozen=True, slots=True)
class MigrationSet:
    """Steps by name, as SQL, in the order in which they are taken."""

    name: str
    steps: Mapping[str, str]


def _own_steps() -> dict[str, str]:
    folder = files("bot.store.postgres") / "sql"
    found = sorted((each for each in folder.iterdir()), key=lambda each: each.name)
    return {each.name: each.read_text() for each in found if each.name.endswith(".sql")}


OURS = MigrationSet("bot", _own_steps())


async def migrate(address: Address, sets: Sequence[MigrationSet]) -> list[str]:
    """Take the steps that are missing; return the names of those taken here, as `set/step`.

    Of two at once each step is taken by one. StoreError: a step failed; those before it stay, and
    the next run goes on from there.
    """
    connection = await connected(address)
    applied: list[str] = []
    try:
        async with asyncio.timeout(LONGEST_S):
            while step := await _take_next(connection, sets):
                applied.append(step)
    except (psycopg.Error, TimeoutError) as error:
        raise StoreError(f"cannot migrate {address.location}: {_described(error)}") from error
    finally:
        await connection.close()
    return applied


async def missing(pool: Pool, sets: Sequence[MigrationSet]) -> list[str]:
    """Return the names of the steps, as `set/step`, that the database lacks.

    Steps of a newer version are no trouble. StoreError: the database failed, or is of no use.
    """
    async with db_errors(pool.timeout), pool.connection() as connection:
        _require_usable(connection)
        taken = await _taken(connection)
    return [
        f"{each.name}/{step}"
        for each in sets
        for step in each.steps
        if (each.name, step) not in taken
    ]


async def _take_next(connection: Connection, sets: Sequence[MigrationSet]) -> str | None:
    """Take the first step that is missing; return its name, `None` if none is.

    Each is a transaction: a value that one adds to a type can be used only after its commit, see
    https://www.postgresql.org/docs/16/sql-altertype.html
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        _require_usable(connection)
        await connection.execute(RECORD)
        taken = await _taken(connection)
        for each in sets:
            for step, statements in each.steps.items():
                if (each.name, step) not in taken:
                    # Without arguments `%` means nothing special, and there may be many.
                    await connection.execute(statements.encode())
                    await connection.execute(
                        "INSERT INTO migration (series, step, checksum) VALUES (%s, %s, %s)",
                        (each.name, step, sha256(statements.encode()).hexdigest()),
                    )
                    return f"{each.name}/{step}"
    return None


async def _taken(connection: Connection) -> set[tuple[str, str]]:
    found = await connection.execute("SELECT to_regclass('migration') IS NOT NULL")
    if await found.fetchone() != (True,):
        return set()
    rows = await connection.execute("SELECT series, step FROM migration")
    return {(series, step) for series, step in await rows.fetchall()}


def _require_usable(connection: Connection) -> None:
    """Raise StoreError for a server or database that cannot keep the promises of the store."""
    if connection.info.server_version < MIN_SERVER_VERSION:
        raise StoreError("PostgreSQL 15 or newer is needed")
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StoreError("the database must be of the encoding UTF8")


def _described(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
