"""The stores of 0.1 laid down where a bot finds them."""

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import psycopg
from pydantic import SecretStr

from tests.stored_0_1.outside import HOME
from tests.whole.harness import Harness, settings_for
from tests.whole.many import Many

OLD_KEY, NEW_KEY = "k0:" + "c" * 43 + "=", "k1:" + "d" * 43 + "="
RING = f"{NEW_KEY},{OLD_KEY}"

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


def with_one_token(many: Many) -> Harness:
    """Return the workspace in which the bot is at home before it can be installed."""
    settings = settings_for(many.slack, many.tracker, many.folder, "http")
    database = many.settings.database_url
    ring = many.settings.bot_secret_keys
    more = {"database_url": database, "bot_secret_keys": ring, "port": many.settings.port}
    return replace(many[HOME], settings=settings.model_copy(update=more))


def ringed(many: Many, ring: str) -> None:
    """Let the bots of all workspaces begin with that ring from now on."""
    secret = SecretStr(ring)
    many.settings = many.settings.model_copy(update={"bot_secret_keys": secret})
    for app in many.apps.values():
        app.settings = many.settings
