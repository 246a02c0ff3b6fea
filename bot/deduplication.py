"""Recognise a request of Slack that arrives a second time."""

import asyncio
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Protocol

import structlog
from cachetools import TTLCache

from bot.concurrency import BoundedWait
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
        ...

    async def forget(self, name: str) -> None:
        """Let `name` be new again: what it asked for has failed."""
        ...


class MemoryDedup:
    """What this process has seen: `at_most` so many names, the latest, for `for_s` seconds."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        at_most: int = MAX_REMEMBERED,
        for_s: float = REMEMBERED_FOR_S,
    ) -> None:
        self._names: TTLCache[str, bool] = TTLCache(at_most, for_s, timer=clock)

    async def is_new(self, name: str) -> bool:
        if name in self._names:
            return False
        self._names[name] = True
        return True

    async def forget(self, name: str) -> None:
        self._names.pop(name, None)


KEY_PREFIX = "meta/seen/"
BUCKET_S = 10


class StoredDedup:
    """What this process has seen, and those before it on a store that one process uses alone.

    One document holds the hashes of ten seconds, so that many names cost one write. `seconds` is
    the clock by which signatures are checked.
    """

    def __init__(self, documents: Documents, *, seconds: Callable[[], float] = time.time) -> None:
        self._documents = documents
        self._seconds = seconds
        self._seen: dict[int, set[str]] | None = None
        self._unwritten: set[int] = set()
        self._turn = asyncio.Lock()

    async def is_new(self, name: str) -> bool:
        """See `DedupStore.is_new`; raise StoreError."""
        seen, hashed = await self._read(), _hash(name)
        if any(hashed in names for names in seen.values()):
            return False
        bucket = int(self._seconds() // BUCKET_S)
        seen.setdefault(bucket, set()).add(hashed)
        await self._write(bucket)
        return True

    async def forget(self, name: str) -> None:
        """See `DedupStore.forget`; raise StoreError."""
        seen, hashed = await self._read(), _hash(name)
        for bucket in [bucket for bucket, names in seen.items() if hashed in names]:
            seen[bucket].discard(hashed)
            await self._write(bucket)

    async def _read(self) -> dict[int, set[str]]:
        async with self._turn:
            if self._seen is None:
                found = await self._documents.list_prefix(KEY_PREFIX)
                self._seen = {
                    int(each.key.removeprefix(KEY_PREFIX)): set(each.value["names"])
                    for each in found
                }
            return self._seen

    async def _write(self, bucket: int) -> None:
        """Write a bucket, unless another caller has just done so, and delete those too old."""
        self._unwritten.add(bucket)
        async with self._turn:
            if bucket not in self._unwritten:
                return
            self._unwritten.discard(bucket)
            seen = self._seen or {}
            value = {"v": 1, "names": sorted(seen.get(bucket, ()))}
            await self._documents.put(f"{KEY_PREFIX}{bucket}", value)
            oldest = (self._seconds() - REMEMBERED_FOR_S) // BUCKET_S
            for old in [each for each in seen if each < oldest]:
                await self._documents.delete(f"{KEY_PREFIX}{old}")
                del seen[old]


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
