"""How the runs of a digest go from state to state. Pure: a digest and an event give a digest.

One document holds the plan, the run under way and the runs before, so each step below is one
write that either happened or did not. A run goes

    claimed → posting → posted
       │         └────→ uncertain   nobody knows whether Slack posted it: never repeated
       ├─────────────→ quiet        the digest's mode wants silence
       ├─→ waiting ──→ claimed      surely not posted: tried again within its grace
       └─────────────→ failed       ...and no longer

and a slot that nobody claimed within its grace is missed (see `bot/digests/claims.py`). Only the
worker whose token the run carries may go on with it. A claim ends after a minute: a dead process
that had claimed is followed by another worker, one that was posting leaves the run uncertain.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from bot.digests.digest import (
    MAX_PAST_RUNS,
    Digest,
    Notice,
    Outcome,
    PastRun,
    Pause,
    Run,
    RunState,
    Trouble,
)
from bot.digests.errors import LostClaimError
from bot.digests.notices import with_notice
from bot.digests.schedule import next_slot, slots_until

# Longer than collecting and waiting for a turn take, and longer than posting takes; so long a
# dead process goes unnoticed.
CLAIM = timedelta(seconds=60)
FIRST_RETRY = timedelta(seconds=60)
LONGEST_RETRY = timedelta(minutes=15)


def due_at(digest: Digest) -> datetime | None:
    """Return when something has to be done with a digest; `None`: never, as it is paused."""
    moments = [notice.retry_at or digest.made_at for notice in digest.notices]
    run = digest.run
    if run:
        moments.append(run.until)
    if digest.pause:
        moments += [digest.pause.until] if digest.pause.until else []
    elif run is None or run.state is RunState.WAITING:
        moments.append(digest.next.due_at)  # a new slot does not wait for an old one's retry
    return min(moments, default=None)


def posting(
    digest: Digest, token: str, now: datetime, *, baseline: str | None, average: float | None
) -> Digest:
    """Return the digest before its post; `baseline` names what the next one compares with."""
    run = replace(
        own_run(digest, token),
        state=RunState.POSTING,
        until=now + CLAIM,
        baseline=baseline,
        average=average,
    )
    return replace(digest, run=run)


def posted(digest: Digest, token: str, now: datetime) -> Digest:
    """Return the digest after Slack took its post."""
    run = own_run(digest, token)
    digest = replace(digest, baseline=run.baseline, silent_runs=0)
    return recorded(digest, run, Outcome.POSTED, now, None)


def quiet(digest: Digest, token: str, now: datetime, *, average: float | None) -> Digest:
    """Return the digest after a run that had nothing to say."""
    run = replace(own_run(digest, token), average=average)
    digest = replace(digest, silent_runs=digest.silent_runs + 1)
    return recorded(digest, run, Outcome.QUIET, now, None)


def waiting(
    digest: Digest,
    token: str,
    now: datetime,
    trouble: Trouble,
    *,
    wait: timedelta | None = None,
) -> Digest:
    """Return the digest whose run was surely not posted and is tried again after `wait`.

    `None` waits longer with each attempt. An extra run is dropped: who asked is told at once.
    One that nobody wants any more, as the digest was changed or paused meanwhile, has failed.
    """
    run = own_run(digest, token)
    if run.is_extra:
        return replace(digest, run=None)
    if run.is_unwanted:
        return ended(digest, token, now, Outcome.FAILED, trouble)
    until = now + (wait or _back_off(run.attempt))
    if trouble is not Trouble.KEY:  # that one is given up when the next slot takes its place
        until = min(until, run.deadline)
    run = replace(run, state=RunState.WAITING, until=until, trouble=trouble, asked_by=None)
    return replace(digest, run=run)


def ended(
    digest: Digest, token: str, now: datetime, outcome: Outcome, trouble: Trouble | None
) -> Digest:
    """Return the digest whose run failed for good, or is uncertain; the owner is to be told."""
    run = own_run(digest, token)
    digest = recorded(digest, run, outcome, now, trouble)
    notice = Notice(outcome=outcome, slot=run.slot, channel_id=run.channel_id, trouble=trouble)
    return with_notice(digest, notice)


def broken(digest: Digest, token: str, now: datetime) -> Digest:
    """Return the digest whose run met a mistake of ours."""
    run = own_run(digest, token)
    if run.state is RunState.POSTING:
        return ended(digest, token, now, Outcome.UNCERTAIN, Trouble.OURS)
    if run.is_extra:
        return replace(digest, run=None)
    return ended(digest, token, now, Outcome.FAILED, Trouble.OURS)


def closed(digest: Digest, token: str, now: datetime, trouble: Trouble) -> Digest:
    """Return the digest paused, as its channel takes no posts; the owner is to be told once."""
    run = own_run(digest, token)
    if run.channel_id != digest.plan.channel_id:  # it has moved to another one meanwhile
        return ended(digest, token, now, Outcome.FAILED, trouble)
    digest = recorded(digest, run, Outcome.FAILED, now, trouble)
    digest = past_due(digest, now, trouble)
    was_told = digest.pause is not None and digest.pause.by is None
    digest = replace(digest, pause=Pause(since=now, why=trouble))
    notice = Notice(outcome=None, slot=run.slot, channel_id=run.channel_id, trouble=trouble)
    return digest if was_told else with_notice(digest, notice)


def past_due(digest: Digest, now: datetime, why: Trouble = Trouble.CHANGED) -> Digest:
    """Return the digest with its slots that no worker has taken up, and none will, recorded."""
    if digest.pause or digest.next.due_at > now:
        return digest
    slots = [digest.next, *slots_until(digest.plan.schedule, digest.next.due_at, now)]
    runs = tuple(PastRun(slot=slot, outcome=Outcome.FAILED, at=now, trouble=why) for slot in slots)
    return replace(
        digest,
        past=(*digest.past, *runs)[-MAX_PAST_RUNS:],
        last_local=slots[-1].local,
        next=next_slot(digest.plan.schedule, now),
    )


def called_off(digest: Digest, now: datetime, why: Trouble = Trouble.CHANGED) -> Digest:
    """Return the digest without a run: one that posts goes on, but is not tried again.

    `why` is recorded for a run that was waiting for nothing else.
    """
    run = digest.run
    if run is None:
        return digest
    if run.state is RunState.POSTING:
        return replace(digest, run=replace(run, is_unwanted=True))
    if run.is_extra:
        return replace(digest, run=None)
    return recorded(digest, run, Outcome.FAILED, now, run.trouble or why)


def woken(digest: Digest, now: datetime) -> Digest:
    """Return the digest whose run, if it waits for a key, is tried again at once."""
    run = digest.run
    if run is None or run.state is not RunState.WAITING or run.trouble is not Trouble.KEY:
        return digest
    return replace(digest, run=replace(run, until=now))


def newly_ended(before: Digest, after: Digest) -> list[PastRun]:
    """Return the runs that have ended between two states of a digest, the oldest first."""
    return [run for run in after.past if run not in before.past]


def was_put_off(before: Digest, after: Digest) -> bool:
    """Return whether a run that was under way is to be tried again later."""
    is_waiting = after.run is not None and after.run.state is RunState.WAITING
    return is_waiting and before.run is not None and before.run.state is not RunState.WAITING


def own_run(digest: Digest, token: str) -> Run:
    """Return the run that carries `token`.

    Raises:
        LostClaimError: another worker has it, or it was called off.
    """
    if digest.run is None or digest.run.token != token:
        raise LostClaimError("the run is no longer ours")
    return digest.run


def recorded(
    digest: Digest, run: Run, outcome: Outcome, now: datetime, trouble: Trouble | None
) -> Digest:
    """Return the digest with its run among those that are over."""
    past = PastRun(
        slot=run.slot,
        outcome=outcome,
        at=now,
        average=run.average,
        trouble=trouble,
        asked_by=run.asked_by,
    )
    return replace(digest, run=None, past=(*digest.past, past)[-MAX_PAST_RUNS:])


def _back_off(attempt: int) -> timedelta:
    doubled: timedelta = FIRST_RETRY * 2 ** min(attempt - 1, 8)  # 8: past any cap
    return min(doubled, LONGEST_RETRY)
