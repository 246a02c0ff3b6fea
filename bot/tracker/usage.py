"""Count who used the requests of each key in the last hour. In memory; no I/O.

Each process counts what it has asked for itself; what others have counted may be told to `learn`.
The service tells how many requests are left (`rate_limit.py`), but not who made the others.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from cachetools import LRUCache

from bot.workspace import OTHER, Caller, WorkspaceId, current_caller

WINDOW_S = 3600.0
# Counts are kept by minute, so that an hour ends without a list of every request.
BUCKET_S = 60.0
# More askers of one minute are counted together, as others.
MAX_ASKERS_PER_MINUTE = 50
# Of all workspaces together: 25 MB at most, as measured with one in each minute of each workspace.
# Those that asked longest ago are forgotten first.
MAX_COUNTS = 50_000
# Of so many workspaces it is remembered what others have counted: managers look at a few at once.
MAX_LEARNED = 500


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used of a key in the last `span_s` seconds: an hour, or since the start.

    `shares` are askers and their requests, the most first.
    """

    span_s: float = 0.0
    shares: tuple[tuple[Caller, int], ...] = ()

    @property
    def total(self) -> int:
        """The requests of all of them."""
        return sum(requests for _, requests in self.shares)


@dataclass(frozen=True, slots=True)
class UsageSample:
    """What one process has counted of one key.

    `since` is when it began to count, `minutes` are requests by the moment at which their minute
    began, and asker. Moments are seconds of the meter's clock.
    """

    fingerprint: str
    since: float
    minutes: Mapping[float, Mapping[Caller, int]]


@dataclass(slots=True)
class _Account:
    """The counts of one key by minute, the oldest first."""

    minutes: OrderedDict[int, Counter[Caller]] = field(default_factory=OrderedDict)

    @property
    def size(self) -> int:
        return sum(map(len, self.minutes.values()))


class UsageCounter:
    """Counts requests by workspace, key and asker.

    A key is known by its fingerprint (see `rate_limit.py`). Another key has an allowance of
    its own, so its count is another one; and so is that of the same key in another workspace.
    `clock` returns seconds that never go back.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, max_counts: int = MAX_COUNTS
    ) -> None:
        self._clock = clock
        self._started_at = clock()
        self._max_counts = max_counts
        self._count = 0
        self._accounts: OrderedDict[tuple[WorkspaceId, str], _Account] = OrderedDict()
        self._others: LRUCache[WorkspaceId, Sequence[UsageSample]] = LRUCache(MAX_LEARNED)

    def now(self) -> float:
        """Return the moment by the clock of every `Counted` here."""
        return self._clock()

    def count(self, workspace: WorkspaceId, fingerprint: str, asker: Caller) -> None:
        """Count one request of `asker`."""
        minute, place = self._minute(), (workspace, fingerprint)
        account = self._accounts.setdefault(place, _Account())
        self._accounts.move_to_end(place)
        counts = account.minutes.setdefault(minute, Counter())
        if asker not in counts and len(counts) >= MAX_ASKERS_PER_MINUTE:
            asker = OTHER
        self._count += asker not in counts
        counts[asker] += 1
        self._drop_old(account)
        self._make_room(place)

    def count_present(self, fingerprint: str) -> None:
        """Count one request for whoever the bot works for now; for nobody: no workspace has it."""
        if asked := current_caller():
            self.count(asked[0], fingerprint, asked[1])

    def counted(self, workspace: WorkspaceId, fingerprint: str) -> UsageSample:
        """Return what this process has counted of a key in the last hour."""
        account = self._accounts.get((workspace, fingerprint)) or _Account()
        self._drop_old(account)
        minutes = {minute * BUCKET_S: dict(each) for minute, each in account.minutes.items()}
        return UsageSample(fingerprint, self._started_at, minutes)

    def learn(self, workspace: WorkspaceId, others: Sequence[UsageSample]) -> None:
        """Take in what other processes have counted, in the place of what was known of that."""
        self._others[workspace] = tuple(others)

    def usage(self, workspace: WorkspaceId, fingerprint: str) -> Usage:
        """Return who used the key in the last hour, to the minute."""
        own, others = self.counted(workspace, fingerprint), self._others.get(workspace, ())
        totals: Counter[Caller] = Counter()
        for each in (own, *(each for each in others if each.fingerprint == fingerprint)):
            for began_at, counts in each.minutes.items():
                if began_at // BUCKET_S > self._oldest():
                    totals.update(counts)
        since = min([own.since, *(each.since for each in others)])
        return Usage(min(WINDOW_S, self._clock() - since), tuple(totals.most_common()))

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget everything of a workspace."""
        for place in [each for each in self._accounts if each[0] == workspace]:
            self._count -= self._accounts.pop(place).size
        self._others.pop(workspace, None)

    def _minute(self) -> int:
        return int(self._clock() // BUCKET_S)

    def _oldest(self) -> int:
        """The last minute that counts no more."""
        return self._minute() - int(WINDOW_S // BUCKET_S)

    def _drop_old(self, account: _Account) -> None:
        while account.minutes and next(iter(account.minutes)) <= self._oldest():
            _, counts = account.minutes.popitem(last=False)
            self._count -= len(counts)

    def _make_room(self, busy: tuple[WorkspaceId, str]) -> None:
        """Forget accounts of which nothing is left, and, for want of room, those last used."""
        for place in list(islice(self._accounts, 2)):  # one comes at most, so none is left behind
            self._drop_old(self._accounts[place])
            if not self._accounts[place].minutes:
                del self._accounts[place]
        while self._count > self._max_counts and (place := next(iter(self._accounts))) != busy:
            self._count -= self._accounts.pop(place).size
