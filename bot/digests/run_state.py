"""The state machine of a digest's runs. Pure: a digest and an event give a digest."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.backoff import backoff
from bot.digests.models import (
    MAX_PAST_RUNS,
    Digest,
    FailureReason,
    LostClaimError,
    Notice,
    Outcome,
    PastRun,
    Pause,
    Run,
    RunState,
)
from bot.digests.schedule import Schedule, Slot, grace, next_slot, slots_until

MAX_NOTICES = 10
# So long one who tells has for it; should they die, it is told again: rather twice than never.
TELL_WITHIN = timedelta(seconds=60)


def with_notice(digest: Digest, notice: Notice) -> Digest:
    """Return the digest with one more thing to tell; several of one kind are told together."""
    notices = list(digest.notices)
    if notices and _is_alike(notices[-1], notice):
        notice = replace(notice, count=notices.pop().count + notice.count)
    return replace(digest, notices=(*notices, notice)[-MAX_NOTICES:])


def start_notices(digest: Digest, now: datetime) -> tuple[Digest, tuple[Notice, ...]]:
    """Return what the owner is to be told now, and the digest in which that is under way."""
    due = [each for each in digest.notices if (each.retry_at or now) <= now]
    under_way = {id(each): replace(each, retry_at=now + TELL_WITHIN) for each in due}
    notices = tuple(under_way.get(id(each), each) for each in digest.notices)
    return replace(digest, notices=notices), tuple(under_way.values())


def drop_notice(digest: Digest, notice: Notice) -> Digest:
    """Return the digest whose owner knows of `notice`, or cannot be told by any means."""
    return replace(digest, notices=tuple(each for each in digest.notices if each != notice))


def postpone_notice(digest: Digest, notice: Notice, at: datetime) -> Digest:
    """Return the digest whose owner is to be told of `notice` at another moment."""
    later = replace(notice, retry_at=at, tries=notice.tries + 1)
    return replace(
        digest, notices=tuple(later if each == notice else each for each in digest.notices)
    )


def _is_alike(one: Notice, other: Notice) -> bool:
    """Whether both say the same of two runs, and the first is not being told at this moment."""
    kinds = [(each.outcome, each.trouble, each.channel_id) for each in (one, other)]
    return kinds[0] == kinds[1] and (one.retry_at is None or one.tries > 0)


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


def mark_silent(digest: Digest, token: str, now: datetime, *, average: float | None) -> Digest:
    """Return the digest after a run that had nothing to say."""
    run = replace(own_run(digest, token), average=average)
    digest = replace(digest, silent_runs=digest.silent_runs + 1)
    return recorded(digest, run, Outcome.QUIET, now, None)


def waiting(
    digest: Digest,
    token: str,
    now: datetime,
    trouble: FailureReason,
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
    until = now + (wait or backoff(FIRST_RETRY, run.attempt - 1, LONGEST_RETRY))
    if trouble is not FailureReason.KEY:  # that one is given up when the next slot takes its place
        until = min(until, run.deadline)
    run = replace(run, state=RunState.WAITING, until=until, trouble=trouble, asked_by=None)
    return replace(digest, run=run)


def ended(
    digest: Digest, token: str, now: datetime, outcome: Outcome, trouble: FailureReason | None
) -> Digest:
    """Return the digest whose run failed for good, or is uncertain; the owner is to be told."""
    run = own_run(digest, token)
    digest = recorded(digest, run, outcome, now, trouble)
    notice = Notice(outcome=outcome, slot=run.slot, channel_id=run.channel_id, trouble=trouble)
    return with_notice(digest, notice)


def mark_failed(digest: Digest, token: str, now: datetime) -> Digest:
    """Return the digest whose run met a mistake of ours."""
    run = own_run(digest, token)
    if run.state is RunState.POSTING:
        return ended(digest, token, now, Outcome.UNCERTAIN, FailureReason.INTERNAL)
    if run.is_extra:
        return replace(digest, run=None)
    return ended(digest, token, now, Outcome.FAILED, FailureReason.INTERNAL)


def closed(digest: Digest, token: str, now: datetime, trouble: FailureReason) -> Digest:
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


def past_due(digest: Digest, now: datetime, why: FailureReason = FailureReason.CHANGED) -> Digest:
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


def cancel_run(
    digest: Digest, now: datetime, why: FailureReason = FailureReason.CHANGED
) -> Digest:
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


def retry_now(digest: Digest, now: datetime) -> Digest:
    """Return the digest whose run, if it waits for a key, is tried again at once."""
    run = digest.run
    if run is None or run.state is not RunState.WAITING or run.trouble is not FailureReason.KEY:
        return digest
    return replace(digest, run=replace(run, until=now))


def newly_ended(before: Digest, after: Digest) -> list[PastRun]:
    """Return the runs that have ended between two states of a digest, the oldest first."""
    return [run for run in after.past if run not in before.past]


def was_postponed(before: Digest, after: Digest) -> bool:
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
    digest: Digest, run: Run, outcome: Outcome, now: datetime, trouble: FailureReason | None
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


# After an outage of the key the first try may meet a busy Slack: so long it is tried again.
AFTER_KEY = timedelta(hours=1)
# Farther apart than the two moments that old and new rules of a time zone give one wall clock.
RULES_DIFFER_BY = timedelta(days=2)


def claim_due_run(digest: Digest, now: datetime, token: str) -> Digest:
    """Return the digest as a worker takes it up; the run is theirs when it carries `token`.

    Raises:
        UnknownZoneError: its time zone is not known any more.
    """
    digest = resumed_in_time(digest, now)
    if digest.run and digest.run.state is RunState.POSTING and digest.run.until <= now:
        digest = ended(digest, digest.run.token, now, Outcome.UNCERTAIN, FailureReason.DOWN)
    if digest.run:
        digest = _given_up(digest, digest.run, now)
    if digest.run:
        return _taken_over(digest, digest.run, now, token)
    return digest if digest.pause else _next_taken(digest, now, token)


def without_zone(digest: Digest, now: datetime) -> Digest:
    """Return the digest paused, as nobody knows when it is due; the owner is to be told."""
    slot, channel_id = digest.next, digest.plan.channel_id
    notice = Notice(outcome=None, slot=slot, channel_id=channel_id, trouble=FailureReason.ZONE)
    pause = Pause(since=now, why=FailureReason.ZONE)
    digest = cancel_run(digest, now, FailureReason.ZONE)
    return with_notice(replace(digest, pause=pause), notice)


def resumed_in_time(digest: Digest, now: datetime) -> Digest:
    """Return the digest whose pause has ended by `now`; the slots within it nobody wanted."""
    if digest.pause is None or digest.pause.until is None or digest.pause.until > now:
        return digest
    # A slot at the very moment of the end counts.
    just_before = digest.pause.until - timedelta(microseconds=1)
    return replace(digest, pause=None, next=coming_slot(digest, just_before))


def coming_slot(digest: Digest, after: datetime) -> Slot:
    """Return the first slot later than `after` that was not taken up before.

    A slot is known by its wall clock: the same one does not come again when the clock of the
    machine, or the rules of the zone, have been set back.
    """
    slot = next_slot(digest.plan.schedule, after)
    while digest.last_local and slot.local <= digest.last_local:
        slot = next_slot(digest.plan.schedule, slot.due_at)
    return slot


def _given_up(digest: Digest, run: Run, now: datetime) -> Digest:
    """Give up a run whose process died, whose grace is over, or whose place another slot takes."""
    is_waiting = run.state is RunState.WAITING
    if not is_waiting and run.until > now:
        return digest  # somebody works on it
    if run.is_extra:  # a dead process: who asked has got no answer
        return ended(digest, run.token, now, Outcome.FAILED, FailureReason.DOWN)
    next_is_due = digest.next.due_at <= now
    is_over = run.trouble is not FailureReason.KEY and now >= run.deadline
    if not next_is_due and not is_over:
        return digest
    was_told = bool(digest.past) and digest.past[-1].trouble is run.trouble
    if run.trouble is FailureReason.KEY and was_told:  # once per outage, not once a day
        return recorded(digest, run, Outcome.FAILED, now, run.trouble)
    outcome = Outcome.FAILED if run.trouble else Outcome.MISSED
    return ended(digest, run.token, now, outcome, run.trouble or FailureReason.DOWN)


def _taken_over(digest: Digest, run: Run, now: datetime, token: str) -> Digest:
    if run.until > now:
        return digest
    has_waited_for_key = run.trouble is FailureReason.KEY
    mine = replace(
        run,
        state=RunState.CLAIMED,
        until=now + CLAIM,
        deadline=max(run.deadline, now + AFTER_KEY) if has_waited_for_key else run.deadline,
        token=token,
        attempt=run.attempt + 1,
        asked_by=None,
        trouble=None,
    )
    return replace(digest, run=mine)


def _next_taken(digest: Digest, now: datetime, token: str) -> Digest:
    digest = replace(digest, next=_by_present_rules(digest))
    if digest.next.due_at > now:
        return digest
    schedule = digest.plan.schedule
    *missed, newest = [digest.next, *slots_until(schedule, digest.next.due_at, now)]
    deadline = newest.due_at + grace(schedule, newest)
    digest = replace(digest, last_local=newest.local)
    digest = replace(digest, next=coming_slot(digest, now))
    is_late = now > deadline
    digest = _missed(digest, [*missed, newest] if is_late else missed, now)
    if is_late:
        return digest
    run = Run(
        slot=newest,
        channel_id=digest.plan.channel_id,
        state=RunState.CLAIMED,
        until=now + CLAIM,
        deadline=deadline,
        token=token,
    )
    return replace(digest, run=run)


def _by_present_rules(digest: Digest) -> Slot:
    """The next slot as its zone's rules are now: they may have changed since it was computed."""
    schedule: Schedule = digest.plan.schedule
    around = slots_until(
        schedule, digest.next.due_at - RULES_DIFFER_BY, digest.next.due_at + RULES_DIFFER_BY
    )
    return next((slot for slot in around if slot.local == digest.next.local), digest.next)


def _missed(digest: Digest, slots: Sequence[Slot], now: datetime) -> Digest:
    if not slots:
        return digest
    runs = tuple(
        PastRun(slot=slot, outcome=Outcome.MISSED, at=now, trouble=FailureReason.DOWN)
        for slot in slots
    )
    digest = replace(digest, past=(*digest.past, *runs)[-MAX_PAST_RUNS:])
    notice = Notice(
        outcome=Outcome.MISSED,
        slot=slots[-1],
        channel_id=digest.plan.channel_id,
        trouble=FailureReason.DOWN,
        count=len(slots),
    )
    return with_notice(digest, notice)
