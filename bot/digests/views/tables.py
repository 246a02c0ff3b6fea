"""Draw the domains of a digest as a table and as lines, and the list of digests. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from bot.tracker.health import band_of
from bot.tracker.models import Domain

TITLE = "Health digests"
NEW, CHANGE, SEND, PREVIEW = "digests.new", "digests.change", "digests.send", "digests.preview"
PAUSE, RESUME, DELETE = "digests.pause", "digests.resume", "digests.delete"


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestList:
    """The digests of a channel, for one reader.

    `channel` is `None` for a direct message or a private channel without the bot: there readers
    change only their own digests. `note` is mrkdwn about the last action. `silences` are those of
    alerts, by the digest's id.
    """

    digests: Sequence[Digest]
    channel: Channel | None
    now: datetime
    reader_id: str = ""
    reader_zone: str | None = None
    note: str = ""
    silences: Mapping[str, Snoozes] = field(default_factory=dict)


def list_form(listed: DigestList, metadata: str) -> Block:
    """Return the form; `metadata` comes back with its buttons."""
    blocks = [section(listed.note)] if listed.note else []
    blocks.append(section(_heading(listed), button("New", NEW, style="primary")))
    blocks += map(context, _hints(listed))
    for digest in listed.digests[:MAX_PER_CHANNEL]:
        blocks += [{"type": "divider"}, *_digest_blocks(digest, listed)]
    return notice(TITLE, blocks, metadata=metadata)


def busy_form(words: str, metadata: str) -> Block:
    return notice(TITLE, [section(f"⏳ {words}")], metadata=metadata)


def saving_form() -> Block:
    return busy_form(SAVING, "")


def error_form(mrkdwn: str, metadata: str, way_out: str = "Back") -> Block:
    """Return the form with an error; the button `way_out` asks for the list."""
    return notice(TITLE, [section(mrkdwn), *actions(button(way_out, BACK))], metadata=metadata)


def _heading(listed: DigestList) -> str:
    where = f"in #{escaped(listed.channel.name, 90)}" if listed.channel else "here"
    own = sum(digest.plan.is_own for digest in listed.digests)
    if there := len(listed.digests) - own:
        return f"*{plural(there, 'digest')} {where}{f', {own:,} for you alone' if own else ''}*"
    if own:
        return f"*No digests {where} yet, {own:,} for you alone*"
    return (
        f"*No digests {where} yet*\nA digest is a scheduled post, on days and at a time you"
        " choose. It says what got worse, what expires soon, and which domains are worst."
    )


def _hints(listed: DigestList) -> list[str]:
    hints = []
    channel = listed.channel
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


def _digest_blocks(digest: Digest, listed: DigestList) -> list[Block]:
    plan = digest.plan
    parts = [f"Filter: {filter_mrkdwn(plan.filter_text)}", f"Post: {mode_text(plan)}"]
    if plan.mentions:
        parts.append(plural(len(plan.mentions), "mention rule"))
    if plan.reminder:
        parts.append(f"{reminder_text(plan.reminder)} if no one is on it")
    state = state_lines(digest, listed.now, listed.reader_zone)
    called = called_mrkdwn(plan) if plan.name else f"*{schedule_text(plan.schedule)}*"
    text = "\n".join([called, *state])
    silences = listed.silences.get(digest.digest_id)
    snoozed = [snooze_text(*each) for each in silences.snoozes] if silences else []
    line = f"In one line: {code(line_of(plan), MAX_LINE_CHARS)}"
    line += " and what `More options` holds" if has_more(plan) else ""
    details = context("\n".join(["  ·  ".join(parts), last_run_line(digest), *snoozed, line]))
    is_own = digest.made_by == listed.reader_id
    if not (listed.channel or is_own):
        return [section(text), details]
    change = digest_button("Change", CHANGE, digest)
    return [section(text, change), details, *_digest_buttons(digest, silences)]


def _digest_buttons(digest: Digest, silences: Snoozes | None) -> list[Block]:
    whose = "." if digest.plan.is_own else " for the whole channel."
    question = confirm(
        "Delete this digest?",
        f"This deletes the digest and its history{whose} To stop it for a while, choose Pause.",
        "Delete",
    )
    turn = ("Resume", RESUME) if digest.pause else ("Pause", PAUSE)
    return actions(
        digest_button("Send now", SEND, digest),
        digest_button("Preview", PREVIEW, digest),
        digest_button(*turn, digest),
        digest_button("Delete", DELETE, digest, confirm=question),
        _snooze_element(digest, silences) if silences else None,
    )


def _snooze_element(digest: Digest, silences: Snoozes) -> Block | None:
    if silences.snoozes:
        return digest_button("End snooze", WAKE_ALL, digest)
    whose = "for all domains of this alert"
    return snooze_menu(SNOOZE_ALL, digest.digest_id, whose, until_recovered=silences.has_open_card)


MAX_HOST_CHARS = 100
# the value to sort by, and the text
Change = tuple[float, str]


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
    changes = _changes(report)
    titles = ["Domain", "Health", *(["Change"] if changes is not None else [])]
    return [
        {
            "type": "data_table",
            "caption": worst_title(report),
            "page_size": min(len(report.worst), MAX_TABLE_ROWS),
            "row_header_column_index": 0,
            "rows": [
                [raw_text(title) for title in titles],
                *(_row(domain, changes) for domain in report.worst[:MAX_TABLE_ROWS]),
            ],
        }
    ]


def within_table(report: Report, max_chars: int) -> Report:
    """Return the report with as many of its worst domains as a table of that size holds."""
    lines = lines_within(chain.from_iterable(map(table_lines, worst_table(report))), max_chars)
    return replace(report, worst=report.worst[: len(lines)])


def _row(domain: Domain, changes: dict[str, Change] | None) -> list[Block]:
    score = score_number(domain.health_score or 0)  # the worst domains all have a score
    symbol = SYMBOLS[band_of(domain.health_score)]
    name = clip(host_text(domain.domain) or "–", MAX_HOST_CHARS)
    url = domain_url(domain.domain, domain.domain_id)
    cells = [link_cell(name, url) if url else raw_text(name)]
    cells.append(raw_number(float(score), f"{symbol} {score}"))
    if changes is not None:
        cells.append(raw_number(*changes.get(domain.domain, (0, "–"))))
    return cells


def _changes(report: Report) -> dict[str, Change] | None:
    """Return the change of each domain by name, `None` without an earlier digest."""
    if report.since is None:
        return None
    return (
        {domain.domain: (0, "new") for domain in report.new}
        | {move.domain.domain: (0, "first score") for move in report.found}
        | {
            domain.domain: _moved(report.before_of[domain.domain], domain.health_score or 0)
            for domain in report.worst
            if domain.domain in report.before_of
        }
    )


def _moved(before: float, after: float) -> Change:
    return rounded_delta(before, after), delta_text(before, after) or "–"
