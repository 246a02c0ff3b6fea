"""What a post of a digest says of itself: by whom, how late, compared with what. Pure."""

from collections.abc import Iterator
from datetime import timedelta

from bot.digests.digest import Digest, Outcome, PastRun
from bot.digests.post import Post
from bot.digests.report import MOVED_FROM
from bot.digests.schedule import Slot
from bot.views.digests.notices import trouble_words, uncertain_words
from bot.views.digests.plan import filter_shown, local_text, mode_text, person_shown, spoken
from bot.views.schedule import schedule_text, slot_text
from bot.views.text import escaped, moment_token, plural

LATE_FROM = timedelta(seconds=60)
MAX_UNPOSTED = 3


def about_shown(post: Post) -> str:
    """Return when the digest comes, what it is about, and since when it counts, as mrkdwn."""
    plan, since = post.digest.plan, post.report.since
    compared = f"compared with {moment_token(since)}" if since else "nothing to compare with yet"
    parts = [schedule_text(plan.schedule), filter_shown(plan.filter_text), compared]
    return "  ·  ".join(parts)


def footer_shown(post: Post) -> str:
    """Return what comes next, who set the digest up, and what counts as a change, as mrkdwn."""
    parts = [_coming(post), f"Set up by {person_shown(post.digest.made_by_name)}"]
    if post.report.since:
        parts.append(f"Moves count from {MOVED_FROM} points on, or into another band")
    return "  ·  ".join(part for part in parts if part)


def about_spoken(post: Post) -> list[str]:
    """Return the same two lines as sentences; moments are in the digest's own time zone."""
    plan, since = post.digest.plan, post.report.since
    compared = local_text(since, plan.schedule.zone) if since else "nothing yet"
    sentences = [
        f"Compared with {compared}",
        _coming(post),
        f"Comes {schedule_text(plan.schedule)}, about {filter_shown(plan.filter_text)}",
        f"Set up by {person_shown(post.digest.made_by_name)}",
    ]
    return [f"{spoken(sentence)}." for sentence in sentences if sentence]


def notes(post: Post) -> list[str]:
    """Return what is to be said before the news, a line of mrkdwn each."""
    lines = [f"Sent now by {person_shown(post.asked_by_name)}."] if post.asked_by_name else []
    if post.slot and post.sent_at - post.slot.due_at >= LATE_FROM:
        lines.append(_late(post.slot, post))
    return [*lines, *_unposted(post)]


def preview_note(owners: int) -> str:
    """Return how a preview says that it is one; `owners` is whom the post itself would mention."""
    would = f" It would mention {plural(owners, 'owner')}." if owners else ""
    return f"👀 *Preview:* only you can see this, and nobody is mentioned.{would}"


def first_note(digest: Digest) -> str:
    """Return what a channel reads with the first post: by whom this is and how to change it.

    When it comes and what it is about stands right above it, see `about_shown`.
    """
    who = person_shown(digest.made_by_name)
    return (
        f"👋 *This is the first of these digests.* {who} set it up for this channel."
        f" Post: {mode_text(digest.plan)}. To change, pause or delete it, press `Manage` or type"
        " `/domaindigest`."
    )


def _coming(post: Post) -> str:
    """When the next one comes, or that the digest is paused; nothing where neither is known."""
    pause, zone = post.digest.pause, post.digest.plan.schedule.zone
    if pause:
        return f"Paused until {local_text(pause.until, zone)}" if pause.until else "Paused"
    if post.digest.next.due_at <= post.sent_at:
        return ""
    return f"Next: {slot_text(post.digest.next, zone)}"


def _late(slot: Slot, post: Post) -> str:
    zone = post.digest.plan.schedule.zone
    (due_day, due), (sent_day, sent) = (
        local_text(moment, zone).split(", ") for moment in (slot.due_at, post.sent_at)
    )
    if due_day != sent_day:
        due, sent = f"{due_day}, {due}", f"{sent_day}, {sent}"
    return f"⏰ *Late:* due {due}, sent {sent} ({escaped(zone, 60)})."


def _unposted(post: Post) -> Iterator[str]:
    newest = post.unposted[-MAX_UNPOSTED:]
    if left_out := len(post.unposted) - len(newest):
        yield f"⚠️ {plural(left_out, 'digest')} before them did not come either."
    for run in newest:
        due = slot_text(run.slot, post.digest.plan.schedule.zone)
        which = "asked for" if run.asked_by else "due"
        yield f"⚠️ The digest {which} {due} {_fate(run)}."


def _fate(run: PastRun) -> str:
    why = f": {trouble_words(run.trouble)}" if run.trouble else ""
    match run.outcome:
        case Outcome.MISSED:
            return f"was missed{why}"
        case Outcome.UNCERTAIN:
            return f"may be missing here: {uncertain_words(run.trouble)}"
        case _:
            return f"was not posted{why}"
