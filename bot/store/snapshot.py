"""A store in an SQLite file, as the operator's commands use it."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

from bot.store.documents import (
    Document,
    Documents,
    StoreError,
    decode_row,
    encode_row,
    encode_value,
)
from bot.store.encryption import KeyRing, RingSource, key_file_of, read_key_file
from bot.store.files import FileLock, lock_file_of, make_private_database
from bot.store.sqlite import begin_reading, connected, described, open_sqlite

# Writes a new document as it is, revision and all.
Restore = Callable[[Document], Awaitable[object]]


class FileStore:
    """Reads a whole file beside a running bot, and fills or changes it without one."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.location = str(path.absolute())

    def require_there(self) -> None:
        """Raise StoreError when there is no store yet."""
        if not self.path.exists():
            hint = "Check DATABASE_URL, and the folder you are in"
            raise StoreError(f"There is no store at {self.location}. {hint}")

    async def require_stopped(self) -> None:
        """Do nothing: `restoring` and `opened` take the lock that a running bot holds."""

    async def documents(self) -> AsyncGenerator[Document]:
        """Yield all documents, of one moment, in key order, also beside a running bot.

        While it is read, what others write waits in the log. It leaves the `-wal` and `-shm` files
        of any reader. StoreError: it is missing or damaged.
        """
        try:
            with closing(connected(self.path, "ro")) as connection:
                rows = await asyncio.to_thread(begin_reading, connection, self.path)
                for key, value in rows:
                    yield decode_row(key.decode(), value or b"")
        except (sqlite3.Error, OSError, RuntimeError, ValueError) as error:
            # RuntimeError: a loop of symbolic links
            raise StoreError(f"cannot read {self.path}: {described(error)}") from error

    @asynccontextmanager
    async def restoring(self) -> AsyncIterator[Restore]:
        """Fill a file that is empty but for its own notes in one transaction: all or none.

        Raises StoreLockedError: a process uses the file. StoreError: it holds data, or cannot be
        written.
        """
        real = await asyncio.to_thread(self.path.resolve)
        with closing(FileLock(lock_file_of(real))):
            is_new = not real.exists()  # another restore may have made it until now
            try:
                make_private_database(real)
                with closing(connected(real, "rw")) as connection:
                    _begin_restore(connection, self.path)

                    async def write(each: Document) -> None:
                        row = encode_row(each.rev, each.due_at, encode_value(each.value))
                        connection.execute("INSERT INTO docs VALUES (?, ?)", (each.key, row))

                    yield write
                    connection.execute("COMMIT")
            except BaseException as error:
                if is_new:
                    real.unlink(missing_ok=True)
                if isinstance(error, sqlite3.Error | OSError):
                    raise StoreError(f"cannot write {self.path}: {error}") from error
                raise

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        """Open it for writing; leave no trace of what was replaced. Raise StoreError."""
        documents = await open_sqlite(self.path, timeout_s=600)  # a vacuum writes the whole file
        try:
            yield documents
            await documents.vacuum()
        finally:
            await documents.close()

    def ring_source(self, setting: str | None) -> RingSource:
        """Return the ring of the setting, or else that of the key file; make nothing.

        WrongKeyRingError: the key file holds no ring. StoreError: it cannot be read.
        """
        if setting:
            return RingSource(KeyRing.parse(setting))
        path = key_file_of(self.path)
        return RingSource(read_key_file(path) if path.exists() else None, path)


def _begin_restore(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN IMMEDIATE")
    # As sqlitedict makes it (2.1).
    connection.execute("CREATE TABLE IF NOT EXISTS docs (key TEXT PRIMARY KEY, value BLOB)")
    connection.execute("DELETE FROM docs WHERE key LIKE 'meta/%'")
    if connection.execute("SELECT 1 FROM docs LIMIT 1").fetchone():
        raise StoreError(f"{path} holds data already: nothing was written")
