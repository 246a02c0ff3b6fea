"""What people do to a digest. Pure: a digest and a wish give a digest."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.digests import ledger
from bot.digests.digest import Digest, Outcome, Pause, Plan, Run, RunState
from bot.digests.errors import ChangedMeanwhileError, DigestBusyError, JustSentError
from bot.digests.schedule import next_slot, slot_at

# A second press of `Send now` within it is a slip, a later one is meant.
SLIP = timedelta(seconds=30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """Who does something with a digest; `name` is what people call them."""

    user_id: str
    name: str


def made(digest_id: str, plan: Plan, by: Editor, now: datetime) -> Digest:
    """Return a new digest, whose first slot is the next one."""
    return Digest(
        digest_id=digest_id,
        plan=plan,
        made_by=by.user_id,
        made_by_name=by.name,
        made_at=now,
        next=next_slot(plan.schedule, now),
    )


def changed(digest: Digest, plan: Plan, by: Editor, now: datetime, *, version: int) -> Digest:
    """Return the digest with another plan; `version` is the one that was shown to the editor.

    What other domains said is not compared with: after a change of the filter the next post
    begins anew. A run that waits goes on with the new plan, unless its time or place has changed.

    Raises:
        ChangedMeanwhileError: somebody else has changed it since.
    """
    if digest.version != version:
        raise ChangedMeanwhileError(digest)
    if plan.filter_text != digest.plan.filter_text:
        past = tuple(replace(run, average=None) for run in digest.past)
        run = digest.run and replace(digest.run, baseline=None, average=None)
        digest = replace(digest, baseline=None, silent_runs=0, past=past, run=run)
    is_moved = (plan.schedule, plan.channel_id) != (digest.plan.schedule, digest.plan.channel_id)
    if is_moved:
        digest = replace(ledger.called_off(digest, now), next=next_slot(plan.schedule, now))
    elif digest.run and digest.run.state is RunState.CLAIMED and not digest.run.is_extra:
        # Whoever has it has collected for the old plan: it is taken up again at once.
        digest = replace(digest, run=replace(digest.run, until=now, token=""))
    return _edited(replace(digest, plan=plan, version=version + 1), by, now)


def paused(digest: Digest, by: Editor, now: datetime, *, until: datetime | None) -> Digest:
    """Return the digest without posts until `until`, or until somebody resumes it (`None`)."""
    digest = ledger.called_off(digest, now)
    pause = Pause(since=now, until=until, by=by.user_id)
    return _edited(replace(digest, pause=pause, version=digest.version + 1), by, now)


def resumed(digest: Digest, by: Editor, now: datetime) -> Digest:
    """Return the digest with posts again, from its next slot on."""
    if digest.pause is None:
        return digest
    coming = next_slot(digest.plan.schedule, now)
    digest = replace(digest, pause=None, next=coming, version=digest.version + 1)
    return _edited(digest, by, now)


def sending(digest: Digest, by: Editor, now: datetime, token: str) -> Digest:
    """Return the digest that somebody sends now. A run that waits is sent by it.

    Raises:
        DigestBusyError: it is being sent. JustSentError: somebody has sent it moments ago.
    """
    run = digest.run
    if run and run.state is not RunState.WAITING and now < run.until:
        raise DigestBusyError("a run is under way")
    if digest.past:
        last = digest.past[-1]
        if last.asked_by and last.outcome is Outcome.POSTED and now - last.at < SLIP:
            raise JustSentError(last.at)
    if run and run.state is RunState.POSTING:  # of a dead process: settle that first
        digest = ledger.taken_up(digest, now, token)
        run = digest.run
    if run is None:
        run = Run(
            slot=slot_at(digest.plan.schedule, now),
            state=RunState.CLAIMED,
            until=now,
            token="",
            is_extra=True,
        )
    until = now + ledger.CLAIM
    mine = replace(run, state=RunState.CLAIMED, until=until, token=token, asked_by=by.user_id)
    return replace(digest, run=mine)


def _edited(digest: Digest, by: Editor, now: datetime) -> Digest:
    return replace(digest, changed_by=by.user_id, changed_at=now)
