"""How a database and the way to it are, for whoever runs the bot."""

import ipaddress
from dataclasses import dataclass
from time import perf_counter
from typing import LiteralString

import psycopg

from bot.store.errors import StoreError
from bot.store.postgres.pool import Pool

READS = 5
# How many connections this user may open to this database, and how many there are. Everybody may
# read these tables, while most columns of pg_stat_activity are hidden from all but the owner:
# https://www.postgresql.org/docs/current/monitoring-stats.html#MONITORING-PG-STAT-DATABASE-VIEW
ROOM: LiteralString = """
    SELECT current_setting('max_connections')::int
            - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
        (SELECT coalesce(sum(numbackends), 0)::int FROM pg_stat_database),
        (SELECT datconnlimit FROM pg_database WHERE datname = current_database()),
        (SELECT numbackends FROM pg_stat_database WHERE datname = current_database()),
        (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user),
        (SELECT count(*)::int FROM pg_stat_activity WHERE usename = current_user)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """`read_s`: how long the quickest of a few reads took. `version` as in `16.2`.

    `allowed` connections, `used` of them by whomever: of the limit that is reached first.
    `is_near`: on this machine.
    """

    version: str
    is_near: bool
    is_encrypted: bool
    read_s: float
    documents: int
    allowed: int
    used: int


async def read_facts(pool: Pool) -> Facts:
    """Return them.

    Raises:
        StoreError: the database failed.
    """
    try:
        async with pool.connection() as connection:
            info = connection.info
            read_s = min([await _took_s(connection) for _ in range(READS)])
            counting = await connection.execute("SELECT count(*) FROM document")
            (count,) = await counting.fetchone() or (0,)
            asking = await connection.execute(ROOM)
            limits = await asking.fetchone() or ()
            allowed, used = tightest(*limits)
            return Facts(
                version=info.parameter_status("server_version") or "?",
                is_near=is_near(info.host, info.hostaddr),
                is_encrypted=connection.pgconn.ssl_in_use,
                read_s=read_s,
                documents=count,
                allowed=allowed,
                used=used,
            )
    except psycopg.Error as error:
        raise StoreError(f"the database cannot be examined: {error}") from error


async def _took_s(connection: psycopg.AsyncConnection[tuple[object, ...]]) -> float:
    began_at = perf_counter()
    await connection.execute("SELECT rev FROM document WHERE key = 'meta/key-check'")
    return perf_counter() - began_at


def tightest(*limits: int) -> tuple[int, int]:
    """Return the limit that has the least left, and what is used of it; -1 is no limit."""
    pairs = [pair for pair in zip(limits[::2], limits[1::2], strict=True) if pair[0] >= 0]
    return min(pairs, key=lambda pair: pair[0] - pair[1])


def is_near(host: str, address: str) -> bool:
    """Return whether that is this machine: a socket in a folder, or a loopback address."""
    if not address:
        return not host or host.startswith("/")
    return ipaddress.ip_address(address).is_loopback
