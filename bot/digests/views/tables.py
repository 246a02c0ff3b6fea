"""Draw the domains of a digest as a table and as lines, and the list of digests. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain

from bot.blocks.builders import (
    actions,
    button,
    confirm,
    context,
    link_cell,
    notice,
    raw_number,
    raw_text,
    section,
)
from bot.blocks.links import domain_url
from bot.blocks.message import Block, table_lines
from bot.blocks.text import (
    MAX_TABLE_ROWS,
    SYMBOLS,
    clip,
    code,
    escaped,
    host_text,
    lines_within,
    plural,
    score_number,
)
from bot.digests.line import has_more, line_of
from bot.digests.models import MAX_PER_CHANNEL, Digest, Snoozes
from bot.digests.report import Report
from bot.digests.views.alert import SNOOZE_ALL, WAKE_ALL, snooze_menu, snooze_text
from bot.digests.views.changes import delta_text, rounded_delta
from bot.digests.views.modal import BACK, MAX_LINE_CHARS, SAVING
from bot.digests.views.schedule import schedule_text
from bot.digests.views.wording import (
    INVITE,
    OUTSIDERS,
    called_mrkdwn,
    digest_button,
    filter_mrkdwn,
    last_run_line,
    mode_text,
    reminder_text,
    state_lines,
)
from bot.slack.channels import Channel
from bot.slack.client import Member
from bot.tracker.health import band_of
from bot.tracker.models import Domain

TITLE = "Health digests"
NEW, CHANGE, SEND, PREVIEW = "digests.new", "digests.change", "digests.send", "digests.preview"
PAUSE, RESUME, DELETE = "digests.pause", "digests.resume", "digests.delete"
MAX_HOST_CHARS = 100


def list_form(
    digests: Sequence[Digest],
    channel: Channel | None,
    member: Member,
    now: datetime,
    *,
    silences: Mapping[str, Snoozes],
    note: str,
    metadata: str,
) -> Block:
    """Return the form of a channel's digests for a member; `metadata` comes back with it.

    `channel` is `None` for a direct message or a private channel without the bot: there members
    change only their own digests. `silences` are those of alerts, by the digest's id. `note` is
    mrkdwn about the last action.
    """
    blocks = [section(note)] if note else []
    blocks.append(section(_heading(digests, channel), button("New", NEW, style="primary")))
    blocks += map(context, _hints(channel))
    for digest in digests[:MAX_PER_CHANNEL]:
        snoozes = silences.get(digest.digest_id)
        text, details = _digest_texts(digest, now, member.zone, snoozes or ())
        blocks.append({"type": "divider"})
        if channel or digest.made_by == member.user_id:
            change = digest_button("Change", CHANGE, digest)
            blocks += [section(text, change), context(details), *_digest_buttons(digest, snoozes)]
        else:
            blocks += [section(text), context(details)]
    return notice(TITLE, blocks, metadata=metadata)


def busy_form(words: str, metadata: str) -> Block:
    return notice(TITLE, [section(f"⏳ {words}")], metadata=metadata)


def saving_form() -> Block:
    return busy_form(SAVING, "")


def error_form(mrkdwn: str, metadata: str, way_out: str = "Back") -> Block:
    """Return the form with an error; the button `way_out` asks for the list."""
    return notice(TITLE, [section(mrkdwn), *actions(button(way_out, BACK))], metadata=metadata)


def _heading(digests: Sequence[Digest], channel: Channel | None) -> str:
    where = f"in #{escaped(channel.name, 90)}" if channel else "here"
    own = sum(digest.plan.is_own for digest in digests)
    alone = f", {own:,} for you alone" if own else ""
    if digests:
        return f"*{plural(len(digests) - own, 'digest')} {where}{alone}*"
    return (
        f"*No digests {where} yet*\nA digest is a scheduled post, on days and at a time you"
        " choose. It says what got worse, what expires soon, and which domains are worst."
    )


def _hints(channel: Channel | None) -> list[str]:
    hints = []
    if channel is None:
        hints.append(
            "⚠️ This is a direct message, or a private channel without the app."
            f" In a channel type {INVITE}, or press `New` and choose another channel."
        )
    elif channel.is_archived:
        hints.append(
            "⚠️ This channel is archived. To bring its digests back, unarchive it, type"
            f" {INVITE} in it, and press `Resume`."
        )
    elif not channel.has_bot:
        hints.append(
            f"⚠️ The app is not in this channel. Type {INVITE} here, or press `New` and choose"
            " another channel."
        )
    if channel and channel.is_shared:
        hints.append(OUTSIDERS)
    return hints


def _digest_texts(
    digest: Digest, now: datetime, zone: str | None, snoozes: Snoozes
) -> tuple[str, str]:
    """Return the state of a digest, for a reader in a zone, and its details."""
    plan = digest.plan
    parts = [f"Filter: {filter_mrkdwn(plan.filter_text)}", f"Post: {mode_text(plan)}"]
    if plan.mentions:
        parts.append(plural(len(plan.mentions), "mention rule"))
    if plan.reminder:
        parts.append(f"{reminder_text(plan.reminder)} if no one is on it")
    called = called_mrkdwn(plan) if plan.name else f"*{schedule_text(plan.schedule)}*"
    snoozed = [snooze_text(*each) for each in snoozes]
    line = f"In one line: {code(line_of(plan), MAX_LINE_CHARS)}"
    line += " and what `More options` holds" if has_more(plan) else ""
    details = ["  ·  ".join(parts), last_run_line(digest), *snoozed, line]
    return "\n".join([called, *state_lines(digest, now, zone)]), "\n".join(details)


def _digest_buttons(digest: Digest, snoozes: Snoozes | None) -> list[Block]:
    """Return the buttons; `snoozes` are those of an alert, `None` for a digest."""
    whose = "." if digest.plan.is_own else " for the whole channel."
    question = confirm(
        "Delete this digest?",
        f"This deletes the digest and its history{whose} To stop it for a while, choose Pause.",
        "Delete",
    )
    turn = ("Resume", RESUME) if digest.pause else ("Pause", PAUSE)
    snooze = None
    if snoozes is not None:
        menu = snooze_menu(SNOOZE_ALL, digest.digest_id, "for all domains of this alert")
        snooze = digest_button("End snooze", WAKE_ALL, digest) if snoozes else menu
    return actions(
        digest_button("Send now", SEND, digest),
        digest_button("Preview", PREVIEW, digest),
        digest_button(*turn, digest),
        digest_button("Delete", DELETE, digest, confirm=question),
        snooze,
    )


def worst_title(report: Report) -> str:
    """Return `Worst 10 of 128 domains`, or that all, or all with a score, are shown."""
    count, shown = report.totals.count, len(report.worst)
    if shown == count:
        return "The only domain" if count == 1 else f"All {count:,} domains, worst first"
    if shown == count - len(report.unknown):
        return f"{plural(shown, 'domain')} with a score{', worst first' if shown > 1 else ''}"
    return f"Worst {shown:,} of {count:,} domains"


def worst_table(report: Report) -> list[Block]:
    """Return the table of the worst domains, or nothing without domains.

    https://docs.slack.dev/reference/block-kit/blocks/data-table-block
    """
    if not report.worst:
        return []
    titles = ["Domain", "Health", *(["Change"] if report.since else [])]
    return [
        {
            "type": "data_table",
            "caption": worst_title(report),
            "page_size": min(len(report.worst), MAX_TABLE_ROWS),
            "row_header_column_index": 0,
            "rows": [
                [raw_text(title) for title in titles],
                *(_row(domain, report) for domain in report.worst[:MAX_TABLE_ROWS]),
            ],
        }
    ]


def within_table(report: Report, max_chars: int) -> Report:
    """Return the report with as many of its worst domains as a table of that size holds."""
    lines = lines_within(chain.from_iterable(map(table_lines, worst_table(report))), max_chars)
    return replace(report, worst=report.worst[: len(lines)])


def _row(domain: Domain, report: Report) -> list[Block]:
    score = score_number(domain.health_score or 0)  # the worst domains all have a score
    symbol = SYMBOLS[band_of(domain.health_score)]
    name = clip(host_text(domain.domain) or "–", MAX_HOST_CHARS)
    cells = [link_cell(name, domain_url(domain.domain, domain.domain_id))]
    cells.append(raw_number(float(score), f"{symbol} {score}"))
    return [*cells, _change_cell(domain, report)] if report.since else cells


def _change_cell(domain: Domain, report: Report) -> Block:
    before, after = report.before_of.get(domain.domain), domain.health_score or 0
    if before is None:
        return raw_number(0, "new" if domain in report.new else "first score")
    return raw_number(rounded_delta(before, after), delta_text(before, after) or "–")
