"""Let one process at a time do a piece of work, among those that share a store."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.errors import warned
from bot.store.documents import ConflictError, Document, Documents, StoreError
from bot.workspace import WorkspaceId

KIND = "claim"
# Longer than a list and an add take, each with its wait for a place.
LASTS = timedelta(minutes=4)
LOOK_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class Claims:
    """Documents that are there while a process does what they name."""

    documents: Documents
    clock: Callable[[], datetime]

    @asynccontextmanager
    async def hold(self, workspace: WorkspaceId, name: str) -> AsyncIterator[bool]:
        """Hold `name` inside the block, after the process that holds it.

        Yield whether there was one: it may have done the work. A process that dies loses its
        claim after four minutes. Raise StoreError: nothing is held.
        """
        key, was_held = f"{workspace}/{KIND}/{name}", False
        while (claim := await self._claim(key)) is None:
            was_held = True
            await asyncio.sleep(LOOK_EVERY_S)
        document, followed_a_dead_one = claim
        try:
            yield was_held or followed_a_dead_one
        finally:
            with warned("a claim could not be ended", StoreError), suppress(ConflictError):
                await self.documents.delete(key, if_rev=document.rev)

    async def _claim(self, key: str) -> tuple[Document, bool] | None:
        """Write a claim, and say whether it replaces an expired one; `None`: it is held."""
        now, before = self.clock(), await self.documents.get(key)
        if before and before.due_at and before.due_at > now:
            return None
        rev = before.rev if before else 0
        with suppress(ConflictError):
            claim = await self.documents.put(key, {"v": 1}, due_at=now + LASTS, if_rev=rev)
            return claim, before is not None
        return None
