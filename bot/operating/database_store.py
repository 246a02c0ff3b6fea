"""The store in PostgreSQL, as operators' commands use it: beside whatever bots use it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from bot.operating.processes import PROCESS, WATCH_S, Process, living
from bot.store.base import Document, Documents
from bot.store.key_file import RingSource
from bot.store.postgres.address import Address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrating import MigrationSet
from bot.store.postgres.snapshots import read_database
from bot.store.sealed import KeyRing
from bot.store.snapshot import Snapshot


class DatabaseStore:
    """See `Store`. `sets` are the migrations without which nothing is written."""

    def __init__(
        self, address: Address, sets: Sequence[MigrationSet], *, watch_s: float = WATCH_S
    ) -> None:
        self.address = address
        self.sets = sets
        self._watch_s = watch_s

    def require_there(self) -> None:
        """See `Store.require_there`. Who reads it finds out."""

    def is_there(self) -> bool:
        """See `Store.is_there`."""
        return True

    def require_writable(self) -> None:
        """See `Store.require_writable`. Any number of processes may."""

    async def snapshot(
        self, *, kinds: Collection[str] | None = None, text: str | None = None
    ) -> Snapshot:
        """See `Store.snapshot`."""
        return await read_database(self.address, kinds=kinds, text=text)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        """See `Store.opened`; raise OutdatedSchemaError when it is not migrated."""
        documents = await open_postgres(self.address, sets=self.sets)
        try:
            yield documents
        finally:
            await documents.close()

    async def living(self) -> Sequence[Process]:
        """See `Store.living`. It takes some seconds where there are any, or were."""
        return await living(self._shown, lambda: asyncio.sleep(self._watch_s))

    async def _shown(self) -> Sequence[Document]:
        return (await self.snapshot(kinds={PROCESS})).documents

    def ring_source(self, setting: str | None) -> RingSource:
        """See `Store.ring_source`. There is no other than that of the setting."""
        return RingSource(KeyRing.parse(setting) if setting else None)
