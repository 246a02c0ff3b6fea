"""The portfolio as a message: a table, worst first, in pages. Pure."""

from collections.abc import Sequence

from bot.health import summary
from bot.message import SHARE, Block, Message
from bot.portfolio.query import Query, Sort, query_text
from bot.portfolio.snapshot import Snapshot
from bot.tracker.models import Domain
from bot.views.blocks import actions, button, context, header, paragraphs, run_button, section
from bot.views.domains_table import Page, domains_table, page_of
from bot.views.health import bands_text, score_text, score_words, summary_text
from bot.views.text import (
    code,
    escaped,
    moment_token,
    plural,
    score_number,
)
from bot.words import unescaped

SHARE_DOMAINS = f"{SHARE}.domains"
MAX_WORST_IN_TEXT = 5
MAX_PLAIN_CHARS = 9_000
MAX_OFFERED = 10
"""How many tags or folders are named when a filter names one that nobody uses."""


def domains_message(
    snapshot: Snapshot,
    found: Sequence[Domain],
    query: Query,
    *,
    shared_by: str | None = None,
) -> Message:
    """Return the message that lists `found`, which `query` chose from `snapshot` in its order.

    `shared_by` is the name of whoever shows it to a channel: then it has no buttons.
    """
    if not snapshot.domains:
        return _empty_portfolio_message()
    if not found:
        return _nothing_found_message(snapshot, query)
    page = page_of(found, query.page)
    top = [header(_title(found, snapshot)), context(_subtitle(found, query, page))]
    bottom = [
        context(_footnote(snapshot, shared_by)),
        *([] if shared_by else _buttons(query, page)),
    ]
    return Message(
        text=_text(found, query, page),
        blocks=(*top, domains_table(page, _order(query)), *bottom),
        plain=(*top, *_plain_rows(page), *bottom),
    )


def _plain_rows(page: Page) -> list[Block]:
    lines: list[str] = []
    chars = 0
    for domain in page.domains:
        line = f"{score_text(domain.health_score)}  {code(domain.domain, 253)}"
        chars += len(line) + 1
        if chars > MAX_PLAIN_CHARS:
            break
        lines.append(line)
    left_out = len(page.domains) - len(lines)
    return [
        *paragraphs(lines),
        *([context(f"and {left_out:,} more on this page")] if left_out else []),
    ]


def _title(found: Sequence[Domain], snapshot: Snapshot) -> str:
    totals = summary(domain.health_score for domain in found)
    average = "unknown" if totals.average is None else score_number(totals.average)
    of_all = "" if len(found) == len(snapshot.domains) else f" of {len(snapshot.domains):,}"
    return f"{plural(len(found), 'domain')}{of_all}, average health {average}"


def _subtitle(found: Sequence[Domain], query: Query, page: Page) -> str:
    totals = summary(domain.health_score for domain in found)
    parts = [bands_text(totals, with_symbols=True), _order(query)]
    if query.is_filter:
        parts.append(f"filter {code(_filter_text(query), 300)}")
    if page.count > 1:
        last = page.first + len(page.domains) - 1
        parts.append(f"page {page.number} of {page.count}, rows {page.first:,}–{last:,}")
    return "  ·  ".join(parts)


def _footnote(snapshot: Snapshot, shared_by: str | None) -> str:
    note = f"As listed {moment_token(snapshot.listed_at)}."
    if snapshot.skipped:
        note += f" {plural(snapshot.skipped, 'entry', 'entries')} without a name left out."
    return f"{note} Shared by {code(shared_by, 80)}." if shared_by else note


def _filter_text(query: Query) -> str:
    """The filter as people type it: only Slack, and the buttons, escape it."""
    return unescaped(query_text(query.on_page(1)))


def _order(query: Query) -> str:
    return "by name" if query.sort is Sort.NAME else "worst first"


def _text(found: Sequence[Domain], query: Query, page: Page) -> str:
    summed = summary_text(summary(domain.health_score for domain in found))
    known = sorted(
        (domain for domain in found if domain.health_score is not None),
        key=lambda domain: domain.health_score or 0,
    )
    worst = ", ".join(
        f"{escaped(domain.domain, 253)} {score_words(domain.health_score)}"
        for domain in known[:MAX_WORST_IN_TEXT]
    )
    chosen = f" (filter: {escaped(_filter_text(query), 300)})" if query.is_filter else ""
    paged = f" Page {page.number} of {page.count}." if page.count > 1 else ""
    return f"{summed}{chosen}.{f' Worst: {worst}.' if worst else ''}{paged}"


def _buttons(query: Query, page: Page) -> list[Block]:
    def to_page(label: str, number: int) -> Block | None:
        there = 1 <= number <= page.count
        line = f"/domains {query_text(query.on_page(number))}"
        return run_button(label, line.strip(), here=True) if there else None

    return actions(
        to_page("Previous page", page.number - 1),
        to_page("Next page", page.number + 1),
        run_button("Scan", "/scan"),
        run_button("Add domain", "/adddomain"),
        button("Share", SHARE_DOMAINS, query_text(query.on_page(page.number)) or " "),
    )


def _empty_portfolio_message() -> Message:
    text = "Domain Tracker watches no domains for this workspace yet. Add the first one."
    return Message(
        text, (section(text), *actions(run_button("Add domain", "/adddomain", style="primary")))
    )


def _nothing_found_message(snapshot: Snapshot, query: Query) -> Message:
    total = plural(len(snapshot.domains), "domain")
    text = f"None of your {total} matches {code(_filter_text(query), 300)}."
    offers = list(_offers(snapshot, query))
    return Message(
        text=f"None of your {total} matches {escaped(_filter_text(query), 300)}.",
        blocks=(
            section("\n".join([text, *offers])),
            *actions(run_button("All domains", "/domains", here=True)),
        ),
    )


def _offers(snapshot: Snapshot, query: Query) -> list[str]:
    wanted = [("tag", tag, snapshot.tags) for tag in query.tags]
    if query.folder is not None:
        wanted.append(("folder", query.folder, snapshot.folders))
    if query.domain_type is not None:
        wanted.append(("type", query.domain_type, snapshot.domain_types))
    return [
        f"No domain has the {kind} {code(value, 100)}. {_in_use(kind, used)}"
        for kind, value, used in wanted
        if value.casefold() not in map(str.casefold, used)
    ]


def _in_use(kind: str, used: Sequence[str]) -> str:
    if not used:
        return f"None has a {kind} at all."
    named = ", ".join(code(value, 60) for value in used[:MAX_OFFERED])
    more = f" and {len(used) - MAX_OFFERED:,} more" if len(used) > MAX_OFFERED else ""
    return f"In use: {named}{more}."
