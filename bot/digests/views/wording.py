"""Word the plan and the state of a digest: owner, next run, pause, last runs. Pure."""

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from bot.blocks.builders import button, run_button
from bot.blocks.links import linked_name
from bot.blocks.message import Block
from bot.blocks.text import (
    MAX_ACCESSIBLE_CHARS,
    MAX_BUTTON_CHARS,
    bold,
    clip,
    code,
    day_text,
    minutes_text,
    moment_token,
    outside,
    plural,
)
from bot.digests.models import (
    MAX_NAME_CHARS,
    Digest,
    Mode,
    Outcome,
    PastRun,
    Pause,
    Plan,
    Reminder,
)
from bot.digests.run_state import end_pause_in_time
from bot.digests.views.schedule import schedule_text, slot_text
from bot.dispatch.command_text import unescaped
from bot.keys.failures import FailureReason
from bot.process.zones import zone_of
from bot.tracker.hostnames import HostNameError, host_name

MAX_MENTIONED = 40
# Of people and user groups: https://docs.slack.dev/messaging/formatting-message-text#advanced
_ID = re.compile(r"[UWS][A-Z0-9]{2,20}")
MAX_HOST_CHARS = 80
MINUS = "\N{MINUS SIGN}"
MANAGE_DIGEST, DELETE_DIGEST = "digest.manage", "digest.delete"
SEND_DIGEST, RESUME_DIGEST = "digest.send", "digest.resume"
MAKE_DIGEST, DIGEST_HERE = "digest.make", "digest.here"
MAX_FILTER_CHARS = 100
MAX_PERSON_CHARS = 40
# The options of the form's field `Post`.
MODE_NAMES = {
    Mode.ALWAYS: "Every time",
    Mode.CHANGES: "When something changed",
    Mode.WORSE: "When something got worse",
}
OUTSIDERS = "👥 People from another company are in this channel and read its digests."
INVITE = "`/invite @Domain Tracker`"
_PASSES = "This usually resolves within minutes."
# The reason, as the end of a sentence, and the remedy.
_REASONS: dict[FailureReason, tuple[str, str]] = {
    FailureReason.SERVICE: ("Domain Tracker did not answer", _PASSES),
    FailureReason.RATE: (
        "the hourly rate limit of Domain Tracker was reached",
        "Requests resume within an hour.",
    ),
    FailureReason.SCOPE: (
        "the API key may not list domains",
        "An admin can set a key with the scope `read_domains` in `/domainkey`.",
    ),
    FailureReason.ADDRESS: (
        "Domain Tracker blocks the app's IP address",
        "An admin can allow that address in the API key's IP restrictions.",
    ),
    FailureReason.KEY: (
        "the workspace has no API key that works",
        "An admin can set one with `/domainkey`.",
    ),
    FailureReason.SLACK: ("Slack did not accept the post", _PASSES),
    # An archived channel loses its bots for good.
    FailureReason.ARCHIVED: (
        "the channel is archived",
        f"Unarchive it and type {INVITE} in it, or choose another channel.",
    ),
    FailureReason.NOT_IN_CHANNEL: (
        "the app is not in the channel",
        f"Type {INVITE} in it, or choose another channel.",
    ),
    FailureReason.NOT_FOUND: (
        "the channel was deleted, or is private and the app is not in it",
        f"If it still exists, type {INVITE} in it. If not, choose another channel.",
    ),
    FailureReason.RESTRICTED: (
        "the channel's or the organization's settings do not let apps post",
        "Ask the managers of the channel to allow it, or choose another channel.",
    ),
    FailureReason.PERSON: ("its person's account was closed, or was a guest's", ""),
    FailureReason.UNINSTALLED: (
        "Slack no longer lets the app into this workspace",
        "An admin can install the app again.",
    ),
    FailureReason.PERMISSION: (
        "the app lacks a permission in this workspace",
        "An admin can install the app again to grant it.",
    ),
    FailureReason.CHANGED: ("it was changed or paused at that moment", ""),
    FailureReason.INTERNAL: (
        "the app had an internal error",
        "Ask the app's operator to look at its log.",
    ),
    FailureReason.DOWN: ("the app was not running", ""),
}


def mention_tokens(ids: Sequence[str]) -> list[str]:
    """Return a mention for each id of a person or user group; other ids are left out."""
    return [
        f"<!subteam^{each}>" if each.startswith("S") else f"<@{each}>"
        for each in ids
        if _ID.fullmatch(each)
    ]


def owners_line(ids: Sequence[str]) -> str:
    """Return the line that mentions the owners of domains that got worse, or nothing."""
    tokens = mention_tokens(ids)
    if not tokens:
        return ""
    left_out = len(tokens) - MAX_MENTIONED
    more = f" and {plural(left_out, 'more owner')}" if left_out > 0 else ""
    return f"{' '.join(tokens[:MAX_MENTIONED])}{more}: domains that you look after got worse."


def domain_line(host: str, mrkdwn: str, domain_id: str | None = None) -> str:
    """Return a domain, as a link where the operator says so, and what is said of it."""
    return f"{linked_name(host, domain_id, MAX_HOST_CHARS)} {mrkdwn}".strip()


def called_mrkdwn(plan: Plan) -> str:
    schedule = schedule_text(plan.schedule)
    called = f"{bold(plan.name, MAX_NAME_CHARS)}  ·  {schedule}" if plan.name else schedule
    return f"{called}  ·  for you alone" if plan.is_own else called


def plan_lines(plan: Plan) -> list[tuple[str, str]]:
    lines = [("Name", bold(plan.name, MAX_NAME_CHARS))] if plan.name else []
    lines += [
        ("When", schedule_text(plan.schedule)),
        ("Filter", filter_mrkdwn(plan.filter_text)),
        ("Post", mode_text(plan)),
    ]
    if not plan.is_alert:
        lines.append(("Worst domains shown", f"{plan.worst_count}"))
    if plan.has_file:
        lines.append(("File", "The whole list as CSV in the thread"))
    if plan.mentions:
        rules = (
            f"{plural(len(rule.who), 'owner')} of {code(rule.label, 60)}" for rule in plan.mentions
        )
        lines.append(("Mentioned when it gets worse", ", ".join(rules)))
    if plan.reminder:
        lines.append(("If no one is on it", reminder_text(plan.reminder)))
    return lines


def reminder_text(reminder: Reminder) -> str:
    """Return `mentions 2 people or groups after 1 hour`."""
    many = plural(len(reminder.who), "person or group", "people or groups")
    return f"mentions {many} after {minutes_text(reminder.after)}"


def mode_text(plan: Plan) -> str:
    """Return `When something changed; heartbeat after 5 quiet runs`."""
    if plan.is_alert:
        return "As soon as something gets worse"
    if plan.mode is Mode.ALWAYS or plan.heartbeat_every is None:
        return MODE_NAMES[plan.mode]
    quiet = plural(plan.heartbeat_every, "quiet run")
    return f"{MODE_NAMES[plan.mode]}; heartbeat after {quiet}"


def filter_mrkdwn(filter_text: str) -> str:
    """Return mrkdwn of a filter: `tag:prod` as code, or all domains."""
    shown = unescaped(filter_text).strip()
    return code(shown, MAX_FILTER_CHARS) if shown else "all domains"


def person_mrkdwn(name: str | None) -> str:
    """Return mrkdwn of a person's name, without a mention."""
    return bold(name, MAX_PERSON_CHARS) if name and outside(name, 1) else "somebody"


def digest_button(label: str, action_id: str, digest: Digest, **more: Any) -> Block | None:
    """Return a button that a screen reader tells from those of other digests."""
    called = digest.plan.name or schedule_text(digest.plan.schedule)
    heard = outside(f"{label}: {called}", MAX_ACCESSIBLE_CHARS)
    return button(label, action_id, digest.digest_id, accessibility_label=heard, **more)


def manage_button(digest: Digest) -> Block | None:
    return digest_button("Manage", MANAGE_DIGEST, digest)


def scan_button(label: str, name: str) -> Block | None:
    """Return a button that scans a listed domain, `None` if it has no host name."""
    with suppress(HostNameError):
        host = host_name(name)
        heard = clip(f"Scan {host}", MAX_BUTTON_CHARS)
        return run_button(label, f"/scan {host}", accessibility_label=heard)
    return None


def failure_text(reason: FailureReason) -> str:
    """Return why a run failed, as the end of a sentence: `Domain Tracker did not answer`."""
    return _REASONS[reason][0]


def remedy(reason: FailureReason | None) -> str:
    return _REASONS[reason][1] if reason else ""


def unconfirmed_text(trouble: FailureReason | None) -> str:
    """Return why it is unknown whether a digest was posted, as the end of a sentence."""
    is_down = trouble is FailureReason.DOWN
    return "the app stopped while posting it" if is_down else "Slack did not confirm the post"


def miss_text(run: PastRun) -> str:
    """Return `was missed: …` or the like for a run that did not surely reach its channel."""
    if run.outcome is Outcome.UNCERTAIN:
        return f"may be missing: {unconfirmed_text(run.trouble)}"
    missed = "was missed" if run.outcome is Outcome.MISSED else "was not posted"
    return f"{missed}: {failure_text(run.trouble)}" if run.trouble else missed


def state_lines(digest: Digest, now: datetime, reader_zone: str | None) -> list[str]:
    if digest.pause:
        paused = _paused_line(digest.pause, digest.plan.schedule.zone)
        if digest.pause.until is None:
            return [paused]
        after = end_pause_in_time(digest, digest.pause.until)
        return [paused, f"Next run {next_run_text(after, reader_zone)}"]
    run, coming = digest.run, next_run_text(digest, reader_zone)
    if run is None and digest.next.due_at > now:
        return [f"▶️ *Active*, next run {coming}"]
    if run and run.trouble:
        why = f"{failure_text(run.trouble)}; next try {moment_token(run.until)}"
        waiting = f"🕓 *Waiting*: {why}. {remedy(run.trouble)}".strip()
        return [waiting, f"Next run {coming}"]
    is_due = run is None or now >= run.until  # or the process that ran it is gone
    return [f"📤 *{'Due now' if is_due else 'Being sent now'}*, next run {coming}"]


def last_run_line(digest: Digest) -> str:
    if not digest.past:
        return "No runs yet"
    last = digest.past[-1]
    return f"Last run {moment_token(last.slot.due_at)}: {_ending(last)}"


def next_run_text(digest: Digest, reader_zone: str | None) -> str:
    """Return the time of the next run, without its zone, and in the reader's if that differs."""
    zone = digest.plan.schedule.zone
    own = "" if reader_zone in {None, zone} else f", for you {moment_token(digest.next.due_at)}"
    return f"{slot_text(digest.next, zone)}{own}"


def person(user_id: str | None) -> str:
    """Return a mention of a person, for forms and for messages to one person."""
    return next(iter(mention_tokens([user_id or ""])), "somebody")


def until_text(until: datetime, zone: str) -> str:
    return day_text(until.astimezone(zone_of(zone)).date())


def pause_text(pause: Pause) -> str:
    return f"Paused until {moment_token(pause.until)}" if pause.until else "Paused"


def _paused_line(pause: Pause, zone: str) -> str:
    if pause.why:
        reason = f"⏸️ *Paused*: {failure_text(pause.why)}. {remedy(pause.why)}".strip()
        return f"{reason} Then press `Resume`."
    end = f"until {until_text(pause.until, zone)}" if pause.until else "until it is resumed"
    return f"⏸️ *Paused* by {person(pause.by)}, {end}"


def _ending(run: PastRun) -> str:
    if run.outcome is Outcome.QUIET:
        return "nothing to post"
    if run.outcome is not Outcome.POSTED:
        return f"⚠️ {miss_text(run)}"
    return f"sent by {person(run.asked_by)}" if run.asked_by else "posted"


def first_check_line(digest: Digest) -> str:
    """Return what the first check of a running alert does, or nothing for a digest."""
    if not digest.plan.is_alert or digest.pause or digest.baseline is not None:
        return ""
    return "The first check only notes how things stand. Alerts begin with the next one."
