"""What becomes of digests, told to whoever counts it."""

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

from bot.digests.digest import Digest, Outcome, PastRun, Run
from bot.digests.errors import UnknownDigestError
from bot.digests.ledger import due_at, newly_ended, was_put_off
from bot.digests.shelf import Shelf

DUE_AT_MOST = 20_000


class CountsRuns(Protocol):
    """Whoever counts what becomes of runs, without learning whose they are. None of it raises."""

    def note_run(self, outcome: str, trouble: str | None) -> None:
        """Count a run that has ended; `trouble` is why, `None` when all went well."""
        ...

    def note_retry(self, trouble: str) -> None:
        """Count a run that was put off, to be tried again."""
        ...

    def note_lag(self, lag_s: float, *, is_first_try: bool) -> None:
        """Record how long after its slot a digest was posted."""
        ...


def steps_to(counts: CountsRuns) -> Callable[[Digest, Digest], None]:
    """Return the `on_step` of a shelf that tells `counts` of each step that was saved."""

    def on_step(before: Digest, after: Digest) -> None:
        if before.past[-1:] != after.past[-1:]:  # at one step in three; comparing all is slow
            for ended in newly_ended(before, after):
                _count(counts, before.run, ended)
        if was_put_off(before, after) and after.run and after.run.trouble:
            counts.note_retry(after.run.trouble.value)

    return on_step


def _count(counts: CountsRuns, run: Run | None, ended: PastRun) -> None:
    """Count how it ended, and how late it was posted: what somebody sends now is never late."""
    counts.note_run(ended.outcome.value, ended.trouble.value if ended.trouble else None)
    if ended.outcome is Outcome.POSTED and run and not ended.asked_by:
        lag_s = (ended.at - ended.slot.due_at).total_seconds()
        counts.note_lag(lag_s, is_first_try=run.attempt == 1)


class Due:
    """How many digests wait to be taken up, and for how long the first of them."""

    def __init__(self, shelf: Shelf, *, clock: Callable[[], datetime]) -> None:
        self._shelf = shelf
        self._clock = clock

    async def __call__(self) -> tuple[int, float]:
        """Return their number, 20,000 at most, and the seconds; raise StoreError.

        The seconds count from the moment that the digest itself was due at: one that a queue had
        been given, and that comes due again as nobody has done it, was due before that.
        """
        now = self._clock()
        due = await self._shelf.due(now, limit=DUE_AT_MOST)
        if not due:
            return 0, 0.0
        try:
            since = due_at(await self._shelf.get(*due[0]))
        except (UnknownDigestError, ValueError):  # deleted just now, or of another version
            since = None
        return len(due), max(0.0, (now - (since or now)).total_seconds())
