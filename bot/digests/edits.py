"""Apply what people do to a digest: create, update, pause, resume, send. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.digests import run_state
from bot.digests.models import (
    ChangedMeanwhileError,
    Digest,
    DigestBusyError,
    JustSentError,
    Outcome,
    Pause,
    Plan,
    Run,
    RunState,
)
from bot.digests.run_state import claim_due_run, coming_slot, resumed_in_time
from bot.digests.schedule import next_slot, slot_at
from bot.portfolio.query import parse_query

# A second press of `Send now` within it is a slip, a later one is meant.
SLIP = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """Who does something with a digest; `name` is what people call them."""

    user_id: str
    name: str


def create(digest_id: str, plan: Plan, by: Editor, now: datetime) -> Digest:
    """Return a new digest, whose first slot is the next one."""
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

    After a change of the filter the trend begins anew, and so does the comparison, unless only
    the bounds of the score have changed. A run that waits goes on with the new plan, unless its
    time has changed.

    Raises:
        ChangedMeanwhileError: somebody else has changed it since.
    """
    if digest.version != version:
        raise ChangedMeanwhileError(digest)
    if plan.filter_text != digest.plan.filter_text:
        digest = _begun_anew(digest, plan)
    if plan.channel_id != digest.plan.channel_id:
        digest = _moved(digest, now)
    if plan.schedule != digest.plan.schedule:
        digest = run_state.cancel_run(run_state.past_due(digest, now), now)
        digest = replace(digest, next=next_slot(plan.schedule, now), last_local=None)
    elif digest.run:
        digest = replace(digest, run=_again(digest.run, plan, now))
    return _edited(replace(digest, plan=plan, version=version + 1), by, now)


def paused(digest: Digest, by: Editor, now: datetime, *, until: datetime | None) -> Digest:
    """Return the digest without posts until `until`, or until somebody resumes it (`None`).

    Its plan stays as it is: whoever is changing that meanwhile need not know.
    """
    digest = run_state.cancel_run(run_state.past_due(digest, now), now)
    return replace(digest, pause=Pause(since=now, until=until, by=by.user_id))


def resumed(digest: Digest, now: datetime) -> Digest:
    """Return the digest with posts again, from its next slot on."""
    ended = resumed_in_time(digest, now)
    if ended.pause is None:  # by itself, maybe a moment ago: a slot since then is due
        return ended
    return replace(digest, pause=None, next=coming_slot(digest, now))


def start_manual_run(digest: Digest, by: Editor, now: datetime, token: str) -> Digest:
    """Return the digest that somebody sends now. A run that waits is sent by it.

    Raises:
        DigestBusyError: it is being sent. JustSentError: somebody has sent it moments ago.
    """
    run = digest.run
    if run and run.state is not RunState.WAITING and now < run.until:
        raise DigestBusyError("a run is under way")
    if digest.past:
        last = digest.past[-1]
        is_fresh = timedelta() <= now - last.at < SLIP
        if last.asked_by and last.outcome is Outcome.POSTED and is_fresh:
            raise JustSentError(last.at)
    if run and run.state is RunState.POSTING:  # of a dead process: settle that first
        digest = claim_due_run(digest, now, token)
        run = digest.run
    until = now + run_state.CLAIM
    run = run or _extra_run(digest, now)
    mine = replace(run, state=RunState.CLAIMED, until=until, token=token, asked_by=by.user_id)
    return replace(digest, run=mine)


def _extra_run(digest: Digest, now: datetime) -> Run:
    return Run(
        slot=slot_at(digest.plan.schedule, now),
        channel_id=digest.plan.channel_id,
        state=RunState.CLAIMED,
        until=now,
        deadline=now,
        token="",
        is_extra=True,
    )


def _begun_anew(digest: Digest, plan: Plan) -> Digest:
    past = tuple(replace(run, average=None) for run in digest.past)
    digest = replace(digest, silent_runs=0, past=past)
    scopes = [parse_query(each.filter_text).scope for each in (digest.plan, plan)]
    if scopes[0] == scopes[1]:
        return digest
    run = digest.run and replace(digest.run, baseline=None, average=None)
    return replace(digest, baseline=None, run=run)


def _moved(digest: Digest, now: datetime) -> Digest:
    """What was wrong with the old channel is no matter of the new one."""
    digest = replace(digest, moved_at=now)
    if digest.pause is None or digest.pause.by is not None:
        return digest
    return replace(digest, pause=None, next=coming_slot(digest, now))


def _again(run: Run, plan: Plan, now: datetime) -> Run | None:
    """What becomes of a run when something but its time has changed: it begins anew at once."""
    if run.state is RunState.POSTING:
        return run
    if run.is_extra:  # whoever asked is told that something came in between
        return None
    run = replace(run, channel_id=plan.channel_id)
    return run if run.state is RunState.WAITING else replace(run, until=now, token="")


def _edited(digest: Digest, by: Editor, now: datetime) -> Digest:
    return replace(digest, changed_by=by.user_id, changed_at=now)
