"""Count the outcomes of digests, and how late they are."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from bot.digests.models import (
    Digest,
    Outcome,
    RunState,
    UnknownDigestError,
    UnreadableDigestError,
)
from bot.digests.repository import DigestRepository
from bot.digests.run_state import due_at
from bot.metrics.definitions import DigestMetrics

DUE_AT_MOST, LOOK_AT = 20_000, 20


def steps_to(counts: DigestMetrics) -> Callable[[Digest, Digest], None]:
    """Return the `on_step` of a repository that counts each saved step in `counts`."""

    def on_step(before: Digest, after: Digest) -> None:
        if before.past[-1:] != after.past[-1:]:  # at one step in three; comparing all is slow
            for ended in (run for run in after.past if run not in before.past):
                counts.note_run(ended.outcome.value, ended.trouble and ended.trouble.value)
                if ended.outcome is Outcome.POSTED and before.run and not ended.asked_by:
                    lag_s = (ended.at - ended.slot.due_at).total_seconds()
                    counts.note_lag(lag_s, is_first_try=before.run.attempt == 1)
        was_at_work = before.run and before.run.state is not RunState.WAITING
        if was_at_work and (run := after.run) and run.state is RunState.WAITING and run.trouble:
            counts.note_retry(run.trouble.value)

    return on_step


async def overdue(repository: DigestRepository, now: datetime) -> tuple[int, float]:
    """Return the number of due digests, 20,000 at most, and how late the first one is in seconds.

    Those count from the digest's own due moment, not from when it was queued again. Raises
    StoreError.
    """
    due = await repository.due(now, limit=DUE_AT_MOST)
    for place in due[:LOOK_AT]:
        with suppress(UnknownDigestError, UnreadableDigestError):  # it hides no late one
            since = due_at(await repository.get(*place)) or now
            return len(due), max(0.0, (now - since).total_seconds())
    return len(due), 0.0
