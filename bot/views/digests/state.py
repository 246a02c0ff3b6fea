"""How a digest is doing: active, paused, waiting; how its last runs ended. Pure."""

from datetime import datetime

from bot.digests.claims import resumed_in_time
from bot.digests.digest import Digest, Outcome, PastRun, Pause, Run, RunState, Trouble
from bot.digests.schedule import UnknownZoneError, zone_of
from bot.views.digests.owners import mention_tokens
from bot.views.digests.remedies import remedy, trouble_words, uncertain_words
from bot.views.schedule import zoned_slot_text
from bot.views.text import day_text, moment_text, moment_token

MAX_MISSES_SHOWN = 3
RUNS_LOOKED_BACK = 14

_MISSES = {Outcome.MISSED, Outcome.FAILED, Outcome.UNCERTAIN}


def state_lines(digest: Digest, now: datetime, reader_zone: str | None) -> list[str]:
    """Return lines of finished mrkdwn: the state, and the next run where there will be one."""
    if digest.pause:
        paused = _paused_line(digest.pause, digest.plan.schedule.zone)
        coming = run_after_pause(digest, reader_zone)
        return [paused, *([f"Next run {coming}"] if coming else [])]
    run, coming = digest.run, next_run_text(digest, reader_zone)
    if run is None:
        return [f"▶️ *Active*, next run {coming}"]
    if run.state is RunState.WAITING:
        return [_waiting_line(run), f"Next run {coming}"]
    is_due = now >= run.until  # whoever had it is gone: it is taken up again
    return [f"📤 *{'Due now' if is_due else 'Being sent just now'}*, next run {coming}"]


def run_lines(digest: Digest) -> list[str]:
    """Return lines of finished mrkdwn: how the last run ended, and which were missed before."""
    if not digest.past:
        return ["Has not run yet"]
    last = digest.past[-1]
    line = f"Last run {moment_token(last.slot.due_at)}: {_ending(last)}"
    earlier = digest.past[-RUNS_LOOKED_BACK:-1]
    misses = [run for run in reversed(earlier) if run.outcome in _MISSES]
    if not misses:
        return [line]
    shown = [
        f"{moment_token(run.slot.due_at)} {_missed(run)}" for run in misses[:MAX_MISSES_SHOWN]
    ]
    left_out = len(misses) - len(shown)
    more = f"; and {left_out:,} more" if left_out else ""
    return [line, f"⚠️ Before that: {'; '.join(shown)}{more}"]


def next_run_text(digest: Digest, reader_zone: str | None) -> str:
    """Return when the next run is, also by the reader's clock where they live elsewhere."""
    zone = digest.plan.schedule.zone
    own = "" if reader_zone in {None, zone} else f", for you {moment_token(digest.next.due_at)}"
    return f"{zoned_slot_text(digest.next, zone)}{own}"


def run_after_pause(digest: Digest, reader_zone: str | None) -> str | None:
    """Return the same of the first run after a pause, `None` where nobody knows when it ends."""
    if digest.pause is None or digest.pause.until is None:
        return None
    try:
        return next_run_text(resumed_in_time(digest, digest.pause.until), reader_zone)
    except UnknownZoneError:
        return None


def person(user_id: str | None) -> str:
    """Return mrkdwn that shows somebody by name in a form, where it tells nobody."""
    return next(iter(mention_tokens([user_id or ""])), "somebody")


def until_text(until: datetime, zone: str) -> str:
    """Return the day on which a pause ends, as the wall clock in `zone` has it."""
    try:
        return day_text(until.astimezone(zone_of(zone)).date())
    except UnknownZoneError:
        return moment_text(until)


def _waiting_line(run: Run) -> str:
    trouble = run.trouble or Trouble.SERVICE
    again = f"next try {moment_token(run.until)}"
    return f"🕓 *Waiting*: {trouble_words(trouble)}; {again}. {remedy(trouble)}".strip()


def _paused_line(pause: Pause, zone: str) -> str:
    if pause.why:
        told = f"⏸️ *Paused*: {trouble_words(pause.why)}. {remedy(pause.why)}".strip()
        return f"{told} Then press `Resume`."
    end = f"until {until_text(pause.until, zone)}" if pause.until else "until somebody resumes it"
    return f"⏸️ *Paused* by {person(pause.by)}, {end}"


def _ending(run: PastRun) -> str:
    why = f", as {trouble_words(run.trouble)}" if run.trouble else ""
    match run.outcome:
        case Outcome.POSTED:
            return f"sent by {person(run.asked_by)}" if run.asked_by else "posted"
        case Outcome.QUIET:
            return "nothing to post"
        case Outcome.MISSED:
            return f"⚠️ missed{why}"
        case Outcome.FAILED:
            return f"⚠️ not posted{why}"
        case Outcome.UNCERTAIN:
            return f"❓ maybe posted: {uncertain_words(run.trouble)}"


def _missed(run: PastRun) -> str:
    if run.outcome is Outcome.UNCERTAIN:
        return "maybe posted"
    return "missed" if run.outcome is Outcome.MISSED else "not posted"
