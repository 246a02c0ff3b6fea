"""Note in the store that this process runs, and find the processes that died.

What one process has begun and cannot end, because it was killed, is for the others to see to.
"""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

import structlog
from cachetools import LRUCache

from bot.store.documents import ConflictError, Documents, StoreError

logger = structlog.get_logger()
PREFIX = "meta/process/"  # names no workspace
REFRESH_EVERY_S = 5.0
# Three signs of life may fail, or come late because a process was busy, and nobody is taken for
# dead. After a kill it takes 25 to 35 s until the others know.
DEAD_AFTER_S = 25.0
MAX_KNOWN = 10_000
LEFT_WITHIN_S = 2.0


class Processes(Protocol):
    """What one process, called `process_id`, knows of the others that use the same store."""

    @property
    def process_id(self) -> str:
        """Return the name of this process: another one after each start."""
        ...

    async def heartbeat(self) -> None:
        """Show that this process lives, and look at the others; to be called every 5 s.

        Raises:
            StoreError: nothing is known now; nobody is taken for dead in the next 25 s.
        """
        ...

    async def deregister(self) -> None:
        """Show that this process ends; a store that fails is logged, and no more."""
        ...

    def is_dead(self, process_id: str) -> bool:
        """Return whether that process has surely ended, as far as one can know."""
        ...


class OneProcess:
    """The only process that can have the store open: all others are dead."""

    def __init__(self) -> None:
        self.process_id = new_process_id()

    async def heartbeat(self) -> None:
        """See `Processes.heartbeat`. There is nobody to see it."""

    async def deregister(self) -> None:
        """See `Processes.deregister`. There is nobody to see it."""

    def is_dead(self, process_id: str) -> bool:
        """See `Processes.is_dead`."""
        return process_id != self.process_id


class SharedProcesses:
    """Processes on several machines: each has a document, which changes every 5 s while it lives.

    Whoever looks measures by its own steady clock how long the document of another one has not
    changed, so that clocks that differ, or are set, matter to nobody. For operators it shows its
    `role`, the moment of its start, and the names of its `keys` at rest. `steady` counts seconds.
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
        self.process_id = new_process_id()
        self._documents = documents
        self._shown = {
            "v": 1,
            "role": role,
            "started_at": clock().isoformat(),
            "keys": list(keys),
        }
        self._steady = steady
        # Its last known revision (0: no document), and since when it is that.
        self._seen: LRUCache[str, tuple[int, float]] = LRUCache(MAX_KNOWN)

    async def heartbeat(self) -> None:
        """See `Processes.heartbeat`.

        While the store is away nobody can show anything: that is no sign of anybody's death.
        """
        try:
            await self._documents.put(f"{PREFIX}{self.process_id}", self._shown)
            await self._look()
        except StoreError:
            self._seen.clear()
            raise

    async def deregister(self) -> None:
        """See `Processes.deregister`."""
        try:
            async with asyncio.timeout(LEFT_WITHIN_S):
                await self._documents.delete(f"{PREFIX}{self.process_id}")
        except (StoreError, TimeoutError) as error:  # the others find out
            logger.warning("could not say that this process ends", error=repr(error))

    def is_dead(self, process_id: str) -> bool:
        """See `Processes.is_dead`. One that was never seen is watched from now on."""
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
                await self._remove(process_id, document.rev)

    async def _remove(self, process_id: str, rev: int) -> None:
        with contextlib.suppress(ConflictError):  # it lives after all
            await self._documents.delete(f"{PREFIX}{process_id}", if_rev=rev)
            logger.warning("a process has ended without a word", process=process_id)


def new_process_id() -> str:
    """Return a name that no other process has."""
    return secrets.token_hex(8)
