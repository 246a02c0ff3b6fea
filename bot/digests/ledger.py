"""How the runs of a digest go from state to state. Pure: a digest and an event give a digest.

One document holds the plan, the run under way and the runs before, so each step below is one
write that either happened or did not. A run goes

    claimed → posting → posted
       │         └────→ uncertain   nobody knows whether Slack posted it: never repeated
       ├─────────────→ quiet        the digest's mode wants silence
       ├─→ waiting ──→ claimed      surely not posted: tried again within its grace
       └─────────────→ failed       ...and no longer

and a slot that nobody claimed within its grace is missed. Only the worker whose token the run
carries may go on with it. A claim ends after a minute: a dead process that had claimed is
followed by another worker, one that was posting leaves the run uncertain.
"""

from collections.abc import Sequence
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
from bot.digests.schedule import Slot, grace, next_slot, slots_until

# Longer than collecting and posting take; so long a dead process goes unnoticed.
CLAIM = timedelta(seconds=60)
FIRST_RETRY = timedelta(seconds=60)
LONGEST_RETRY = timedelta(minutes=15)
MAX_NOTICES = 10


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


def taken_up(digest: Digest, now: datetime, token: str) -> Digest:
    """Return the digest as a worker takes it up: what is over is settled, what is due claimed.

    The run is the worker's when it then carries `token`.
    """
    digest = _resumed_in_time(digest, now)
    if digest.run and digest.run.state is RunState.POSTING and digest.run.until <= now:
        digest = ended(digest, digest.run.token, now, Outcome.UNCERTAIN, Trouble.DOWN)
    if digest.run and digest.run.state is not RunState.POSTING:
        digest = _superseded(digest, digest.run, now)
    if digest.run:
        return _taken_over(digest, digest.run, now, token)
    return digest if digest.pause else _next_taken(digest, now, token)


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
    return _recorded(digest, run, Outcome.POSTED, now, None)


def quiet(digest: Digest, token: str, now: datetime, *, average: float | None) -> Digest:
    """Return the digest after a run that had nothing to say."""
    run = replace(own_run(digest, token), average=average)
    digest = replace(digest, silent_runs=digest.silent_runs + 1)
    return _recorded(digest, run, Outcome.QUIET, now, None)


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
    """
    run = own_run(digest, token)
    if run.is_extra:
        return replace(digest, run=None)
    run = replace(
        run,
        state=RunState.WAITING,
        until=min(now + (wait or _back_off(run.attempt)), _deadline(digest, run, trouble, now)),
        trouble=trouble,
        asked_by=None,
    )
    return replace(digest, run=run)


def ended(
    digest: Digest, token: str, now: datetime, outcome: Outcome, trouble: Trouble | None
) -> Digest:
    """Return the digest whose run failed for good, or is uncertain; the owner is to be told."""
    run = own_run(digest, token)
    digest = _recorded(digest, run, outcome, now, trouble)
    return _with_notice(digest, Notice(outcome=outcome, slot=run.slot, trouble=trouble))


def closed(digest: Digest, token: str, now: datetime, trouble: Trouble) -> Digest:
    """Return the digest paused, as its channel takes no posts; the owner is to be told once."""
    run = own_run(digest, token)
    digest = _recorded(digest, run, Outcome.FAILED, now, trouble)
    was_told = digest.pause is not None and digest.pause.by is None
    digest = replace(digest, pause=Pause(since=now, why=trouble))
    notice = Notice(outcome=None, slot=run.slot, trouble=trouble)
    return digest if was_told else _with_notice(digest, notice)


def telling(digest: Digest, now: datetime) -> tuple[Digest, tuple[Notice, ...]]:
    """Return what the owner is to be told now, and the digest in which that is under way.

    Should the teller die, it is told again after a minute: rather twice than never.
    """
    due = tuple(each for each in digest.notices if (each.retry_at or now) <= now)
    if not due:
        return digest, ()
    later = tuple(
        replace(each, retry_at=now + CLAIM) if each in due else each for each in digest.notices
    )
    return replace(digest, notices=later), due


def told(digest: Digest, notice: Notice) -> Digest:
    """Return the digest whose owner knows of `notice`, or cannot be told by any means."""
    return replace(digest, notices=tuple(n for n in digest.notices if not _same(n, notice)))


def told_later(digest: Digest, notice: Notice, at: datetime) -> Digest:
    """Return the digest whose owner is to be told of `notice` at another moment."""
    notices = (replace(n, retry_at=at) if _same(n, notice) else n for n in digest.notices)
    return replace(digest, notices=tuple(notices))


def woken(digest: Digest, now: datetime) -> Digest:
    """Return the digest whose run, if it waits for a key, is tried again at once."""
    run = digest.run
    if run is None or run.state is not RunState.WAITING or run.trouble is not Trouble.KEY:
        return digest
    return replace(digest, run=replace(run, until=now))


def own_run(digest: Digest, token: str) -> Run:
    """Return the run that carries `token`.

    Raises:
        LostClaimError: another worker has it, or it was called off.
    """
    if digest.run is None or digest.run.token != token:
        raise LostClaimError("the run is no longer ours")
    return digest.run


def called_off(digest: Digest, now: datetime) -> Digest:
    """Return the digest without a run that has not begun to post."""
    if digest.run is None or digest.run.state is RunState.POSTING:
        return digest
    if digest.run.is_extra or digest.run.trouble is None:
        return replace(digest, run=None)
    return _recorded(digest, digest.run, Outcome.FAILED, now, digest.run.trouble)


def _resumed_in_time(digest: Digest, now: datetime) -> Digest:
    """Slots within a pause are not missed: nobody wanted them."""
    if digest.pause is None or digest.pause.until is None or digest.pause.until > now:
        return digest
    # A slot at the very moment of the end counts.
    until = digest.pause.until - timedelta(microseconds=1)
    coming = next_slot(digest.plan.schedule, max(until, digest.made_at))
    return replace(digest, pause=None, next=max(coming, digest.next))


def _superseded(digest: Digest, run: Run, now: datetime) -> Digest:
    """A run that is not over when the next slot comes, or its grace ends, has failed."""
    is_waiting = run.state is RunState.WAITING
    next_is_due = not digest.pause and digest.next.due_at <= now and not run.is_extra
    if not is_waiting and run.until > now:
        return digest  # somebody works on it
    if run.is_extra:  # a dead process: who asked has got no answer
        return ended(digest, run.token, now, Outcome.FAILED, Trouble.DOWN)
    deadline = _deadline(digest, run, run.trouble, now)
    if not next_is_due and now < deadline:
        return digest
    outcome = Outcome.FAILED if run.trouble else Outcome.MISSED
    if run.trouble is Trouble.KEY:  # the admins know, and have been told
        return _recorded(digest, run, outcome, now, run.trouble)
    return ended(digest, run.token, now, outcome, run.trouble or Trouble.DOWN)


def _taken_over(digest: Digest, run: Run, now: datetime, token: str) -> Digest:
    if run.until > now:
        return digest
    mine = replace(
        run, state=RunState.CLAIMED, until=now + CLAIM, token=token, attempt=run.attempt + 1
    )
    return replace(digest, run=mine)


def _next_taken(digest: Digest, now: datetime, token: str) -> Digest:
    if digest.next.due_at > now:
        return digest
    schedule = digest.plan.schedule
    *missed, newest = [digest.next, *slots_until(schedule, digest.next.due_at, now)]
    is_late = now - newest.due_at > grace(schedule, newest)
    digest = replace(digest, next=next_slot(schedule, now))
    digest = _missed(digest, [*missed, newest] if is_late else missed, now)
    if is_late:
        return digest
    run = Run(slot=newest, state=RunState.CLAIMED, until=now + CLAIM, token=token)
    return replace(digest, run=run)


def _missed(digest: Digest, slots: Sequence[Slot], now: datetime) -> Digest:
    if not slots:
        return digest
    runs = tuple(
        PastRun(slot=slot, outcome=Outcome.MISSED, at=now, trouble=Trouble.DOWN) for slot in slots
    )
    digest = replace(digest, past=(*digest.past, *runs)[-MAX_PAST_RUNS:])
    notice = Notice(outcome=Outcome.MISSED, slot=slots[-1], trouble=Trouble.DOWN, count=len(slots))
    return _with_notice(digest, notice)


def _recorded(
    digest: Digest, run: Run, outcome: Outcome, now: datetime, trouble: Trouble | None
) -> Digest:
    past = PastRun(
        slot=run.slot,
        outcome=outcome,
        at=now,
        average=run.average,
        trouble=trouble,
        asked_by=run.asked_by,
    )
    return replace(digest, run=None, past=(*digest.past, past)[-MAX_PAST_RUNS:])


def _with_notice(digest: Digest, notice: Notice) -> Digest:
    return replace(digest, notices=(*digest.notices, notice)[-MAX_NOTICES:])


def _same(one: Notice, other: Notice) -> bool:
    return replace(one, retry_at=None) == replace(other, retry_at=None)


def _deadline(digest: Digest, run: Run, trouble: Trouble | None, now: datetime) -> datetime:
    """Until when a run is tried again. Without a key: until the next slot takes its place."""
    if trouble is Trouble.KEY:
        return max(digest.next.due_at, now + LONGEST_RETRY)
    return run.slot.due_at + grace(digest.plan.schedule, run.slot)


def _back_off(attempt: int) -> timedelta:
    doubled: timedelta = FIRST_RETRY * 2 ** min(attempt - 1, 8)  # 8: past any cap
    return min(doubled, LONGEST_RETRY)
