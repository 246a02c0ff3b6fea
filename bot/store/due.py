"""Which document comes due when: a sorted list in memory. No I/O, no clock."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable
from datetime import datetime
from itertools import islice


class DueIndex:
    """Keeps `(due_at, key)` in order.

    Moving one of 50,000 entries costs about as much as copying a few hundred kilobytes.
    """

    def __init__(self, due: Iterable[tuple[str, datetime]] = ()) -> None:
        self._due_of = dict(due)
        self._order = sorted((due_at, key) for key, due_at in self._due_of.items())

    def set(self, key: str, due_at: datetime | None) -> None:
        """Note when `key` comes due; `None`: never."""
        old = self._due_of.pop(key, None)
        if old is not None:
            del self._order[bisect_left(self._order, (old, key))]
        if due_at is not None:
            self._due_of[key] = due_at
            insort(self._order, (due_at, key))

    def forget_prefix(self, prefix: str) -> None:
        """Note that every key that begins with `prefix` never comes due."""
        self._due_of = {k: due for k, due in self._due_of.items() if not k.startswith(prefix)}
        self._order = [entry for entry in self._order if entry[1] in self._due_of]

    def keys_due(self, moment: datetime, prefix: str, limit: int) -> list[str]:
        """Return at most `limit` keys due at or before `moment`, the longest due first."""
        end = bisect_right(self._order, moment, key=lambda entry: entry[0])
        found: list[str] = []
        for _, key in islice(self._order, end):
            if len(found) >= limit:
                break
            if key.startswith(prefix):
                found.append(key)
        return found
