"""Draw the posts of a digest: the digest, its details, its heartbeat, its announcement. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime

from bot.digests.models import Digest, Mode
from bot.digests.report import MOVED_FROM, Post, Report, TrendPoint, has_changed, owners_to_mention
from bot.health import Band
from bot.hostnames import HostNameError, host_name
from bot.message import MAX_TEXT_CHARS, Block, Message
from bot.views.blocks import actions, button, context, fields, header, run_button, section
from bot.views.digests import changes, wording
from bot.views.digests.tables import within_table, worst_lines, worst_table, worst_text
from bot.views.domains import average_text, bands_text, summary_text
from bot.views.schedule import days_ahead, slot_text
from bot.views.text import (
    MAX_BUTTON_CHARS,
    SYMBOLS,
    clip,
    moment_token,
    plural,
    score_number,
    without_markup,
)

MAX_POINTS = 20
MIN_POINTS = 2
# label and value
Point = tuple[str, float]


def trend_chart(trend: Sequence[TrendPoint]) -> list[Block]:
    """Return a chart of the average over time, or nothing for fewer than two points."""
    points = _points(trend)
    if len(points) < MIN_POINTS:
        return []
    return [
        {
            "type": "data_visualization",
            "title": _title(points),
            "chart": {
                "type": "line",
                "series": [
                    {
                        "name": "Average",
                        "data": [{"label": label, "value": value} for label, value in points],
                    }
                ],
                "axis_config": {
                    "categories": [label for label, _ in points],
                    "y_label": "Average health (of 100)",
                },
            },
        }
    ]


def trend_text(trend: Sequence[TrendPoint]) -> str:
    """Return the average over time as a sentence, or nothing."""
    points = _points(trend)
    if len(points) < MIN_POINTS:
        return ""
    title = f"Average health, last {len(points)} digests"
    return f"{title}: {', '.join(f'{label} {value:g}' for label, value in points)}."


def point_labels(moments: Sequence[datetime]) -> list[str]:
    """Return `20 Nov` for each local moment, with the time or year where two are equal."""
    labels = [f"{moment.day} {moment:%b}" for moment in moments]
    for longer in ("%b %H:%M", "%b %Y %H:%M"):
        counts = Counter(labels)
        labels = [
            f"{moment.day} {moment:{longer}}" if counts[label] > 1 else label
            for moment, label in zip(moments, labels, strict=True)
        ]
    return _numbered(labels, moments)


def _title(points: Sequence[Point]) -> str:
    """Return `Average health, last 8 digests: 83 → 64.2`: the axis of a chart has no setting."""
    first, last = points[0][1], points[-1][1]
    return f"Average health, last {len(points)} digests: {first:g} → {last:g}"


def _points(trend: Sequence[TrendPoint]) -> list[Point]:
    latest = trend[-MAX_POINTS:]
    labels = point_labels([point.local for point in latest])
    averages = [float(score_number(point.average)) for point in latest]
    return list(zip(labels, averages, strict=True))


def _numbered(labels: Sequence[str], moments: Sequence[datetime]) -> list[str]:
    """Number the runs of the same minute."""
    counts = Counter(labels)
    seen: Counter[str] = Counter()
    numbered = []
    for label, moment in zip(labels, moments, strict=True):
        time = f"{moment.day} {moment:%b %H:%M}"
        seen[time] += counts[label] > 1
        numbered.append(f"{time} ({seen[time]})" if counts[label] > 1 else label)
    return numbered


_NOTHING_CHANGED = (
    f"Nothing changed since the last digest: no score moved by {MOVED_FROM} points or into"
    " another band."
)


def title(report: Report) -> str:
    """Return `Health digest: 128 domains, average 83 ▲ +1.5`."""
    if not report.totals.count:
        return "Health digest: no domains"
    counted = f"Health digest: {plural(report.totals.count, 'domain')}"
    now, before = _averages(report)
    moved = "" if now is None or before is None else changes.delta_text(before, now)
    return f"{counted}, average {average_text(report.totals)} {moved}".strip()


def title_text(report: Report) -> str:
    """Return `Health digest: 128 domains, average health 83, up 1.5: 5 poor (2 more), …`."""
    if not report.totals.count:
        return "Health digest: no domains."
    counted = f"Health digest: {plural(report.totals.count, 'domain')}"
    now, before = _averages(report)
    points = 0.0 if now is None or before is None else changes.rounded_delta(before, now)
    moved = f", {'up' if points > 0 else 'down'} {abs(points):g}" if points else ""
    bands = []
    for band, count, more in _bands(report):
        change = f" ({abs(more):,} {'more' if more > 0 else 'fewer'})" if more else ""
        bands.append(f"{count:,} {band.value}{change}")
    average = average_text(report.totals)
    return f"{counted}, average health {average}{moved}: {', '.join(bands)}."


def news_blocks(
    report: Report, groups: Sequence[wording.ChangeGroup], mentions: str, filter_text: str
) -> list[Block]:
    """Return the bands, the mentions and the changes."""
    there = report.totals.count
    texts = [_bands_mrkdwn(report) if there else _nothing_there(report, filter_text)]
    if not has_changed(report):
        texts.append(f"✅ {_NOTHING_CHANGED}")
    if mentions:
        texts.append(f"🔔 {mentions}")
    listed = [group.as_mrkdwn for group in groups if group.is_listed]
    others = "\n".join(group.as_mrkdwn for group in groups if not group.is_listed)
    return [section(text) for text in (*texts, *listed, others) if text]


def news_text(
    report: Report, groups: Sequence[wording.ChangeGroup], filter_text: str
) -> list[str]:
    """Return the changes as sentences; the bands are in the title."""
    texts = [] if report.totals.count else [without_markup(_nothing_there(report, filter_text))]
    if not has_changed(report):
        texts.append(_NOTHING_CHANGED)
    return [*texts, *(group.as_text for group in groups)]


def _nothing_there(report: Report, filter_text: str) -> str:
    if filter_text:
        return (
            f"No domain matches {wording.filter_mrkdwn(filter_text)} now. To see others, change"
            " the filter with `Manage`."
        )
    if report.before and report.before.count:
        return "Your portfolio no longer has any domains."
    return "Your portfolio has no domains yet. Add the first one with `/adddomain`."


def _averages(report: Report) -> tuple[float | None, float | None]:
    """Return the averages now and before; not before if the filter bounds scores.

    Such averages are of different domains.
    """
    if report.is_bounded:
        return report.totals.average, None
    return report.totals.average, report.before.average if report.before else None


def _bands(report: Report) -> list[tuple[Band, int, int]]:
    now = report.totals.bands
    before = report.before.bands if report.before else now
    return [
        (band, now[band], now[band] - before[band]) for band in Band if now[band] or before[band]
    ]


def _bands_mrkdwn(report: Report) -> str:
    texts = []
    for band, count, more in _bands(report):
        change = f" ({'+' if more > 0 else changes.MINUS}{abs(more):,})" if more else ""
        texts.append(f"{SYMBOLS[band]} *{count:,}* {band.value}{change}")
    return "     ".join(texts)


_CUT = "The message itself says more."
SHOW_DETAILS = "digest.details"
NO_DETAILS = "A newer digest has replaced these details. Press `Details` on the latest one."
# Of the changes and the table together.
MAX_DETAILS_CHARS = 9_000


def digest_message(post: Post) -> Message:
    """Return the post of a digest, or its preview, which has no buttons."""
    report, plan = post.report, post.digest.plan
    groups = changes.change_groups(report, post.sent_at, is_filtered=bool(plan.filter_text))
    owners = owners_to_mention(report, plan.mentions)
    mentions = "" if post.is_preview else wording.owners_line(owners)
    preview = changes.preview_note(len(wording.mention_tokens(owners))) if post.is_preview else ""
    top = (
        *_sections(preview),
        header(title(report)),
        *_contexts(changes.about_mrkdwn(post), *changes.notes(post)),
        *_sections(changes.first_note(post.digest) if post.is_first else ""),
        *news_blocks(report, groups, mentions, plan.filter_text),
    )
    bottom = (*([] if post.is_preview else _buttons(post)), context(changes.footer_mrkdwn(post)))
    chart = trend_chart(post.trend)
    return Message(
        text=_text(post, preview, mentions, groups),
        blocks=(*top, *worst_table(report), *chart, *bottom),
        plain=(*top, *worst_lines(report), *_contexts(trend_text(post.trend)), *bottom),
    )


def details_message(post: Post) -> Message:
    """Return the rest of a digest for one person: long lists and the whole table."""
    plan = post.digest.plan
    is_filtered = bool(plan.filter_text)
    groups = changes.change_groups(
        post.report, post.sent_at, is_filtered=is_filtered, is_long=True
    )
    left = MAX_DETAILS_CHARS - sum(len(group.as_mrkdwn) for group in groups)
    report = within_table(post.report, left)
    title = f"*Details of the digest of {moment_token(post.sent_at)}*"
    top = (
        section(title),
        *_contexts(changes.about_mrkdwn(post)),
        *news_blocks(report, groups, "", plan.filter_text),
    )
    line = f"/domains {plan.filter_text}".strip()
    bottom = actions(run_button("All domains", line), wording.manage_button(post.digest))
    news = news_text(report, groups, plan.filter_text)
    sentences = [f"{without_markup(title)}.", changes.zone_text(post), *news, worst_text(report)]
    return Message(
        text=_joined(sentences),
        blocks=(*top, *worst_table(report), *bottom),
        plain=(*top, *worst_lines(report), *bottom),
    )


def heartbeat_message(post: Post) -> Message:
    """Return the heartbeat after silent runs: nothing changed, or nothing got worse."""
    totals, silent = post.report.totals, post.digest.silent_runs
    what = "got worse" if post.digest.plan.mode is Mode.WORSE else "changed"
    title = f"Nothing {what} in the last {plural(max(silent, 1), 'run')}"
    counted = f"({plural(totals.count, 'domain')}, average {average_text(totals)})"
    before = [
        f"{title}: {summary_text(totals)}.",
        changes.zone_text(post),
        *map(without_markup, changes.notes(post)),
    ]
    return Message(
        text=_joined([*before, *changes.about_text(post)]),
        blocks=(
            section(f"✅ *{title}* {counted}.\n{bands_text(totals, with_symbols=True)}".strip()),
            *_contexts(changes.about_mrkdwn(post), *changes.notes(post)),
            *actions(wording.manage_button(post.digest)),
            context(changes.footer_mrkdwn(post)),
        ),
    )


def announcement_message(digest: Digest, now: datetime) -> Message:
    """Return the announcement of a digest that was created for a channel or moved into it."""
    who = wording.person_mrkdwn(digest.made_by_name)
    title = f"🗓️ {who} *set up a health digest for this channel.*"
    if digest.moved_at:  # possibly not by its creator
        title = f"🗓️ {who}*'s health digest is posted in this channel from now on.*"
    how = "To change, pause or delete it, press `Manage` or type `/domaindigest`."
    plan = "; ".join(f"{label}: {value}" for label, value in wording.plan_lines(digest.plan))
    plain_title = without_markup(title).removeprefix("🗓️ ")
    return Message(
        text=without_markup(f"{plain_title} {plan}. {_first_text(digest, now)} {how}"),
        blocks=(
            section(title),
            fields([*wording.plan_lines(digest.plan), _first_pair(digest)]),
            *actions(wording.manage_button(digest)),
            context(how),
        ),
    )


def _first_pair(digest: Digest) -> tuple[str, str]:
    if digest.pause is None:
        first = "First look" if digest.plan.is_alert else "First digest"
        return first, moment_token(digest.next.due_at)
    until = digest.pause.until
    return "State", f"Paused until {moment_token(until)}" if until else "Paused"


def _first_text(digest: Digest, now: datetime) -> str:
    zone = digest.plan.schedule.zone
    if digest.pause:
        until = digest.pause.until
        return (
            f"It is paused until {wording.local_text(until, zone)}." if until else "It is paused."
        )
    days = days_ahead(digest.next, now, zone)
    soon = f", in {plural(days, 'day')}" if days > 0 else ""
    return f"First on {slot_text(digest.next, zone)}{soon}."


def _text(post: Post, preview: str, mentions: str, groups: Sequence[wording.ChangeGroup]) -> str:
    """Return the whole digest in sentences, for notifications and screen readers."""
    report = post.report
    noted = [changes.zone_text(post), *map(without_markup, changes.notes(post))]
    first = [without_markup(changes.first_note(post.digest))] if post.is_first else []
    before = [without_markup(preview), title_text(report), *noted, *first, mentions]
    news = news_text(report, groups, post.digest.plan.filter_text)
    numbers = [worst_text(report), trend_text(post.trend)]
    return _joined([*before, *news, *numbers, *changes.about_text(post)])


def _joined(sentences: Iterable[str]) -> str:
    """Join whole sentences up to the limit of a message."""
    text = ""
    for sentence in filter(None, sentences):
        longer = f"{text} {sentence}".strip()
        if len(longer) > MAX_TEXT_CHARS - len(_CUT) - 1:
            return f"{text} {_CUT}"
        text = longer
    return text


def _buttons(post: Post) -> list[Block]:
    manage = wording.manage_button(post.digest)
    if post.report.totals.count:
        return actions(_details_button(post), _scan_button(post.report), manage)
    if post.digest.plan.filter_text:
        return actions(run_button("All domains", "/domains"), manage)
    return actions(run_button("Add domain", "/adddomain", style="primary"), manage)


def _details_button(post: Post) -> Block | None:
    run = post.digest.run
    value = f"{wording.digest_address(post.digest)}/{run.token}" if run else ""
    return button("Details", SHOW_DETAILS, value) if run else None


def _scan_button(report: Report) -> Block | None:
    for domain in report.worst:
        if domain.domain_id:
            with suppress(HostNameError):
                host = host_name(domain.domain)
                named = clip(f"Scan {host}", MAX_BUTTON_CHARS)
                return run_button("Scan worst", f"/scan {host}", accessibility_label=named)
    return None


def _sections(*texts: str) -> list[Block]:
    return [section(text) for text in texts if text]


def _contexts(*lines: str) -> list[Block]:
    return [context(line) for line in lines if line]
