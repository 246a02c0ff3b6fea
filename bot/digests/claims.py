"""How a worker takes a digest up: what is over is settled, what is due is claimed. Pure."""

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
from bot.digests.ledger import CLAIM, called_off, ended, recorded
from bot.digests.notices import with_notice
from bot.digests.schedule import Schedule, Slot, grace, next_slot, slots_until

# After an outage of the key the first try may meet a busy Slack: so long it is tried again.
AFTER_KEY = timedelta(hours=1)
# Farther apart than the two moments that old and new rules of a time zone give one wall clock.
RULES_DIFFER_BY = timedelta(days=2)


def taken_up(digest: Digest, now: datetime, token: str) -> Digest:
    """Return the digest as a worker takes it up; the run is theirs when it carries `token`.

    Raises:
        UnknownZoneError: its time zone is not known any more.
    """
    digest = resumed_in_time(digest, now)
    if digest.run and digest.run.state is RunState.POSTING and digest.run.until <= now:
        digest = ended(digest, digest.run.token, now, Outcome.UNCERTAIN, Trouble.DOWN)
    if digest.run:
        digest = _given_up(digest, digest.run, now)
    if digest.run:
        return _taken_over(digest, digest.run, now, token)
    return digest if digest.pause else _next_taken(digest, now, token)


def without_zone(digest: Digest, now: datetime) -> Digest:
    """Return the digest paused, as nobody knows when it is due; the owner is to be told."""
    slot, channel_id = digest.next, digest.plan.channel_id
    notice = Notice(outcome=None, slot=slot, channel_id=channel_id, trouble=Trouble.ZONE)
    pause = Pause(since=now, why=Trouble.ZONE)
    digest = called_off(digest, now, Trouble.ZONE)
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
        return ended(digest, run.token, now, Outcome.FAILED, Trouble.DOWN)
    next_is_due = digest.next.due_at <= now
    is_over = run.trouble is not Trouble.KEY and now >= run.deadline
    if not next_is_due and not is_over:
        return digest
    was_told = bool(digest.past) and digest.past[-1].trouble is run.trouble
    if run.trouble is Trouble.KEY and was_told:  # once per outage, not once a day
        return recorded(digest, run, Outcome.FAILED, now, run.trouble)
    outcome = Outcome.FAILED if run.trouble else Outcome.MISSED
    return ended(digest, run.token, now, outcome, run.trouble or Trouble.DOWN)


def _taken_over(digest: Digest, run: Run, now: datetime, token: str) -> Digest:
    if run.until > now:
        return digest
    has_waited_for_key = run.trouble is Trouble.KEY
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
        PastRun(slot=slot, outcome=Outcome.MISSED, at=now, trouble=Trouble.DOWN) for slot in slots
    )
    digest = replace(digest, past=(*digest.past, *runs)[-MAX_PAST_RUNS:])
    notice = Notice(
        outcome=Outcome.MISSED,
        slot=slots[-1],
        channel_id=digest.plan.channel_id,
        trouble=Trouble.DOWN,
        count=len(slots),
    )
    return with_notice(digest, notice)
