"""What a post of a digest says of itself: by whom, how late, compared with what. Pure."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from bot.digests.digest import Digest, Outcome, PastRun
from bot.digests.post import Post
from bot.digests.report import MOVED_FROM
from bot.digests.schedule import Slot
from bot.views.digests.plan import filter_shown, local_text, mode_text, person_shown, spoken
from bot.views.digests.remedies import trouble_words, uncertain_words
from bot.views.schedule import schedule_text, zoned_slot_text
from bot.views.text import code, escaped, moment_token, plural

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
    parts = [_coming(post, moment_token), f"Set up by {person_shown(post.digest.made_by_name)}"]
    if post.report.since:
        parts.append(f"Moves count from {MOVED_FROM} points on, or into another band")
    return "  ·  ".join(part for part in parts if part)


def about_spoken(post: Post) -> list[str]:
    """Return the same two lines as sentences; moments are in the zone of `zone_spoken`."""
    plan, since = post.digest.plan, post.report.since
    compared = local_text(since, plan.schedule.zone) if since else "nothing yet"
    sentences = [
        f"Compared with {compared}",
        _coming(post, lambda moment: local_text(moment, plan.schedule.zone)),
        f"Comes {schedule_text(plan.schedule)}, about {filter_shown(plan.filter_text)}",
        f"Set up by {person_shown(post.digest.made_by_name)}",
    ]
    return [f"{spoken(sentence)}." for sentence in sentences if sentence]


def zone_spoken(post: Post) -> str:
    """Return in which time zone all that follows is told, as a sentence."""
    return f"Times are in {spoken(code(post.digest.plan.schedule.zone, 60))}."


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


def _coming(post: Post, shown: Callable[[datetime], str]) -> str:
    """When the next one comes, or that the digest is paused; nothing where neither is known."""
    pause = post.digest.pause
    if pause:
        return f"Paused until {shown(pause.until)}" if pause.until else "Paused"
    if post.digest.next.due_at <= post.sent_at:
        return ""
    return f"Next: {shown(post.digest.next.due_at)}"


def _late(slot: Slot, post: Post) -> str:
    zone = post.digest.plan.schedule.zone
    (due_day, due), (sent_day, sent) = (
        local_text(moment, zone).split(", ") for moment in (slot.due_at, post.sent_at)
    )
    if due_day != sent_day:
        due, sent = f"{due_day}, {due}", f"{sent_day}, {sent}"
    return f"⏰ *Late:* due {due}, sent {sent} ({escaped(zone, 60)})."


def _unposted(post: Post) -> Iterator[str]:
    for run in post.unposted[-MAX_UNPOSTED:]:
        due = zoned_slot_text(run.slot, post.digest.plan.schedule.zone)
        which = "asked for" if run.asked_by else "due"
        yield f"⚠️ The digest {which} {due} {_fate(run)}."
    earlier = post.unposted[:-MAX_UNPOSTED]
    uncertain = sum(run.outcome is Outcome.UNCERTAIN for run in earlier)
    if surely := len(earlier) - uncertain:
        yield f"⚠️ {plural(surely, 'digest')} before them did not come either."
    if uncertain:
        yield f"⚠️ {plural(uncertain, 'digest')} before them may be missing here too."


def _fate(run: PastRun) -> str:
    why = f": {trouble_words(run.trouble)}" if run.trouble else ""
    match run.outcome:
        case Outcome.MISSED:
            return f"was missed{why}"
        case Outcome.UNCERTAIN:
            return f"may be missing here: {uncertain_words(run.trouble)}"
        case _:
            return f"was not posted{why}"
