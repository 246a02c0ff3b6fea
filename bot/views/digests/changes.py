"""Word what a digest's post says of itself: by whom, how late, compared with what. Pure."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import islice

from bot.digests.models import Digest, Outcome, PastRun
from bot.digests.report import MOVED_FROM, Move, Post, Report, better_moves, worse_moves
from bot.digests.schedule import Slot
from bot.health import band_of
from bot.tracker.models import Domain
from bot.views.digests.wording import (
    DomainLine,
    Group,
    failure_text,
    filter_mrkdwn,
    local_text,
    mode_text,
    person_mrkdwn,
    uncertain_text,
    without_markup,
)
from bot.views.domains import score_mrkdwn, score_text
from bot.views.schedule import schedule_text, zoned_slot_text
from bot.views.text import code, escaped, moment_token, plural, score_number

MAX_LISTED = 5
MAX_IN_LINE = 3
MINUS = "\N{MINUS SIGN}"
_TOGETHER = str.maketrans(" ", "\N{NO-BREAK SPACE}")


def change_groups(report: Report, *, is_filtered: bool) -> list[Group]:
    """Return what has changed, the worst news first, and apart from it what has no score.

    Where there is nothing to compare with, only the latter.
    """
    unknown = _unknown(report)
    groups = (
        _worse(report),
        *([unknown] if report.lost else []),
        _gone(report, is_filtered=is_filtered),
        _new(report, is_filtered=is_filtered),
        _better(report),
        _found(report),
        *([] if report.lost else [unknown]),
    )
    return [group for group in groups if group.count]


def delta_text(before: float, after: float) -> str:
    """Return `▲ +1.5`, its like with `▼`, or nothing: how far apart two scores are as shown."""
    points = rounded_delta(before, after)
    if points > 0:
        return f"▲ +{points:g}"
    return f"▼ {MINUS}{-points:g}" if points < 0 else ""


def rounded_delta(before: float, after: float) -> float:
    """Return the difference of two scores as they are shown, with at most one decimal."""
    return round(float(score_number(after)) - float(score_number(before)), 1)


def _worse(report: Report) -> Group:
    moves = worse_moves(report)
    return Group(
        symbol="📉",
        title=f"{plural(len(moves), 'domain')} got worse",
        more=_crossed(len(report.crossed_down), len(moves), "lower"),
        count=len(moves),
        told=_moved(moves),
        is_listed=True,
    )


def _better(report: Report) -> Group:
    moves = better_moves(report)
    return Group(
        symbol="📈",
        title=f"{plural(len(moves), 'domain')} got better",
        more=_crossed(len(report.crossed_up), len(moves), "higher"),
        count=len(moves),
        told=_moved(moves),
        is_listed=True,
    )


def _crossed(crossed: int, moved: int, band: str) -> str:
    """How many came into another band, where that is not simply all of them."""
    return f", {crossed:,} into a {band} band" if 0 < crossed < moved else ""


def _unknown(report: Report) -> Group:
    lost = {move.domain.domain: move for move in report.lost}
    others = (domain for domain in report.unknown if domain.domain not in lost)
    told = [_was(move.domain.domain, move.before) for move in report.lost[:MAX_IN_LINE]]
    told += (DomainLine(domain.domain, "", "") for domain in islice(others, MAX_IN_LINE))
    return Group(
        symbol="⚪",
        title=f"{plural(len(report.unknown), 'domain')} without a score",
        more=f", {len(lost):,} had one before" if lost else "",
        count=len(report.unknown),
        told=tuple(told[:MAX_IN_LINE]),
    )


def _gone(report: Report, *, is_filtered: bool) -> Group:
    title = "gone, or no longer matching the filter" if is_filtered else "gone"
    return Group(
        symbol="\N{HEAVY MINUS SIGN}",
        title=f"{plural(len(report.gone), 'domain')} {title}",
        more="",
        count=len(report.gone),
        told=tuple(_was(host, score) for host, score in report.gone[:MAX_IN_LINE]),
    )


def _new(report: Report, *, is_filtered: bool) -> Group:
    title = "new, or matching the filter now" if is_filtered else "new"
    return Group(
        symbol="\N{HEAVY PLUS SIGN}",
        title=f"{plural(len(report.new), 'domain')} {title}",
        more="",
        count=len(report.new),
        told=tuple(_scored(report.new)),
    )


def _found(report: Report) -> Group:
    return Group(
        symbol="\N{HEAVY PLUS SIGN}",
        title=f"{plural(len(report.found), 'domain')} with a score now",
        more="",
        count=len(report.found),
        told=tuple(_scored(move.domain for move in report.found)),
    )


def _was(host: str, before: float | None) -> DomainLine:
    return DomainLine(host, f"(was {score_mrkdwn(before)})", f"was {score_text(before)}")


def _scored(domains: Iterable[Domain]) -> Iterator[DomainLine]:
    for domain in islice(domains, MAX_IN_LINE):
        score = domain.health_score
        yield DomainLine(domain.domain, score_mrkdwn(score), score_text(score))


def _moved(moves: Sequence[Move]) -> tuple[DomainLine, ...]:
    return tuple(_move(move) for move in moves[:MAX_LISTED])


def _move(move: Move) -> DomainLine:
    before, after = move.before or 0, move.after or 0  # both are known in what moved
    is_across = band_of(before) is not band_of(after)
    was_shown = score_mrkdwn(before) if is_across else score_number(before)
    was_spoken = score_text(before) if is_across else score_number(before)
    delta = delta_text(before, after).translate(_TOGETHER)
    return DomainLine(
        move.domain.domain,
        f" {was_shown} → {score_mrkdwn(after)}  {delta}",
        f"from {was_spoken} to {score_text(after)}",
    )


LATE_FROM = timedelta(seconds=60)
MAX_UNPOSTED = 3


def about_mrkdwn(post: Post) -> str:
    """Return when the digest comes, what it is about, and since when it counts, as mrkdwn."""
    plan, since = post.digest.plan, post.report.since
    compared = f"compared with {moment_token(since)}" if since else "nothing to compare with yet"
    parts = [schedule_text(plan.schedule), filter_mrkdwn(plan.filter_text), compared]
    return "  ·  ".join(parts)


def footer_mrkdwn(post: Post) -> str:
    """Return what comes next, who set the digest up, and what counts as a change, as mrkdwn."""
    parts = [_coming(post, moment_token), f"Set up by {person_mrkdwn(post.digest.made_by_name)}"]
    if post.report.since:
        parts.append(f"Moves count from {MOVED_FROM} points on, or into another band")
    return "  ·  ".join(part for part in parts if part)


def about_text(post: Post) -> list[str]:
    """Return the same two lines as sentences; moments are in the zone of `zone_text`."""
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
    """Return in which time zone all that follows is told, as a sentence."""
    return f"Times are in {without_markup(code(post.digest.plan.schedule.zone, 60))}."


def notes(post: Post) -> list[str]:
    """Return what is to be said before the news, a line of mrkdwn each."""
    lines = [f"Sent now by {person_mrkdwn(post.asked_by_name)}."] if post.asked_by_name else []
    if post.slot and post.sent_at - post.slot.due_at >= LATE_FROM:
        lines.append(_late(post.slot, post))
    return [*lines, *_unposted(post)]


def preview_note(owners: int) -> str:
    """Return how a preview says that it is one; `owners` is whom the post itself would mention."""
    would = f" It would mention {plural(owners, 'owner')}." if owners else ""
    return f"👀 *Preview:* only you can see this, and nobody is mentioned.{would}"


def first_note(digest: Digest) -> str:
    """Return what a channel reads with the first post: by whom this is and how to change it.

    When it comes and what it is about stands right above it, see `about_mrkdwn`.
    """
    who = person_mrkdwn(digest.made_by_name)
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
    why = f": {failure_text(run.trouble)}" if run.trouble else ""
    match run.outcome:
        case Outcome.MISSED:
            return f"was missed{why}"
        case Outcome.UNCERTAIN:
            return f"may be missing here: {uncertain_text(run.trouble)}"
        case _:
            return f"was not posted{why}"
