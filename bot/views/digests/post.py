"""The posts of a digest: the digest itself, its sign of life, and what announces it. Pure."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from bot.digests.digest import Digest, Mode
from bot.digests.post import Post
from bot.digests.report import Report, owners_to_mention
from bot.hostnames import HostNameError, host_name
from bot.message import MAX_TEXT_CHARS, Block, Message
from bot.views.blocks import actions, context, fields, header, run_button, section
from bot.views.digests.changes import change_groups
from bot.views.digests.charts import bands_chart, trend_chart, trend_text
from bot.views.digests.groups import Group
from bot.views.digests.notes import (
    about_shown,
    about_spoken,
    first_note,
    footer_shown,
    notes,
    preview_note,
    zone_spoken,
)
from bot.views.digests.owners import mention_tokens, owners_line
from bot.views.digests.plan import (
    MANAGE_DIGEST,
    local_text,
    manage_button,
    person_shown,
    plan_lines,
    spoken,
)
from bot.views.digests.summary import average_text, news_blocks, news_spoken, title, title_spoken
from bot.views.digests.table import worst_lines, worst_spoken, worst_table
from bot.views.health import bands_text, summary_text
from bot.views.schedule import days_ahead, slot_text
from bot.views.text import MAX_BUTTON_CHARS, clip, moment_token, plural

__all__ = ["MANAGE_DIGEST", "announcement_message", "digest_message", "heartbeat_message"]

_CUT = "The message itself says more."


def digest_message(post: Post) -> Message:
    """Return a digest as it is posted, or as its preview, which has no buttons."""
    report, plan = post.report, post.digest.plan
    groups = change_groups(report, is_filtered=bool(plan.filter_text))
    owners = owners_to_mention(report, plan.mentions)
    calling = "" if post.is_preview else owners_line(owners)
    preview = preview_note(len(mention_tokens(owners))) if post.is_preview else ""
    top = (
        *_sections(preview),
        header(title(report)),
        *_contexts(about_shown(post), *notes(post)),
        *_sections(first_note(post.digest) if post.is_first else ""),
        *news_blocks(report, groups, calling, plan.filter_text),
    )
    bottom = (*([] if post.is_preview else _buttons(post)), context(footer_shown(post)))
    charts = (*trend_chart(post.trend), *bands_chart(report))
    return Message(
        text=_text(post, preview, calling, groups),
        blocks=(*top, *worst_table(report), *charts, *bottom),
        plain=(*top, *worst_lines(report), *_contexts(trend_text(post.trend)), *bottom),
    )


def heartbeat_message(post: Post) -> Message:
    """Return the sign of life after silent runs: that nothing changed, or nothing got worse."""
    totals, silent = post.report.totals, post.digest.silent_runs
    what = "got worse" if post.digest.plan.mode is Mode.WORSE else "changed"
    told = f"Nothing {what} in the last {plural(max(silent, 1), 'run')}"
    counted = f"({plural(totals.count, 'domain')}, average {average_text(totals)})"
    before = [f"{told}: {summary_text(totals)}.", zone_spoken(post), *map(spoken, notes(post))]
    return Message(
        text=_joined([*before, *about_spoken(post)]),
        blocks=(
            section(f"✅ *{told}* {counted}.\n{bands_text(totals, with_symbols=True)}".strip()),
            *_contexts(about_shown(post), *notes(post)),
            *actions(manage_button(post.digest)),
            context(footer_shown(post)),
        ),
    )


def announcement_message(digest: Digest, now: datetime) -> Message:
    """Return what a channel reads, at `now`, when a digest was made for it or moved into it."""
    who = person_shown(digest.made_by_name)
    title = f"🗓️ {who} *set up a health digest for this channel.*"
    if digest.moved_at:  # maybe by somebody else than who made it
        title = f"🗓️ *A health digest of* {who} *comes here from now on.*"
    how = "To change, pause or delete it, press `Manage` or type `/domaindigest`."
    told = "; ".join(f"{label}: {value}" for label, value in plan_lines(digest.plan))
    said = spoken(title).removeprefix("🗓️ ")
    return Message(
        text=spoken(f"{said} {told}. {_first_spoken(digest, now)} {how}"),
        blocks=(
            section(title),
            fields([*plan_lines(digest.plan), _first_shown(digest)]),
            *actions(manage_button(digest)),
            context(how),
        ),
    )


def _first_shown(digest: Digest) -> tuple[str, str]:
    """Label and mrkdwn of when the first one comes; of a paused one nobody knows that."""
    if digest.pause is None:
        return "First digest", moment_token(digest.next.due_at)
    until = digest.pause.until
    return "State", f"Paused until {moment_token(until)}" if until else "Paused"


def _first_spoken(digest: Digest, now: datetime) -> str:
    zone = digest.plan.schedule.zone
    if digest.pause:
        until = digest.pause.until
        return f"It is paused until {local_text(until, zone)}." if until else "It is paused."
    days = days_ahead(digest.next, now, zone)
    soon = f", in {plural(days, 'day')}" if days > 0 else ""
    return f"First on {slot_text(digest.next, zone)}{soon}."


def _text(post: Post, preview: str, calling: str, groups: Sequence[Group]) -> str:
    """The whole digest in sentences, as notifications and screen readers get it."""
    report = post.report
    noted = [zone_spoken(post), *map(spoken, notes(post))]
    before = [spoken(preview), title_spoken(report), *noted, calling]
    news = news_spoken(report, groups, post.digest.plan.filter_text)
    first = [spoken(first_note(post.digest))] if post.is_first else []
    numbers = [worst_spoken(report), trend_text(post.trend)]
    return _joined([*before, *news, *first, *numbers, *about_spoken(post)])


def _joined(sentences: Iterable[str]) -> str:
    """As many of the sentences as a text may hold; whole ones only, as half a mention is none."""
    text = ""
    for sentence in filter(None, sentences):
        longer = f"{text} {sentence}".strip()
        if len(longer) > MAX_TEXT_CHARS - len(_CUT) - 1:
            return f"{text} {_CUT}"
        text = longer
    return text


def _buttons(post: Post) -> list[Block]:
    manage = manage_button(post.digest)
    if post.report.totals.count:
        return actions(_scan_button(post.report), manage)
    if post.digest.plan.filter_text:
        return actions(run_button("All domains", "/domains"), manage)
    return actions(run_button("Add domain", "/adddomain", style="primary"), manage)


def _scan_button(report: Report) -> Block | None:
    """Scans the worst domain that can be scanned: it has an id, and a name to type."""
    for domain in report.worst:
        host = _host(domain.domain)
        if domain.domain_id and host:
            named = clip(f"Scan {host}", MAX_BUTTON_CHARS)
            return run_button("Scan worst", f"/scan {host}", accessibility_label=named)
    return None


def _host(name: str) -> str | None:
    try:
        return host_name(name)
    except HostNameError:
        return None


def _sections(*texts: str) -> list[Block]:
    return [section(text) for text in texts if text]


def _contexts(*lines: str) -> list[Block]:
    return [context(line) for line in lines if line]
