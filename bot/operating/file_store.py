"""The embedded store, as operators' commands use it: one file, which one process writes to."""

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bot.operating.errors import OperatingError
from bot.operating.printing import shown
from bot.operating.processes import Process
from bot.store.base import Documents
from bot.store.errors import StoreLockedError
from bot.store.files import lock_file_of, lock_holder
from bot.store.key_file import RingSource, ring_source
from bot.store.snapshot import Snapshot, read_snapshot
from bot.store.sqlite import open_sqlite

# Wiping the traces writes the whole file anew.
PATIENCE_S = 600.0


class FileStore:
    """See `Store`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def require_there(self) -> None:
        """See `Store.require_there`."""
        if not self.is_there():
            raise OperatingError(
                f"There is no store at {shown(str(self._path.absolute()))}: look at DATABASE_URL,"
                " and at the folder in which you are."
            )

    def is_there(self) -> bool:
        """See `Store.is_there`."""
        return self._path.exists()

    def require_writable(self) -> None:
        """See `Store.require_writable`."""
        lock = lock_file_of(self._path)
        holder = lock_holder(lock)
        if holder is not None:
            raise StoreLockedError(f"process {holder} holds {lock}")

    async def snapshot(
        self,
        *,
        kinds: Collection[str] | None = None,  # noqa: ARG002  # all is read anyway
        text: str | None = None,  # noqa: ARG002  # likewise
    ) -> Snapshot:
        """See `Store.snapshot`."""
        return await read_snapshot(self._path)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        """See `Store.opened`; raise StoreLockedError when another process has."""
        documents = await open_sqlite(self._path, timeout_s=PATIENCE_S)
        try:
            yield documents
        finally:
            await documents.close()

    async def living(self) -> Sequence[Process]:
        """See `Store.living`. Whoever has opened it is alone."""
        return ()

    def ring_source(self, setting: str | None) -> RingSource:
        """See `Store.ring_source`."""
        return ring_source(setting, self._path)
