"""Who used the requests of each key in the last hour. In the memory of this process only.

Each process counts what it has asked for itself, and begins anew when it is started. The service
tells how many requests are left (`tracker/budget.py`), but not who made the others.
"""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from bot.asking import OTHER, Asker, who_asks
from bot.workspace import WorkspaceId

WINDOW_S = 3600.0
# Counts are kept by minute, so that an hour ends without a list of every request.
BUCKET_S = 60.0
# More askers of one minute are counted together, as others.
MAX_ASKERS_PER_MINUTE = 50
# Of all workspaces together: 25 MB at most, as measured with one in each minute of each workspace.
# Those that asked longest ago are forgotten first.
MAX_COUNTS = 50_000


@dataclass(frozen=True, slots=True)
class Usage:
    """What was used of a key in the last `span_s` seconds: an hour, or since the start.

    `shares` are askers and their requests, the most first.
    """

    span_s: float = 0.0
    shares: tuple[tuple[Asker, int], ...] = ()

    @property
    def total(self) -> int:
        """The requests of all of them."""
        return sum(requests for _, requests in self.shares)


@dataclass(slots=True)
class _Account:
    """The counts of one key by minute, the oldest first."""

    minutes: OrderedDict[int, Counter[Asker]] = field(default_factory=OrderedDict)

    @property
    def size(self) -> int:
        return sum(map(len, self.minutes.values()))


class Meter:
    """Counts requests by workspace, key and asker.

    A key is known by its fingerprint (see `tracker/budget.py`). Another key has an allowance of
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

    def count(self, workspace: WorkspaceId, fingerprint: str, asker: Asker) -> None:
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
        if asked := who_asks():
            self.count(asked[0], fingerprint, asked[1])

    def usage(self, workspace: WorkspaceId, fingerprint: str) -> Usage:
        """Return who used the key in the last hour, to the minute."""
        span_s = min(WINDOW_S, self._clock() - self._started_at)
        account = self._accounts.get((workspace, fingerprint))
        if account is None:
            return Usage(span_s)
        self._drop_old(account)
        totals: Counter[Asker] = Counter()
        for counts in account.minutes.values():
            totals.update(counts)
        return Usage(span_s, tuple(totals.most_common()))

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget everything of a workspace."""
        for place in [each for each in self._accounts if each[0] == workspace]:
            self._count -= self._accounts.pop(place).size

    def _minute(self) -> int:
        return int(self._clock() // BUCKET_S)

    def _drop_old(self, account: _Account) -> None:
        oldest = self._minute() - int(WINDOW_S // BUCKET_S)
        while account.minutes and next(iter(account.minutes)) <= oldest:
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
