"""Draw the posts of a digest: the digest, its details, its heartbeat, its announcement. Pure."""

from collections import Counter
from collections.abc import Sequence

from bot.blocks.builders import (
    actions,
    button,
    context,
    fields,
    header,
    message_of,
    plain_message,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import SYMBOLS, average_text, moment_token, outside, plural, score_number
from bot.digests.models import MAX_NAME_CHARS, Digest, Mode
from bot.digests.report import Post, Report, TrendPoint, has_changed, owners_to_mention
from bot.digests.views import changes, notes, wording
from bot.digests.views.tables import within_table, worst_table
from bot.domains.end_views import coverage_text
from bot.domains.views import bands_text
from bot.tracker.health import Band

MAX_POINTS = 20
MIN_POINTS = 3
SHOW_DETAILS = "digest.details"
NO_DETAILS = "A newer digest has replaced these details. Press `Details` on the latest one."
# Of the changes and the table together.
MAX_DETAILS_CHARS = 9_000


def trend_chart(trend: Sequence[TrendPoint]) -> list[Block]:
    """Return a chart of the average over time, or nothing for fewer than `MIN_POINTS`."""
    points = _points(trend)
    if len(points) < MIN_POINTS:
        return []
    first, *_, last = points.values()
    # Slack has no setting for the axis: the two flat lines keep it from 0 to 100.
    best, least = dict.fromkeys(points, 100.0), dict.fromkeys(points, 0.0)
    series = {"Average": points, "Best: 100": best, "Least: 0": least}
    return [
        {
            "type": "data_visualization",
            "title": f"Average health, last {len(points)} digests: {first:g} → {last:g}",
            "chart": {
                "type": "line",
                "series": [
                    {
                        "name": name,
                        "data": [
                            {"label": label, "value": value} for label, value in values.items()
                        ],
                    }
                    for name, values in series.items()
                ],
                "axis_config": {"categories": [*points], "y_label": "Average health (of 100)"},
            },
        }
    ]


def trend_line(trend: Sequence[TrendPoint]) -> str:
    """Return `average 69 → 65 over 4 digests`, or nothing for fewer than `MIN_POINTS`."""
    points = _points(trend)
    if len(points) < MIN_POINTS:
        return ""
    first, *_, last = points.values()
    return f"average {first:g} → {last:g} over {len(points)} digests"


def _points(trend: Sequence[TrendPoint]) -> dict[str, float]:
    """Return the latest averages by `20 Nov`, or `20 Nov (2)` for a second one of that day."""
    seen: Counter[str] = Counter()
    points = {}
    for point in trend[-MAX_POINTS:]:
        day = f"{point.local.day} {point.local:%b}"
        seen[day] += 1
        label = day if seen[day] == 1 else f"{day} ({seen[day]})"
        points[label] = float(score_number(point.average))
    return points


def title(report: Report, name: str = "") -> str:
    """Return `Health digest: 128 domains, average 83 ▲ +1.5`, or with the digest's own name."""
    called = outside(name, MAX_NAME_CHARS) or "Health digest"
    if not report.totals.count:
        return f"{called}: no domains"
    now, before = report.totals.average, None
    if report.before and not report.is_bounded:  # else they are averages of different domains
        before = report.before.average
    moved = "" if now is None or before is None else changes.delta_text(before, now)
    counted = plural(report.totals.count, "domain")
    return f"{called}: {counted}, {average_text(now)} {moved}".strip()


def news_blocks(
    report: Report, texts: Sequence[str], note: str, filter_text: str, trend: str = ""
) -> list[Block]:
    bands = _bands_mrkdwn(report) if report.totals.count else _nothing_there(filter_text)
    bands = "     ".join(filter(None, [bands, trend]))
    return _sections(bands, note, *texts)


def _nothing_there(filter_text: str) -> str:
    if filter_text:
        shown = wording.filter_mrkdwn(filter_text)
        return f"No domain matches {shown} now. To see others, change the filter with `Manage`."
    return "Your portfolio has no domains. Add one with `/adddomain`."


def _bands_mrkdwn(report: Report) -> str:
    now = report.totals.bands
    before = report.before.bands if report.before else now
    texts = []
    for band in (each for each in Band if now[each] or before[each]):
        more = now[band] - before[band]
        change = f" ({'+' if more > 0 else wording.MINUS}{abs(more):,})" if more else ""
        texts.append(f"{SYMBOLS[band]} *{now[band]:,}* {band.value}{change}")
    return "     ".join(texts)


def digest_message(post: Post) -> Message:
    """Return the post of a digest, or its preview, which has no buttons."""
    report, plan = post.report, post.digest.plan
    texts = changes.change_texts(report, post.sent_at, plan.filter_text)
    owners = owners_to_mention(report, plan.mentions)
    mentions = "" if post.is_preview else wording.owners_line(owners)
    note = f"🔔 {mentions}" if mentions else ""
    # Details do not say so: they no longer know what came nearer.
    if report.totals.count and not has_changed(report):
        least = plural(plan.rule.points, "point")
        note = (
            f"{_sign(report)}Nothing changed since the last digest: no score moved by {least} or"
            " got a new rating."
        )
    preview = notes.preview_note(len(wording.mention_tokens(owners))) if post.is_preview else ""
    top = (
        *_sections(preview),
        header(title(report, plan.name)),
        *_contexts(notes.filter_line(post), *notes.notes(post)),
        *_sections(notes.first_note(post.digest) if post.is_first else ""),
        *news_blocks(report, texts, note, plan.filter_text, trend_line(post.trend)),
    )
    known = coverage_text(report.coverage)
    foot = "\n".join(filter(None, [known, notes.about_mrkdwn(post), notes.footer_mrkdwn(post)]))
    if post.is_preview:
        return message_of(*top, *worst_table(report), context(foot))
    message = message_of(*top, *worst_table(report), *_buttons(post), context(foot))
    return changes.with_news(message, report, post.sent_at)


def details_message(post: Post) -> Message:
    """Return the rest of a digest for one person: long lists, the whole table, the trend."""
    plan = post.digest.plan
    texts = changes.change_texts(post.report, post.sent_at, plan.filter_text, is_long=True)
    report = within_table(post.report, MAX_DETAILS_CHARS - sum(map(len, texts)))
    top = (
        section(f"*Digest details*  ·  {moment_token(post.sent_at)}"),
        *_contexts(notes.filter_line(post)),
        *news_blocks(report, texts, "", plan.filter_text),
    )
    line = f"/domains {plan.filter_text}".strip()
    return message_of(
        *top,
        *worst_table(report),
        *trend_chart(post.trend),
        *actions(run_button("All domains", line), wording.manage_button(post.digest)),
        context(notes.about_mrkdwn(post)),
    )


def heartbeat_message(post: Post) -> Message:
    totals, silent = post.report.totals, post.digest.silent_runs
    what = "got worse" if post.digest.plan.mode is Mode.WORSE else "changed"
    coverage = post.report.coverage
    is_complete = coverage and coverage.is_complete and not post.report.unchecked
    known = "" if is_complete else "known "
    title = f"Nothing {known}{what} in the last {plural(max(silent, 1), 'run')}"
    counted = f"({plural(totals.count, 'domain')}, {average_text(totals.average)})"
    text = f"{_sign(post.report)}*{title}* {counted}.\n{bands_text(totals)}".strip()
    return message_of(
        section(text if totals.count else _nothing_there(post.digest.plan.filter_text)),
        *_contexts(
            coverage_text(post.report.coverage),
            changes.unchecked_text(post.report),
            notes.filter_line(post),
            notes.about_mrkdwn(post),
            *notes.notes(post),
        ),
        *actions(_rest_button(post.report), wording.manage_button(post.digest)),
        context(notes.footer_mrkdwn(post)),
    )


def announcement_message(digest: Digest, *, has_outsiders: bool = False) -> Message:
    """Return the announcement of a digest in a channel into which it was made or moved."""
    who = wording.person_mrkdwn(digest.made_by_name)  # possibly moved by another person
    kind = "alert" if digest.plan.is_alert else "health digest"
    title = f"🗓️ The {kind} of {who} is posted in this channel from now on."
    how = "To change, pause, or delete it, press `Manage` or type `/domaindigest`."
    return message_of(
        section(title),
        fields([*wording.plan_lines(digest.plan), _first_pair(digest)]),
        *actions(wording.manage_button(digest)),
        *([context(first)] if (first := wording.first_check_line(digest)) else []),
        context(f"{wording.OUTSIDERS} {how}" if has_outsiders else how),
    )


def told_message(digest: Digest, name: str, did: str, end: str = "") -> Message:
    called = wording.called_mrkdwn(digest.plan)
    symbol, _, verb = did.partition(" ")
    who = wording.person_mrkdwn(name)
    return plain_message(f"{symbol} {who} {verb} the digest {called}{end}.")


def greeting_message(resumed: Sequence[Digest]) -> Message:
    lines = [
        "👋 *Domain Tracker is in this channel.* A digest posts here what got worse, what expires"
        " soon, and what changed. `/domains` and `/scan example.com` answer you alone, until you"
        " press `Share`."
    ]
    lines += [
        f"▶️ The digest {wording.called_mrkdwn(each.plan)} goes on:"
        f" next {moment_token(each.next.due_at)}."
        for each in resumed
    ]
    return message_of(
        section("\n".join(lines)), *actions(button("Make a digest", wording.MAKE_DIGEST))
    )


def _first_pair(digest: Digest) -> tuple[str, str]:
    if digest.pause:
        return "State", wording.pause_text(digest.pause)
    first = "First check" if digest.plan.is_alert else "First digest"
    return first, moment_token(digest.next.due_at)


def _buttons(post: Post) -> list[Block]:
    manage = wording.manage_button(post.digest)
    if post.report.totals.count:
        rest = _rest_button(post.report)
        return actions(_details_button(post), _scan_button(post.report), rest, manage)
    if post.digest.plan.filter_text:
        return actions(run_button("All domains", "/domains"), manage)
    return actions(run_button("Add domain", "/adddomain", style="primary"), manage)


def _details_button(post: Post) -> Block | None:
    run = post.digest.run
    return button("Details", SHOW_DETAILS, f"{post.digest.digest_id}/{run.token}") if run else None


def _scan_button(report: Report) -> Block | None:
    hosts = (domain.domain for domain in report.worst if domain.domain_id)
    return next(filter(None, (wording.scan_button("Scan worst", host) for host in hosts)), None)


def _sign(report: Report) -> str:
    # Of well-being, only where scans know that nothing is wrong.
    return "✅ " if report.is_well else ""


def _rest_button(report: Report) -> Block | None:
    coverage = report.coverage
    if coverage is None or coverage.scanned == coverage.domains:
        return None
    return run_button("Scan the rest", "/scan scanned:never", number=1)


def _sections(*texts: str) -> list[Block]:
    return [section(text) for text in texts if text]


def _contexts(*lines: str) -> list[Block]:
    return [context(line) for line in lines if line]
