"""Record in the store that this process runs, and detect the processes that died."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime

import structlog
from cachetools import LRUCache

from bot.errors import warned
from bot.store.documents import ConflictError, Documents, StoreError

logger = structlog.get_logger()
PREFIX = "meta/process/"  # names no workspace
REFRESH_EVERY_S = 5.0
# Three heartbeats may fail or be late. After a kill the others know it in 25 to 35 s.
DEAD_AFTER_S = 25.0
MAX_KNOWN = 10_000
LEFT_WITHIN_S = 2.0


class Processes:
    """The processes of a store, of which `process_id` is this one. Here all others are dead."""

    def __init__(self) -> None:
        self.process_id = secrets.token_hex(8)

    async def heartbeat(self) -> None:
        """Record that this process lives, and look at the others; call it every 5 s.

        After a StoreError no process counts as dead for 25 s.
        """

    async def deregister(self) -> None:
        """Record that this process ends; a store that fails is only logged."""

    def is_dead(self, process_id: str) -> bool:
        return process_id != self.process_id


class SharedProcesses(Processes):
    """Processes on several machines: each has a document, which changes every 5 s while it lives.

    Each process measures the age of the others' documents by its own `steady` clock of seconds,
    so that clocks may differ or be set. For operators the document holds the process's `role`,
    the moment of its start, and the names of its `keys` at rest.
    """

    def __init__(
        self,
        documents: Documents,
        *,
        role: str,
        clock: Callable[[], datetime],
        keys: Sequence[str] = (),
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__()
        self._documents = documents
        self._shown = {"v": 1, "role": role, "started_at": clock().isoformat(), "keys": list(keys)}
        self._steady = steady
        # Its last known revision (0: no document), and since when it is that.
        self._seen: LRUCache[str, tuple[int, float]] = LRUCache(MAX_KNOWN)

    async def heartbeat(self) -> None:
        try:
            await self._documents.put(f"{PREFIX}{self.process_id}", self._shown)
            await self._look()
        except StoreError:  # the heartbeats of the others failed too
            self._seen.clear()
            raise

    async def deregister(self) -> None:
        said = "could not say that this process ends"  # the others find out
        with warned(said, StoreError, TimeoutError):
            async with asyncio.timeout(LEFT_WITHIN_S):
                await self._documents.delete(f"{PREFIX}{self.process_id}")

    def is_dead(self, process_id: str) -> bool:
        """Return whether that process has ended. An unknown one is watched from now on."""
        if process_id == self.process_id:
            return False
        _, since = self._seen.setdefault(process_id, (0, self._steady()))
        return self._steady() - since >= DEAD_AFTER_S

    async def _look(self) -> None:
        now = self._steady()
        for document in await self._documents.list_prefix(PREFIX):
            process_id = document.key.removeprefix(PREFIX)
            known_rev, _ = self._seen.get(process_id, (0, now))
            if document.rev != known_rev:
                self._seen[process_id] = (document.rev, now)
            elif self.is_dead(process_id):
                with contextlib.suppress(ConflictError):  # it lives after all
                    await self._documents.delete(document.key, if_rev=document.rev)
                    logger.warning("a process has ended without a word", process=process_id)
