"""How a digest is doing: active, paused, waiting; how its last runs ended. Pure."""

from datetime import datetime

from bot.digests.digest import Digest, Outcome, PastRun, Pause, Run, RunState, Trouble
from bot.digests.schedule import Slot, UnknownZoneError, zone_of
from bot.views.digests.notices import trouble_words
from bot.views.digests.owners import mention_tokens
from bot.views.schedule import slot_text
from bot.views.text import day_text, moment_text, moment_token

INVITE = "`/invite @Domain Tracker`"
MAX_MISSES_SHOWN = 3
RUNS_LOOKED_BACK = 14

_MENDS = {
    Trouble.ARCHIVED: "Unarchive it and press `Resume`, or `Change` the channel.",
    Trouble.NOT_IN_CHANNEL: f"Type {INVITE} in it and press `Resume`, or `Change` the channel.",
    Trouble.NOT_FOUND: f"If it is there, type {INVITE} in it and press `Resume`.",
    Trouble.RESTRICTED: "Let apps post in it and press `Resume`, or `Change` the channel.",
    Trouble.UNINSTALLED: "An admin has to install me again; then press `Resume`.",
    Trouble.KEY: "An admin can set another key with `/domainkey`.",
    Trouble.SCOPE: "An admin can set a key with the scope `read_domains`: `/domainkey`.",
    Trouble.ADDRESS: "An admin can allow my address in the key's IP restrictions.",
}
_MISSES = {Outcome.MISSED, Outcome.FAILED, Outcome.UNCERTAIN}


def state_lines(digest: Digest, now: datetime, reader_zone: str | None) -> list[str]:
    """Return lines of finished mrkdwn: the state, and the next run of one that is not paused."""
    if digest.pause:
        return [_paused_line(digest.pause, digest.plan.schedule.zone)]
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
    zone, last = digest.plan.schedule.zone, digest.past[-1]
    line = f"Last run {slot_shown(last.slot, zone)}: {_ending(last)}"
    earlier = digest.past[-RUNS_LOOKED_BACK:-1]
    misses = [run for run in reversed(earlier) if run.outcome in _MISSES]
    if not misses:
        return [line]
    shown = [f"{slot_shown(run.slot, zone)} {_missed(run)}" for run in misses[:MAX_MISSES_SHOWN]]
    left_out = len(misses) - len(shown)
    more = f"; and {left_out:,} more" if left_out else ""
    return [line, f"⚠️ Before that: {'; '.join(shown)}{more}"]


def slot_shown(slot: Slot, zone: str) -> str:
    """Return `Mon 23 Nov 2026, 09:00` in the digest's zone, or in UTC if nobody knows that one."""
    try:
        return slot_text(slot, zone)
    except UnknownZoneError:
        return moment_text(slot.due_at)


def next_run_text(digest: Digest, reader_zone: str | None) -> str:
    """Return when the next run is, also by the reader's clock where they live elsewhere."""
    zone = digest.plan.schedule.zone
    own = "" if reader_zone in {None, zone} else f" (for you: {moment_token(digest.next.due_at)})"
    return f"{slot_shown(digest.next, zone)}{own}"


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
    mend = f" {_MENDS[trouble]}" if trouble in _MENDS else ""
    again = f"next try {moment_token(run.until)}"
    return f"🕓 *Waiting*: {trouble_words(trouble)}; {again}.{mend}"


def _paused_line(pause: Pause, zone: str) -> str:
    if pause.why:
        return f"⏸️ *Paused*: {trouble_words(pause.why)}. {_MENDS.get(pause.why, '')}".strip()
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
            return "❓ maybe posted: Slack did not say"


def _missed(run: PastRun) -> str:
    if run.outcome is Outcome.UNCERTAIN:
        return "maybe posted"
    return "missed" if run.outcome is Outcome.MISSED else "not posted"
