"""The state machine of a digest's runs. Pure: a digest and an event give a digest."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from bot.digests.models import (
    MAX_PAST_RUNS,
    Digest,
    LostClaimError,
    Notice,
    Outcome,
    PastRun,
    Pause,
    Run,
    RunState,
)
from bot.digests.schedule import Schedule, Slot, grace, next_slot, slots_until
from bot.keys.failures import FailureReason
from bot.process.backoff import backoff

# Longer than posting takes, and than `Send now` takes in all, or one step of a card, which renews
# it: a process that is at it for longer is dead.
CLAIM = timedelta(seconds=60)
FIRST_RETRY = timedelta(seconds=60)
LONGEST_RETRY = timedelta(minutes=15)
# A new key wakes the runs that wait for one; a run that was under way when it was set does not
# wait yet, so it tries once more soon. A refused key costs no request.
KEY_RETRY = timedelta(seconds=10)
# `Send now` that Slack surely did not take is repeated within this time.
SEND_WITHIN = timedelta(minutes=10)
# The first attempt with a new key may meet a busy Slack: it is repeated for this time.
AFTER_KEY = timedelta(hours=1)
MAX_NOTICES = 10
# A notice is sent again after this time if its sender died: twice is better than never.
TELL_WITHIN = timedelta(seconds=60)
# A slot with one of these outcomes is over, also where a clock shows it again.
_DONE = {Outcome.POSTED, Outcome.QUIET, Outcome.UNCERTAIN}


def due_at(digest: Digest) -> datetime | None:
    """Return when the digest needs work; `None`: never, as it is paused."""
    moments = [notice.retry_at or digest.made_at for notice in digest.notices]
    run = digest.run
    if run:
        moments.append(run.until)
    if digest.pause:
        moments += [digest.pause.until] if digest.pause.until else []
    elif run is None or (run.trouble and not run.is_extra):
        moments.append(digest.next.due_at)  # a new slot does not wait for an old one's retry
    return min(moments, default=None)


def begin_posting(
    digest: Digest, token: str, now: datetime, *, baseline: str, average: float | None
) -> Digest:
    """Return the digest before its post; `baseline` is packed, empty for the one before."""
    run = replace(
        own_run(digest, token),
        state=RunState.POSTING,
        until=now + CLAIM,
        packed_baseline=baseline,
        average=average,
    )
    return replace(digest, run=run)


def mark_posted(digest: Digest, token: str, now: datetime) -> Digest:
    run = own_run(digest, token)
    digest = replace(_with_baseline(digest, token, run.packed_baseline), silent_runs=0)
    return _with_past_run(digest, run, Outcome.POSTED, now, None)


def mark_quiet(
    digest: Digest, token: str, now: datetime, *, baseline: str, average: float | None
) -> Digest:
    """Return the digest after a run that had nothing to say; `baseline` as for `begin_posting`."""
    run, silent_runs = replace(own_run(digest, token), average=average), digest.silent_runs + 1
    digest = replace(_with_baseline(digest, token, baseline), silent_runs=silent_runs)
    return _with_past_run(digest, run, Outcome.QUIET, now, None)


def _with_baseline(digest: Digest, token: str, packed: str) -> Digest:
    return replace(digest, baseline=token, packed_baseline=packed) if packed else digest


def postpone(
    digest: Digest,
    token: str,
    now: datetime,
    trouble: FailureReason,
    *,
    wait: timedelta | None = None,
) -> Digest:
    """Return the digest whose run was surely not posted and is tried again after `wait`.

    `None` waits longer with each attempt. An extra run that Slack does not take within
    `SEND_WITHIN` is dropped: its person gets the error. An unwanted one, and a promised one
    without a key, have failed.
    """
    run = own_run(digest, token)
    if trouble is FailureReason.KEY and run.attempt == 1:
        wait = KEY_RETRY
    until = now + (wait or backoff(FIRST_RETRY, run.attempt - 1, LONGEST_RETRY))
    is_short = trouble is FailureReason.SLACK and until <= now + SEND_WITHIN
    is_kept = run.is_promised or (is_short and not run.is_unwanted)
    asked_by = run.asked_by if is_kept else None
    if run.is_extra and asked_by is None:
        return replace(digest, run=None)
    if run.is_unwanted or (run.is_extra and trouble is FailureReason.KEY):
        return mark_ended(digest, token, now, Outcome.FAILED, trouble)
    if trouble is not FailureReason.KEY:  # a run that waits for a key ends with the next slot
        until = min(until, run.deadline)
    waiting = replace(
        run,
        state=RunState.WAITING,
        until=until,
        trouble=trouble,
        asked_by=asked_by,
        packed_baseline="",
    )
    return replace(digest, run=waiting)


def mark_ended(
    digest: Digest, token: str, now: datetime, outcome: Outcome, trouble: FailureReason | None
) -> Digest:
    """Return the digest whose run failed or is uncertain, with a notice for the owner.

    An alert that may be there is not posted again.
    """
    run = own_run(digest, token)
    if digest.plan.is_alert and outcome is Outcome.UNCERTAIN:
        digest = _with_baseline(digest, token, run.packed_baseline)
    digest = _with_past_run(digest, run, outcome, now, trouble)
    if run.is_promised and run.asked_by == digest.made_by:  # who has a notice by now
        return digest
    return with_notice(digest, _notice_of(run, outcome, trouble))


def mark_crashed(digest: Digest, token: str, now: datetime) -> Digest:
    run = own_run(digest, token)
    is_posting = run.state is RunState.POSTING
    if run.is_extra and not is_posting and not run.is_promised:
        return replace(digest, run=None)
    outcome = Outcome.UNCERTAIN if is_posting else Outcome.FAILED
    return mark_ended(digest, token, now, outcome, FailureReason.INTERNAL)


def pause_for_channel(digest: Digest, token: str, now: datetime, trouble: FailureReason) -> Digest:
    """Return the digest paused, as its channel takes no posts, with one notice for the owner.

    A person's pause stays: the bot does not end that by itself.
    """
    run = own_run(digest, token)
    if run.channel_id != digest.plan.channel_id:  # the digest has moved to another channel
        return mark_ended(digest, token, now, Outcome.FAILED, trouble)
    digest = _with_past_run(digest, run, Outcome.FAILED, now, trouble)
    digest = fail_past_slots(digest, now, trouble)
    if digest.pause is not None and digest.pause.by is None:
        return replace(digest, pause=Pause(since=now, why=trouble))  # the owner knows
    if digest.pause is not None:
        return with_notice(digest, _notice_of(run, Outcome.FAILED, trouble))
    paused = replace(digest, pause=Pause(since=now, why=trouble))
    return with_notice(paused, _notice_of(run, None, trouble))


def pause_for_person(digest: Digest, token: str, now: datetime) -> Digest:
    """Return the digest of a person's own paused, as they may not read it; no one is notified."""
    run = replace(own_run(digest, token), asked_by=None)
    digest = _with_past_run(digest, run, Outcome.FAILED, now, FailureReason.PERSON)
    return replace(digest, pause=Pause(since=now, why=FailureReason.PERSON), notices=())


def fail_past_slots(
    digest: Digest, now: datetime, why: FailureReason = FailureReason.CHANGED
) -> Digest:
    """Return the digest with the slots that are due, and will not be posted, as failed runs."""
    if digest.pause or digest.next.due_at > now:
        return digest
    slots = [digest.next, *slots_until(digest.plan.schedule, digest.next.due_at, now)]
    digest = _with_past_slots(digest, slots, Outcome.FAILED, now, why)
    return replace(digest, next=coming_slot(digest, digest.plan.schedule, now))


def coming_slot(digest: Digest, schedule: Schedule, after: datetime) -> Slot:
    """Return the first slot later than `after` that was not posted before a clock went back."""
    done = {run.slot for run in digest.past if run.outcome in _DONE}
    done |= {digest.run.slot} if digest.run and not digest.run.is_extra else set()
    while (slot := next_slot(schedule, after)) in done:
        after = slot.due_at
    return slot


def cancel_run(digest: Digest, now: datetime) -> Digest:
    """Return the digest without a run: one that posts goes on, but is not tried again."""
    run = digest.run
    if run is None:
        return digest
    if run.state is RunState.POSTING:
        return replace(digest, run=replace(run, is_unwanted=True))
    if run.is_extra and not run.is_promised:
        return replace(digest, run=None)
    return _with_past_run(digest, run, Outcome.FAILED, now, run.trouble or FailureReason.CHANGED)


def retry_with_new_key(digest: Digest, now: datetime) -> Digest:
    """Return the digest whose run, if it waits for a key, is tried again at once."""
    if digest.run and digest.run.trouble is FailureReason.KEY:
        return replace(digest, run=replace(digest.run, until=now))
    return digest


def own_run(digest: Digest, token: str) -> Run:
    """Return the run that carries `token`; raise LostClaimError if no run does."""
    if digest.run is None or digest.run.token != token:
        raise LostClaimError("the run is no longer ours")
    return digest.run


def _with_past_run(
    digest: Digest, run: Run, outcome: Outcome, now: datetime, trouble: FailureReason | None
) -> Digest:
    """Return the digest with its run among the past ones, and a notice if it was promised."""
    past = PastRun(
        slot=run.slot,
        outcome=outcome,
        at=now,
        average=run.average,
        trouble=trouble,
        asked_by=run.asked_by,
    )
    earlier = digest.past
    if digest.plan.is_alert and outcome is not Outcome.POSTED and earlier:
        # A look that ended like the one before takes its place.
        is_repeated = (earlier[-1].outcome, earlier[-1].trouble) == (outcome, trouble)
        earlier = earlier[:-1] if is_repeated else earlier
    digest = replace(digest, run=None, past=(*earlier, past)[-MAX_PAST_RUNS:])
    if not run.is_promised:
        return digest
    return with_notice(digest, replace(_notice_of(run, outcome, trouble), to=run.asked_by))


def _notice_of(run: Run, outcome: Outcome | None, trouble: FailureReason | None) -> Notice:
    return Notice(outcome=outcome, slot=run.slot, channel_id=run.channel_id, trouble=trouble)


def _with_past_slots(
    digest: Digest, slots: Sequence[Slot], outcome: Outcome, now: datetime, why: FailureReason
) -> Digest:
    runs = tuple(PastRun(slot=slot, outcome=outcome, at=now, trouble=why) for slot in slots)
    return replace(digest, past=(*digest.past, *runs)[-MAX_PAST_RUNS:])


def take_up(digest: Digest, now: datetime, token: str) -> Digest:
    """Return the settled digest with its due run, if any, as that of `token`.

    It is not stored so: the digest stays due until its run ends or begins to post.
    """
    digest = settled(digest, now)
    run, schedule = digest.run, digest.plan.schedule
    if run is None and not digest.pause and digest.next.due_at <= now:
        run = Run(
            slot=digest.next,
            channel_id=digest.plan.channel_id,
            state=RunState.WAITING,
            until=now + CLAIM,
            deadline=digest.next.due_at + grace(schedule, digest.next),
            token=token,
        )
        return replace(digest, run=run, next=next_slot(schedule, now))
    if run is None or run.state is RunState.POSTING or run.until > now:
        return digest
    has_waited_for_key = run.trouble is FailureReason.KEY
    mine = replace(
        run,
        until=now + CLAIM,
        deadline=max(run.deadline, now + AFTER_KEY) if has_waited_for_key else run.deadline,
        token=token,
        attempt=run.attempt + 1,
        asked_by=run.asked_by if run.is_promised else None,
        trouble=None,
    )
    return replace(digest, run=mine)


def take_up_again(digest: Digest, known: Digest, now: datetime, token: str) -> Digest:
    """Return a digest that was changed since it was `known` with the run of `token`.

    LostClaimError: that run has ended, another process has it, or the plan is another one.
    """
    if digest.run and digest.run.token == token:
        return digest
    taken = take_up(digest, now, token)
    again, mine = own_run(taken, token), own_run(known, token)
    if (again.slot, again.attempt, digest.plan) != (mine.slot, mine.attempt, known.plan):
        raise LostClaimError("what is due is another run")
    return taken


def settled(digest: Digest, now: datetime) -> Digest:
    """Return the digest after what the time alone does to it.

    A pause ends, a run ends whose process died, whose grace is over or which the next slot
    replaces, and slots are missed. A slot that is due then can still be posted.
    """
    digest = end_pause_in_time(digest, now)
    if digest.run and digest.run.state is RunState.POSTING and digest.run.until <= now:
        digest = mark_ended(digest, digest.run.token, now, Outcome.UNCERTAIN, FailureReason.DOWN)
    if digest.run and digest.run.state is RunState.WAITING:
        digest = _expire_run(digest, digest.run, now)
    is_due = digest.run is None and not digest.pause and digest.next.due_at <= now
    return _miss_slots(digest, now) if is_due else digest


def end_pause_in_time(digest: Digest, now: datetime) -> Digest:
    """Return the digest without a pause that ended by `now`; slots within it are skipped."""
    if digest.pause is None or digest.pause.until is None or digest.pause.until > now:
        return digest
    # A slot at the very moment of the end counts.
    just_before = digest.pause.until - timedelta(microseconds=1)
    return replace(digest, pause=None, next=coming_slot(digest, digest.plan.schedule, just_before))


def _expire_run(digest: Digest, run: Run, now: datetime) -> Digest:
    if run.trouble is None and run.until > now:
        return digest  # `Send now` is at it
    if run.is_extra and not run.is_promised:  # its process died before it answered
        return mark_ended(digest, run.token, now, Outcome.FAILED, FailureReason.DOWN)
    next_is_due = digest.next.due_at <= now and not run.is_extra
    is_over = run.trouble is not FailureReason.KEY and now >= run.deadline
    if not next_is_due and not is_over:
        return digest
    if digest.plan.is_alert and not run.trouble and not run.is_promised:
        return replace(digest, run=None)  # its process died: the next look sees the same
    is_known = bool(digest.past) and digest.past[-1].trouble is run.trouble
    is_lasting = run.trouble is FailureReason.KEY or digest.plan.is_alert
    if is_lasting and is_known:  # one notice per outage, not one a day, or a look
        return _with_past_run(digest, run, Outcome.FAILED, now, run.trouble)
    outcome = Outcome.FAILED if run.trouble else Outcome.MISSED
    return mark_ended(digest, run.token, now, outcome, run.trouble or FailureReason.DOWN)


def _miss_slots(digest: Digest, now: datetime) -> Digest:
    """Return the digest whose next slot is the newest one, unless its grace is over too."""
    schedule = digest.plan.schedule
    *missed, coming = [digest.next, *slots_until(schedule, digest.next.due_at, now)]
    if now > coming.due_at + grace(schedule, coming):
        missed, coming = [*missed, coming], next_slot(schedule, now)
    digest = replace(digest, next=coming)
    if not missed or digest.plan.is_alert:  # the next look sees all that has fallen since
        return digest
    digest = _with_past_slots(digest, missed, Outcome.MISSED, now, FailureReason.DOWN)
    notice = Notice(
        outcome=Outcome.MISSED,
        slot=missed[-1],
        channel_id=digest.plan.channel_id,
        trouble=FailureReason.DOWN,
        count=len(missed),
    )
    return with_notice(digest, notice)


def with_notice(digest: Digest, notice: Notice) -> Digest:
    """Return the digest with one more notice; notices of one kind are merged."""
    notices = list(digest.notices)
    if notices and _is_alike(notices[-1], notice):
        notice = replace(notice, count=notices.pop().count + notice.count)
    return replace(digest, notices=(*notices, notice)[-MAX_NOTICES:])


def start_notices(digest: Digest, now: datetime) -> tuple[Digest, tuple[Notice, ...]]:
    """Return the digest with its due notices marked as being sent, and these notices."""
    due = [each for each in digest.notices if (each.retry_at or now) <= now]
    under_way = {id(each): replace(each, retry_at=now + TELL_WITHIN) for each in due}
    notices = tuple(under_way.get(id(each), each) for each in digest.notices)
    return replace(digest, notices=notices), tuple(under_way.values())


def after_sending(digest: Digest, notice: Notice, wait: timedelta | None, now: datetime) -> Digest:
    """Return the digest after an attempt to send a notice; `wait`: until the next, if any."""
    notices = [each for each in digest.notices if each != notice]
    if wait is not None and notice in digest.notices:
        later = replace(notice, retry_at=now + wait, tries=notice.tries + 1)
        notices.insert(digest.notices.index(notice), later)
    return replace(digest, notices=tuple(notices))


def _is_alike(one: Notice, other: Notice) -> bool:
    """Return whether both notices are of one kind, and the first one is not being sent now."""
    kinds = [(each.outcome, each.trouble, each.channel_id, each.to) for each in (one, other)]
    return kinds[0] == kinds[1] and (one.retry_at is None or one.tries > 0)
