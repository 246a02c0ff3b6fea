"""Recognise a request of Slack that arrives a second time."""

import asyncio
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Protocol

import structlog
from cachetools import TTLCache

from bot.concurrency import BoundedWait, Tasks
from bot.store.documents import Documents, StoreError

logger = structlog.get_logger()
# Slack's signatures are good for five minutes either way:
# https://docs.slack.dev/authentication/verifying-requests-from-slack
REMEMBERED_FOR_S = 600
MAX_REMEMBERED = 100_000
# With `KNOWN_WITHIN_S` of `installations/authorize.py` well below the 3 s that Slack waits for its
# ack, also while the store is away; and a form can be opened for 3 s after a press:
# https://docs.slack.dev/interactivity/handling-user-interaction
ASKED_WITHIN_S = 0.6


class DedupStore(Protocol):
    """Remembers names for ten minutes at least. A name begins with what it names: `request/…`.

    One that is shared by several processes raises StoreError when they cannot be asked.
    """

    async def is_new(self, name: str) -> bool:
        """Say whether `name` comes for the first time, and remember it, in one step."""

    async def forget(self, name: str) -> None:
        """Let `name` be new again: what it asked for has failed."""


class MemoryDedup:
    """What this process has seen in the last ten minutes."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._names: TTLCache[str, bool] = TTLCache(MAX_REMEMBERED, REMEMBERED_FOR_S, timer=clock)

    async def is_new(self, name: str) -> bool:
        if name in self._names:
            return False
        self._names[name] = True
        return True

    async def forget(self, name: str) -> None:
        self._names.pop(name, None)


KEY_PREFIX = "meta/seen/"
BUCKET_S = 10
WRITTEN_AFTER_S = 0.25


class StoredDedup:
    """What this process has seen, and those before it on a store that one process uses alone.

    One document holds the hashes of ten seconds. No request waits for the store: names are written
    a moment later, as one of `tasks`, so only a kill in that moment lets them be new again.
    `seconds` is the clock by which signatures are checked.
    """

    def __init__(
        self, documents: Documents, tasks: Tasks, *, seconds: Callable[[], float] = time.time
    ) -> None:
        self._documents = documents
        self._tasks = tasks
        self._seconds = seconds
        self._seen: dict[int, set[str]] = {}
        self._unwritten: set[int] = set()
        self._writing: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Read what the processes before this one have seen; raise StoreError."""
        for each in await self._documents.list_prefix(KEY_PREFIX):
            self._seen[int(each.key.removeprefix(KEY_PREFIX))] = set(each.value["names"])

    async def is_new(self, name: str) -> bool:
        hashed = _hash(name)
        if any(hashed in names for names in self._seen.values()):
            return False
        bucket = int(self._seconds() // BUCKET_S)
        self._seen.setdefault(bucket, set()).add(hashed)
        self._write_soon(bucket)
        return True

    async def forget(self, name: str) -> None:
        hashed = _hash(name)
        for bucket in [bucket for bucket, names in self._seen.items() if hashed in names]:
            self._seen[bucket].discard(hashed)
            self._write_soon(bucket)

    def _write_soon(self, bucket: int) -> None:
        self._unwritten.add(bucket)
        if self._writing is None or self._writing.done():
            self._writing = self._tasks.start(self._write())

    async def _write(self) -> None:
        """Write what is new, and delete what is too old; what fails is tried with the next."""
        await asyncio.sleep(WRITTEN_AFTER_S)
        try:
            while self._unwritten:
                bucket = self._unwritten.pop()
                value = {"v": 1, "names": sorted(self._seen.get(bucket, ()))}
                await self._documents.put(f"{KEY_PREFIX}{bucket}", value)
            oldest = (self._seconds() - REMEMBERED_FOR_S) // BUCKET_S
            for old in [each for each in self._seen if each < oldest]:
                await self._documents.delete(f"{KEY_PREFIX}{old}")
                del self._seen[old]
        except StoreError as error:
            self._unwritten.add(bucket)
            logger.warning("what was seen could not be written", error=repr(error))


def _hash(name: str) -> str:
    return sha256(name.encode(errors="surrogatepass")).hexdigest()[:32]


class SharedDedup:
    """What any process has seen (`stored`), and what this one has (`here`). Never raises.

    While the others cannot be asked, or do not answer in time, only what came to this process
    is known: people's commands go on, and Slack repeats nothing in those ten minutes unless the
    ack was late, or somebody replays a request that they have got hold of.
    """

    def __init__(
        self, stored: DedupStore, *, here: DedupStore, asked_within_s: float = ASKED_WITHIN_S
    ) -> None:
        self._stored = stored
        self._here = here
        self._patience = BoundedWait(asked_within_s)

    async def is_new(self, name: str) -> bool:
        if not await self._here.is_new(name):
            return False
        try:
            is_new = await self._patience.wait(self._stored.is_new(name))
        except (StoreError, TimeoutError) as error:
            logger.warning("no other process could be asked what it has seen", error=repr(error))
            return True
        if not is_new:  # another process has it, and may forget it
            await self._here.forget(name)
        return is_new

    async def forget(self, name: str) -> None:
        """See `DedupStore.forget`. If the store fails, other processes still know `name`."""
        await self._here.forget(name)
        try:
            await self._patience.wait(self._stored.forget(name))
        except (StoreError, TimeoutError) as error:
            logger.warning("other processes may still know it", error=repr(error))
