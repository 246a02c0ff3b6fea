"""Word the changes and the notes of a digest's post. Pure."""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from bot.digests.models import Digest, Outcome, PastRun
from bot.digests.report import MOVED_FROM, Move, Post, Report, better_moves, worse_moves
from bot.digests.schedule import Slot
from bot.health import band_of
from bot.tracker.findings import SOON_DAYS
from bot.tracker.models import Domain
from bot.views.digests.wording import (
    ChangeGroup,
    DomainLine,
    failure_text,
    filter_mrkdwn,
    local_text,
    mode_text,
    person_mrkdwn,
    uncertain_text,
)
from bot.views.domains import score_mrkdwn, score_text
from bot.views.ends import soon_text
from bot.views.schedule import schedule_text, zoned_slot_text
from bot.views.text import code, escaped, moment_token, plural, score_number, without_markup

MAX_LISTED = 5
MAX_IN_LINE = 3
MINUS = "\N{MINUS SIGN}"
_NO_BREAKS = str.maketrans(" ", "\N{NO-BREAK SPACE}")


def change_groups(report: Report, now: datetime, *, is_filtered: bool) -> list[ChangeGroup]:
    """Return the groups of changes, worst first, what ends soon, and domains without a score."""
    unknown = _unknown(report)
    groups = (
        _moved("📉", "got worse", worse_moves(report), len(report.crossed_down), "lower"),
        _soon(report, now),
        *([unknown] if report.lost else []),
        _gone(report, is_filtered=is_filtered),
        _added(report.new, "new, or matching the filter now" if is_filtered else "new"),
        _moved("📈", "got better", better_moves(report), len(report.crossed_up), "higher"),
        _added([move.domain for move in report.found], "with a score now"),
        *([] if report.lost else [unknown]),
    )
    return [group for group in groups if group.count]


def delta_text(before: float, after: float) -> str:
    """Return the difference of two rounded scores such as `▲ +1.5`, or nothing."""
    points = rounded_delta(before, after)
    if points > 0:
        return f"▲ +{points:g}"
    return f"▼ {MINUS}{-points:g}" if points < 0 else ""


def rounded_delta(before: float, after: float) -> float:
    """Return the difference of two rounded scores, with one decimal at most."""
    return round(float(score_number(after)) - float(score_number(before)), 1)


def _moved(symbol: str, verb: str, moves: Sequence[Move], crossed: int, band: str) -> ChangeGroup:
    # The bands are left out where every move crossed into another one.
    more = f", {crossed:,} into a {band} band" if 0 < crossed < len(moves) else ""
    title = f"{plural(len(moves), 'domain')} {verb}"
    lines = tuple(_move_line(move) for move in moves[:MAX_LISTED])
    return ChangeGroup(symbol, title, len(moves), lines, more, is_listed=True)


def _soon(report: Report, now: datetime) -> ChangeGroup:
    lines = tuple(
        DomainLine(domain.domain, soon_text(row, now), soon_text(row, now, sign=False))
        for domain, row in report.soon[:MAX_LISTED]
    )
    count = len(report.nearer)
    more = f" ({count:,} came to 30, 14, 7 or 1 days since the last digest)" if count else ""
    title = f"Ends within {SOON_DAYS} days"
    return ChangeGroup("⏳", title, len(report.soon), lines, more, is_listed=True)


def _unknown(report: Report) -> ChangeGroup:
    lost = {move.domain.domain: move for move in report.lost}
    others = (domain for domain in report.unknown if domain.domain not in lost)
    lines = [_was(move.domain.domain, move.before) for move in report.lost[:MAX_IN_LINE]]
    lines += (DomainLine(domain.domain, "", "") for domain in islice(others, MAX_IN_LINE))
    count = len(report.unknown)
    return ChangeGroup(
        "⚪",
        f"{plural(count, 'domain')} without a score",
        count,
        tuple(lines[:MAX_IN_LINE]),
        f", {len(lost):,} had one before" if lost else "",
    )


def _gone(report: Report, *, is_filtered: bool) -> ChangeGroup:
    count = len(report.gone)
    title = "gone, or no longer matching the filter" if is_filtered else "gone"
    lines = tuple(_was(host, score) for host, score in report.gone[:MAX_IN_LINE])
    return ChangeGroup("\N{HEAVY MINUS SIGN}", f"{plural(count, 'domain')} {title}", count, lines)


def _added(domains: Sequence[Domain], title: str) -> ChangeGroup:
    lines = tuple(
        DomainLine(each.domain, score_mrkdwn(each.health_score), score_text(each.health_score))
        for each in domains[:MAX_IN_LINE]
    )
    title = f"{plural(len(domains), 'domain')} {title}"
    return ChangeGroup("\N{HEAVY PLUS SIGN}", title, len(domains), lines)


def _was(host: str, before: float | None) -> DomainLine:
    return DomainLine(host, f"(was {score_mrkdwn(before)})", f"was {score_text(before)}")


def _move_line(move: Move) -> DomainLine:
    before, after = move.before or 0, move.after or 0  # a move has both scores
    is_across = band_of(before) is not band_of(after)
    before_mrkdwn = score_mrkdwn(before) if is_across else score_number(before)
    before_text = score_text(before) if is_across else score_number(before)
    delta = delta_text(before, after).translate(_NO_BREAKS)
    return DomainLine(
        move.domain.domain,
        f" {before_mrkdwn} → {score_mrkdwn(after)}  {delta}",
        f"from {before_text} to {score_text(after)}",
    )


LATE_FROM = timedelta(seconds=60)
MAX_UNPOSTED = 3
_SHRUNK = (
    "⚠️ *The list is less than half as long as at the last digest.* I asked Domain Tracker twice,"
    " and it stayed so. If domains are missing, look into Domain Tracker, or ask an admin whether"
    " its key was replaced."
)


def about_mrkdwn(post: Post) -> str:
    """Return the schedule, the filter and the time of comparison as mrkdwn."""
    plan, since = post.digest.plan, post.report.since
    compared = f"compared with {moment_token(since)}" if since else "nothing to compare with yet"
    parts = [schedule_text(plan.schedule), filter_mrkdwn(plan.filter_text), compared]
    return "  ·  ".join(parts)


def footer_mrkdwn(post: Post) -> str:
    """Return the next run, the owner and the threshold of changes as mrkdwn."""
    parts = [_coming(post, moment_token), f"Set up by {person_mrkdwn(post.digest.made_by_name)}"]
    if post.report.since:
        parts.append(f"Moves count from {MOVED_FROM} points on, or into another band")
    return "  ·  ".join(part for part in parts if part)


def about_text(post: Post) -> list[str]:
    """Return the contents of `about_mrkdwn` and `footer_mrkdwn` as sentences."""
    plan, since = post.digest.plan, post.report.since
    compared = local_text(since, plan.schedule.zone) if since else "nothing yet"
    sentences = [
        f"Compared with {compared}",
        _coming(post, lambda moment: local_text(moment, plan.schedule.zone)),
        f"Comes {schedule_text(plan.schedule)}, about {filter_mrkdwn(plan.filter_text)}",
        f"Set up by {person_mrkdwn(post.digest.made_by_name)}",
    ]
    return [f"{without_markup(sentence)}." for sentence in sentences if sentence]


def zone_text(post: Post) -> str:
    """Return a sentence that names the time zone of the other texts."""
    return f"Times are in {without_markup(code(post.digest.plan.schedule.zone, 60))}."


def notes(post: Post) -> list[str]:
    """Return the notes above the changes as lines of mrkdwn."""
    lines = [f"Sent now by {person_mrkdwn(post.asked_by_name)}."] if post.asked_by_name else []
    if post.slot and post.sent_at - post.slot.due_at >= LATE_FROM:
        lines.append(_late(post.slot, post))
    if post.has_shrunk:
        lines.append(_SHRUNK)
    return [*lines, *_unposted(post)]


def preview_note(owners: int) -> str:
    """Return the note of a preview; `owners` counts the mentions of the post itself."""
    would = f" It would mention {plural(owners, 'owner')}." if owners else ""
    return f"👀 *Preview:* only you can see this, and no one is mentioned.{would}"


def first_note(digest: Digest) -> str:
    """Return the note of a digest's first post: its owner and how to change it."""
    who = person_mrkdwn(digest.made_by_name)
    return (
        f"👋 *This is the first of these digests.* {who} set it up for this channel."
        f" Post: {mode_text(digest.plan)}. To change, pause or delete it, press `Manage` or type"
        " `/domaindigest`."
    )


def _coming(post: Post, shown: Callable[[datetime], str]) -> str:
    """Return the next run or the pause; nothing if the next run is not known."""
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
    why = f": {failure_text(run.trouble)}" if run.trouble else ""
    match run.outcome:
        case Outcome.MISSED:
            return f"was missed{why}"
        case Outcome.UNCERTAIN:
            return f"may be missing here: {uncertain_text(run.trouble)}"
        case _:
            return f"was not posted{why}"
