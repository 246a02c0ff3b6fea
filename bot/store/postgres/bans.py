"""Of whom nothing is written any more, known to all processes: it stands in the database."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from bot.store.postgres.calls import TIMEOUT_S, Calls, told


class StoredBans:
    """What `ForgettingDocuments` remembers, for an hour, and only as hashes.

    `put_document` asks for it in the transaction that writes (sql/0001-documents.sql).
    """

    def __init__(self, calls: Calls, *, timeout_s: float = TIMEOUT_S) -> None:
        self._calls = calls
        self._timeout_s = timeout_s
        # At most one connection of this process waits for a turn, or keeps one: the others are
        # for the deletion itself, and for everybody else.
        self.turn = asyncio.Lock()

    @asynccontextmanager
    async def forgetting(self, prefix: str, *, but: Iterable[str] = ()) -> AsyncIterator[None]:
        """See `ErasableDocuments.forgetting`.

        Raises:
            StoreError: it failed, or somebody else has the turn for too long.
        """
        async with (
            self.turn,
            told(self._timeout_s) as limit,
            self._calls.pool.connection() as connection,
            connection.transaction(),
        ):
            await connection.execute("SELECT take_turn(%s)", (prefix,))
            await self._calls.write("SELECT forget_prefix(%s, %s)", (prefix, list(but)))
            limit.reschedule(None)  # what is done inside has limits of its own
            yield

    async def welcome(self, prefix: str) -> None:
        """See `ErasableDocuments.welcome`."""
        await self._calls.write("SELECT welcome_prefix(%s)", (prefix,))

    async def drop_old(self) -> None:
        """Remove what has ended by itself."""
        await self._calls.write("DELETE FROM forgotten WHERE until <= now()")
