"""Slots for requests, shared fairly by the workspaces that ask."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import AsyncExitStack, asynccontextmanager

from bot.tracker.models import TooBusyError

# More gain nothing: with httpx 0.28 a request among 20 took twice the processor time.
MAX_REQUESTS = 8
# A scan may take two minutes. Two slots stay free for lists, and so for digests.
MAX_SCANS = 6
# At most this much is one workspace's, so that another one finds a slot at once.
REQUESTS_EACH = 6
SCANS_EACH = 4
# How long a request waits for a slot; a scan waits as long as one of its workspace may take.
WAIT_S, SCAN_WAIT_S = 60.0, 120.0


class FairSemaphore:
    """`count` slots, of which one owner holds at most `each`.

    A free one goes to those who do not give way, among those to the owner who holds fewest, and
    among those to who came first.
    """

    def __init__(self, count: int, each: int) -> None:
        self._free = count
        self._each = each
        self._held: Counter[Hashable] = Counter()
        self._waiting: list[tuple[Hashable, asyncio.Future[None], bool]] = []

    @asynccontextmanager
    async def hold(self, owner: Hashable, *, gives_way: bool) -> AsyncIterator[None]:
        slot = asyncio.get_running_loop().create_future()
        waiting = owner, slot, gives_way
        self._waiting.append(waiting)
        self._admit()
        try:
            await slot
            yield
        finally:
            if slot.done() and not slot.cancelled():
                self._free += 1
                self._held -= Counter([owner])
                self._admit()
            else:
                self._waiting.remove(waiting)

    def ahead(self, owner: Hashable) -> int:
        """Return how many have to end before a new one of `owner` begins, 0 for none."""
        has_all = self._held[owner] >= self._each
        if self._free and not has_all:
            return 0
        before = [other for other, _, gives_way in self._waiting if not gives_way]
        return 1 + (before.count(owner) if has_all else len(before))

    def _admit(self) -> None:
        while self._free:
            fitting = [
                (gives_way, self._held[owner], number)
                for number, (owner, slot, gives_way) in enumerate(self._waiting)
                if self._held[owner] < self._each and not slot.cancelled()
            ]
            if not fitting:
                return
            owner, slot, _ = self._waiting.pop(min(fitting)[2])
            self._free -= 1
            self._held[owner] += 1
            slot.set_result(None)


class Slots:
    """The slots of a process."""

    def __init__(self) -> None:
        self._requests = FairSemaphore(MAX_REQUESTS, REQUESTS_EACH)
        self.scans = FairSemaphore(MAX_SCANS, SCANS_EACH)

    @asynccontextmanager
    async def acquire(
        self, owner: Hashable, *, is_scan: bool = False, gives_way: bool = False
    ) -> AsyncIterator[None]:
        """Hold a slot inside the block; raise TooBusyError if none becomes free in time."""
        within_s = SCAN_WAIT_S if is_scan else WAIT_S
        async with AsyncExitStack() as slots:
            try:
                async with asyncio.timeout(within_s):
                    # A scan's first, so that one that waits holds no slot of a list.
                    for each in (self.scans, self._requests) if is_scan else (self._requests,):
                        await slots.enter_async_context(each.hold(owner, gives_way=gives_way))
            except TimeoutError as error:
                raise TooBusyError(f"no request ended within {within_s:g} s") from error
            yield
