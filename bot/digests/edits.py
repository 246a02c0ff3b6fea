"""Apply what people do to a digest: create, update, pause, resume, send. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime

from bot.digests import run_state
from bot.digests.models import (
    Digest,
    DigestBusyError,
    EditConflictError,
    Pause,
    Plan,
    Run,
    RunState,
)
from bot.digests.run_state import end_pause_in_time, take_up
from bot.digests.schedule import going_on, next_slot, slot_at, started
from bot.domains.query import parse_query


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """The person who edits a digest; `name` is their display name."""

    user_id: str
    name: str


def create(digest_id: str, plan: Plan, by: Editor, now: datetime) -> Digest:
    """Return a new digest, whose first slot is the next one."""
    plan = replace(plan, schedule=started(plan.schedule, now))
    return Digest(
        digest_id=digest_id,
        plan=plan,
        made_by=by.user_id,
        made_by_name=by.name,
        made_at=now,
        next=next_slot(plan.schedule, now),
    )


def update(digest: Digest, plan: Plan, by: Editor, now: datetime, *, version: int) -> Digest:
    """Return the digest with another plan; `version` is the one that was shown to the editor.

    A change of the filter resets the trend, and the baseline too unless only the bounds of the
    score have changed. A run that waits goes on with the new plan, unless its time has changed.
    Raises EditConflictError if another change was saved since.
    """
    if digest.version != version:
        raise EditConflictError(digest)
    plan = replace(plan, schedule=going_on(plan.schedule, digest.plan.schedule, now))
    if plan.filter_text != digest.plan.filter_text:
        digest = _reset_comparison(digest, plan)
    if plan.channel_id != digest.plan.channel_id:
        digest = _move(digest, now)
    if plan.schedule != digest.plan.schedule:
        digest = run_state.cancel_run(run_state.fail_past_slots(digest, now), now)
        digest = replace(digest, next=run_state.coming_slot(digest, plan.schedule, now))
    elif digest.run:
        digest = replace(digest, run=_restart(digest.run, plan, now))
    return replace(digest, plan=plan, version=version + 1, changed_by=by.user_id, changed_at=now)


def undone(digest: Digest, saved: Digest, before: Digest, by: Editor, now: datetime) -> Digest:
    """Return the digest as it was `before` an edit; if it has gone on since, with its plan only.

    Raises EditConflictError if another change was saved since.
    """
    if digest == saved:
        return replace(before, rev=digest.rev, version=saved.version)  # as a form may show that
    return update(digest, before.plan, by, now, version=saved.version)


def paused(digest: Digest, by: Editor, now: datetime, *, until: datetime | None) -> Digest:
    """Return the digest without posts until `until`; `None`: until it is resumed.

    Its version stays: an open form with its plan can still be saved.
    """
    digest = run_state.cancel_run(run_state.fail_past_slots(digest, now), now)
    return replace(digest, pause=Pause(since=now, until=until, by=by.user_id))


def resumed(digest: Digest, now: datetime) -> Digest:
    """Return the digest with posts again, from its next slot on."""
    ended = end_pause_in_time(digest, now)
    if ended.pause is None:  # it ended by itself: a slot since then is due
        return ended
    return _unpaused(digest, now)


def start_manual_run(digest: Digest, by: Editor, now: datetime, token: str) -> Digest:
    """Return the digest with a manual run, in which a run that waits goes on.

    A slot that is due goes with it. Raise DigestBusyError when it is being sent, or on its way
    for somebody else.
    """
    run = digest.run
    if run and run.trouble and run.asked_by not in {None, by.user_id}:
        raise DigestBusyError("it is on its way")
    if run and not run.trouble and now < run.until:
        raise DigestBusyError("a run is under way")
    is_due = run is None and digest.pause is None
    if is_due or (run and run.state is RunState.POSTING):  # of a dead process: end that first
        digest = take_up(digest, now, token)
        run = digest.run
    run = run or Run(
        slot=slot_at(digest.plan.schedule, now),
        channel_id=digest.plan.channel_id,
        state=RunState.WAITING,
        until=now,
        deadline=now + run_state.SEND_WITHIN,
        token=token,
        is_extra=True,
    )
    mine = replace(
        run,
        until=now + run_state.CLAIM,
        token=token,
        attempt=1,
        trouble=None,
        asked_by=by.user_id,
        asked_by_name=by.name,
    )
    return replace(digest, run=mine)


def _reset_comparison(digest: Digest, plan: Plan) -> Digest:
    past = tuple(replace(run, average=None) for run in digest.past)
    digest = replace(digest, silent_runs=0, past=past)
    scopes = [parse_query(each.filter_text).scope for each in (digest.plan, plan)]
    if scopes[0] == scopes[1]:
        return digest
    run = digest.run and replace(digest.run, packed_baseline="", average=None)
    return replace(digest, baseline=None, packed_baseline="", run=run)


def _move(digest: Digest, now: datetime) -> Digest:
    """Return the digest without a pause that the old channel caused."""
    digest = replace(digest, moved_at=now)
    if digest.pause is None or digest.pause.by is not None:
        return digest
    return _unpaused(digest, now)


def _unpaused(digest: Digest, now: datetime) -> Digest:
    coming = run_state.coming_slot(digest, digest.plan.schedule, now)
    return replace(digest, pause=None, next=coming)


def _restart(run: Run, plan: Plan, now: datetime) -> Run | None:
    """Return the run after a change of the plan but not of its time: it begins again at once."""
    if run.state is RunState.POSTING:
        return run
    if run.is_extra and not run.is_promised:  # its person gets an error
        return None
    run = replace(run, channel_id=plan.channel_id)
    return run if run.trouble else replace(run, until=now, token="")
