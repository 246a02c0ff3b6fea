"""Word the notes of a digest's post: late, sent by whom, first, its schedule and owner. Pure."""

from collections.abc import Iterator
from datetime import timedelta

from bot.blocks.text import escaped, moment_token, plural
from bot.digests.models import DEFAULT_RULE, Digest, Rule
from bot.digests.report import Post, Report
from bot.digests.views.schedule import weekday_text, zoned_slot_text
from bot.digests.views.wording import (
    called_mrkdwn,
    filter_mrkdwn,
    miss_text,
    mode_text,
    pause_text,
    person_mrkdwn,
)
from bot.process.zones import zone_of
from bot.scans.fact_views import SIGNS

LATE_FROM = timedelta(seconds=60)
MAX_UNPOSTED = 3
_SHRUNK = (
    "⚠️ *The list is less than half as long as at the last digest.* Domain Tracker gave the same"
    " list twice. If domains are missing, check Domain Tracker, or ask an admin about the API key."
)
_PAST_EMPTY = "The list was empty at the last digest. This one compares with the digest before it."


def about_mrkdwn(post: Post) -> str:
    """Return the name, the schedule and the time of comparison as mrkdwn."""
    since = post.report.since
    compared = f"compared with {moment_token(since)}" if since else "nothing to compare with yet"
    return f"{called_mrkdwn(post.digest.plan)}  ·  {compared}"


def filter_line(post: Post) -> str:
    text = post.digest.plan.filter_text
    return f"Filter: {filter_mrkdwn(text)}" if text else ""


def footer_mrkdwn(post: Post) -> str:
    parts = [_coming(post), f"Set up by {person_mrkdwn(post.digest.made_by_name)}"]
    if post.report.since:
        parts.append(rule_text(post.report.rule))
    return "  ·  ".join(part for part in parts if part)


def rule_text(rule: Rule) -> str:
    """Return what counts as worse or better, as one sentence without its end."""
    parts = [f"Worse or better: by {plural(rule.points, 'point')}, or another rating"]
    if rule.days != DEFAULT_RULE.days:
        days = ", ".join(f"{day}" for day in sorted(rule.days, reverse=True))
        parts.append(f"days before an end: {days}")
    if rule.least is not DEFAULT_RULE.least:
        parts.append(f"new issues from {SIGNS[rule.least]} {rule.least} on")
    return "; ".join(parts)


def notes(post: Post) -> list[str]:
    lines = (
        f"Sent now by {person_mrkdwn(post.asked_by_name)}." if post.asked_by_name else "",
        late_line(post),
        _SHRUNK if post.has_shrunk else "",
        _PAST_EMPTY if post.report.is_past_empty else "",
        _lost(post.report),
        *_unposted(post),
    )
    return [line for line in lines if line]


def _lost(report: Report) -> str:
    """Return that less is known than at the last digest, or nothing."""
    counts = {"end dates": report.dates_lost, "issues": report.issues_lost}
    lost = [f"{name} of {plural(count, 'domain')}" for name, count in counts.items() if count]
    if not lost:
        return ""
    return f"⚠️ *Less is known than at the last digest:* {' and '.join(lost)} can't be read now."


def preview_note(owners: int) -> str:
    """Return the note of a preview; `owners` counts the mentions of the post itself."""
    who = plural(owners, "person or group", "people or groups")
    would = f" It would mention {who}." if owners else ""
    return f"👀 *Preview:* only you can see this. No one is mentioned.{would}"


def first_note(digest: Digest) -> str:
    who, post = person_mrkdwn(digest.made_by_name), mode_text(digest.plan)
    how = "To change, pause, or delete it, press `Manage`."
    return f"👋 This is the first digest, set up by {who}. Post: {post}. {how}"


def _coming(post: Post) -> str:
    """Return the next run or the pause; nothing if the next run is not known."""
    if post.digest.pause:
        return pause_text(post.digest.pause)
    if post.digest.next.due_at <= post.sent_at:
        return ""
    return f"Next: {moment_token(post.digest.next.due_at)}"


def late_line(post: Post) -> str:
    """Return when a late post was due and sent, or nothing."""
    if post.slot is None or post.sent_at - post.slot.due_at < LATE_FROM:
        return ""
    zone = post.digest.plan.schedule.zone
    due, sent = (each.astimezone(zone_of(zone)) for each in (post.slot.due_at, post.sent_at))
    is_same_day = due.date() == sent.date()
    due_text, sent_text = (
        f"{each:%H:%M}" if is_same_day else f"{weekday_text(each)}, {each:%H:%M}"
        for each in (due, sent)
    )
    return f"⏰ *Late:* due {due_text}, sent {sent_text} ({escaped(zone, 60)})."


def _unposted(post: Post) -> Iterator[str]:
    for run in post.unposted[-MAX_UNPOSTED:]:
        due = zoned_slot_text(run.slot, post.digest.plan.schedule.zone)
        which = "requested" if run.asked_by else "due"
        yield f"⚠️ The digest {which} {due} {miss_text(run)}."
    if earlier := post.unposted[:-MAX_UNPOSTED]:
        yield f"⚠️ {plural(len(earlier), 'earlier digest')} may be missing too."
