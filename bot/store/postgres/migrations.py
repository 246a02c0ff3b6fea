"""Migrate the tables of the database, step by step."""

import asyncio
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

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


# SQL by names as `series/step`, in the order in which the steps are taken.
Steps = Mapping[str, str]
FILES = sorted(Path(__file__).with_name("sql").glob("*.sql"))
OURS: Steps = {f"bot/{each.name}": each.read_text("utf-8") for each in FILES}


async def migrate(address: Address, steps: Steps) -> list[str]:
    """Take the steps that are missing; return the names of those taken here.

    Of two at once each step is taken by one. StoreError: a step failed; those before it stay, and
    the next run goes on from there.
    """
    connection = await connected(address)
    applied: list[str] = []
    try:
        async with asyncio.timeout(LONGEST_S):
            while step := await _take_next(connection, steps):
                applied.append(step)
    except (psycopg.Error, TimeoutError) as error:
        raise StoreError(f"cannot migrate {address.location}: {error!r}") from error
    finally:
        await connection.close()
    return applied


async def missing(pool: Pool, steps: Steps) -> list[str]:
    """Return the names of the steps that the database lacks.

    Steps of a newer version are no trouble. StoreError: the database failed, or is of no use.
    """
    async with db_errors(pool.timeout), pool.connection() as connection:
        _require_usable(connection)
        taken = await _taken(connection)
    return [name for name in steps if name not in taken]


async def _take_next(connection: Connection, steps: Steps) -> str | None:
    """Take the first step that is missing; return its name, `None` if none is.

    Each is a transaction: a value that one adds to a type can be used only after its commit, see
    https://www.postgresql.org/docs/16/sql-altertype.html
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        _require_usable(connection)
        await connection.execute(RECORD)
        taken = await _taken(connection)
        for name, statements in steps.items():
            if name not in taken:
                # Without arguments `%` means nothing special, and there may be many.
                await connection.execute(statements.encode())
                await connection.execute(
                    "INSERT INTO migration (series, step, checksum) VALUES (%s, %s, %s)",
                    (*name.split("/"), sha256(statements.encode()).hexdigest()),
                )
                return name
    return None


async def _taken(connection: Connection) -> set[str]:
    found = await connection.execute("SELECT to_regclass('migration') IS NOT NULL")
    if await found.fetchone() != (True,):
        return set()
    rows = await connection.execute("SELECT series, step FROM migration")
    return {f"{series}/{step}" for series, step in await rows.fetchall()}


def _require_usable(connection: Connection) -> None:
    """Raise StoreError for a server or database that cannot keep the promises of the store."""
    if connection.info.server_version < MIN_SERVER_VERSION:
        raise StoreError("PostgreSQL 15 or newer is needed")
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise StoreError("the database must be of the encoding UTF8")
