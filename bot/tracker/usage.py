"""Count the requests of each key by caller in the last hour. In memory; no I/O.

`shared_limits.py` moves the counts to a document that all processes share.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from cachetools import TTLCache

from bot.workspace import OTHER, Caller, WorkspaceId, current_caller

WINDOW_S = 3600.0
# Counts are kept by five minutes, so that no request needs an entry of its own.
BUCKET_S = 300.0
# More callers of the same five minutes are counted together, as others.
MAX_CALLERS = 50
MAX_KEYS = 10_000
# A workspace, and the fingerprint of a key that it uses.
Place = tuple[WorkspaceId, str]
# Requests by caller, by the number of the five minutes.
Counts = Mapping[int, Counter[Caller]]


@dataclass(frozen=True, slots=True)
class Usage:
    """The requests made with a key in the last `span_s` seconds: an hour, or since the start.

    `shares` are callers and their requests, the most first.
    """

    span_s: float = 0.0
    shares: tuple[tuple[Caller, int], ...] = ()

    @property
    def total(self) -> int:
        """The requests of all of them."""
        return sum(requests for _, requests in self.shares)


@dataclass(slots=True)
class Tally:
    """The requests of a piece of work."""

    requests: int = 0


_tally: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextmanager
def tallied() -> Iterator[Tally]:
    """Count the requests inside the block, also those of tasks that begin there."""
    tally = Tally()
    token = _tally.set(tally)
    try:
        yield tally
    finally:
        _tally.reset(token)


class UsageCounter:
    """Counts requests by workspace, key and caller: stored ones and new ones.

    `clock` returns seconds since 1970.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.time, max_keys: int = MAX_KEYS
    ) -> None:
        self._clock = clock
        self._started_at = clock()
        self._new: TTLCache[Place, Counts] = TTLCache(max_keys, WINDOW_S, timer=clock)
        self._stored: TTLCache[Place, Counts] = TTLCache(max_keys, WINDOW_S, timer=clock)

    def count(self, workspace: WorkspaceId, fingerprint: str, caller: Caller) -> None:
        """Count one request of `caller`."""
        place, bucket = (workspace, fingerprint), int(self._clock() // BUCKET_S)
        self._new[place] = _sum(self.new(place), {bucket: Counter([caller])})

    def count_present(self, fingerprint: str) -> None:
        """Count one request of the current caller, if there is one."""
        if tally := _tally.get():
            tally.requests += 1
        if current := current_caller():
            self.count(current[0], fingerprint, current[1])

    def usage(self, workspace: WorkspaceId, fingerprint: str) -> Usage:
        """Return the usage of a key in the last hour, to five minutes."""
        place, totals = (workspace, fingerprint), Counter[Caller]()
        buckets = self.add_to_stored(place, self.new(place))
        for counts in buckets.values():
            totals.update(counts)
        since = min([self._started_at, *(bucket * BUCKET_S for bucket in buckets)])
        return Usage(min(WINDOW_S, self._clock() - since), tuple(totals.most_common()))

    def new(self, place: Place) -> Counts:
        """Return the requests that are not stored yet."""
        return self._new.get(place, {})

    def add_to_stored(self, place: Place, counts: Counts) -> Counts:
        """Return the sum of the stored counts and `counts`, of the last hour only."""
        oldest = (self._clock() - WINDOW_S) // BUCKET_S
        total = _sum(self._stored.get(place, {}), counts)
        return {bucket: some for bucket, some in total.items() if bucket > oldest}

    def learn(self, place: Place, stored: Counts) -> None:
        """Take over the stored counts of a key."""
        self._stored[place] = stored

    def note_stored(self, place: Place, new: Counts, stored: Counts) -> None:
        """Take over the stored counts of a key, of which `new` is a part."""
        self.learn(place, stored)
        counted = self._new.pop(place, {}).items()
        if left := {b: more for b, n in counted if (more := n - new.get(b, Counter()))}:
            self._new[place] = left

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget everything of a workspace."""
        for place in [each for each in (*self._new, *self._stored) if each[0] == workspace]:
            self._new.pop(place, None)
            self._stored.pop(place, None)


def _sum(one: Counts, other: Counts) -> Counts:
    total: dict[int, Counter[Caller]] = {}
    for counts in (one, other):
        for bucket, some in counts.items():
            merged = total.setdefault(bucket, Counter())
            for caller, requests in some.items():
                is_room = caller in merged or len(merged) < MAX_CALLERS
                merged[caller if is_room else OTHER] += requests
    return total
