"""The stores of 0.1 laid down where a bot finds them."""

import contextlib
import sqlite3
from pathlib import Path

import psycopg

HERE = Path(__file__).parent
# The database's own clock knows when it was written: let that be two minutes ago.
AS_IF_JUST_NOW = """
DO $$
DECLARE
    later interval := now() - interval '2 minutes'
        - (SELECT max(at) FROM public.procrastinate_events);
BEGIN
    UPDATE public.forgotten SET until = until + later;
    UPDATE public.seen SET until = until + later;
    UPDATE public.procrastinate_events SET at = at + later;
    UPDATE public.procrastinate_jobs SET scheduled_at = scheduled_at + later;
    UPDATE public.procrastinate_workers SET last_heartbeat = last_heartbeat + later;
    UPDATE public.procrastinate_periodic_defers
        SET defer_timestamp = defer_timestamp + (extract(epoch FROM later) * 1000)::bigint;
END $$;
"""


def lay_file(sql: Path, path: Path) -> None:
    """Make the SQLite file at `path` of its dump."""
    with contextlib.closing(sqlite3.connect(path)) as file:
        file.executescript(sql.read_text())


def fill_database(sql: Path, url: str) -> None:
    """Fill an empty PostgreSQL database with a dump."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.read_bytes())
        connection.execute(AS_IF_JUST_NOW.encode())
