"""Draw the portfolio: a table, worst first, in pages. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.blocks import builders as blocks
from bot.blocks.links import domain_url
from bot.blocks.message import SHARE, Block, Message
from bot.blocks.text import (
    SYMBOLS,
    age_text,
    average_text,
    bold,
    clip,
    code,
    host_text,
    moment_token,
    outside,
    plural,
    score_number,
)
from bot.dispatch.command_text import unescaped
from bot.domains.end_views import END_COLUMNS, as_of_text, coverage_text, end_cell, first_of
from bot.domains.kept_facts import KeptFacts, KnownFacts
from bot.domains.query import Query, Sort, facts_of_host, query_text
from bot.domains.service import Snapshot
from bot.tracker.health import Band, Summary, band_of, summary
from bot.tracker.hostnames import MAX_NAME_CHARS
from bot.tracker.models import Domain

# The table shows all of them at once: only the bot turns pages.
MAX_PAGE_ROWS = 25
SORTS_THIS_PAGE = (
    "The table sorts this page only. To sort the whole list, add `sort:name`, `sort:score`, or"
    " `sort:expiry`."
)
COLUMNS = ("Domain", "Health")
LABEL_COLUMNS = ("Folder", "Tags")
# With these a page of the longest names is below 10,000 characters, which older clients take.
MAX_FOLDER_CHARS, MAX_TAGS_CHARS = 30, 60
# Of the names of a page with their addresses: of longer ones the names alone are shown.
MAX_LINKS_CHARS = 5_000
SHARE_DOMAINS = f"{SHARE}.domains"
EXPORT_DOMAINS = "export.domains"
NO_DOMAINS = "Your portfolio has no domains yet. Add the first one."
MAX_OFFERED = 10  # tags or folders to name if a filter has an unknown one
_ORDERS = {
    Sort.SCORE: "worst first",
    Sort.NAME: "sorted by name",
    Sort.EXPIRY: "soonest to expire first",
}


def score_mrkdwn(score: float | None) -> str:
    """Return `🔴 41 poor`, or `⚪ no score yet`."""
    band = band_of(score)
    number = "" if score is None else f"{score_number(score)} "
    return f"{SYMBOLS[band]} {number}{band.value}"


def bands_text(totals: Summary) -> str:
    """Return `🟢 100 good, 🟡 20 fair, 🔴 5 poor`, without empty bands."""
    counts = ((band, totals.bands[band]) for band in Band)
    return ", ".join(f"{SYMBOLS[band]} {count:,} {band.value}" for band, count in counts if count)


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list of `count` pages; `number` counts from 1."""

    domains: Sequence[Domain]
    number: int
    count: int


def page_of(domains: Sequence[Domain], number: int) -> Page:
    """Return page `number` of `domains`, or the one nearest to it."""
    count = max(1, -(-len(domains) // MAX_PAGE_ROWS))
    number = max(1, min(number, count))
    start = (number - 1) * MAX_PAGE_ROWS
    return Page(domains[start : start + MAX_PAGE_ROWS], number, count)


def _table(page: Page, known: KnownFacts | None, query: Query, owned_type: str) -> Block:
    """Return the table, with end dates if any row has one.

    In a list about ends they follow the domain, where a phone shows them without scrolling.
    https://docs.slack.dev/reference/block-kit/blocks/data-table-block
    """
    dated = known if known and any(each.first for each in _scanned(page, known)) else None
    is_by_ends = query.order is Sort.EXPIRY or query.expires is not None
    column = 1 if is_by_ends else len(COLUMNS)
    titles = [*COLUMNS, *LABEL_COLUMNS]
    titles[column:column] = END_COLUMNS if dated else ()
    rows = [[blocks.raw_text(title) for title in titles]]
    for domain, name in zip(page.domains, _name_cells(page.domains), strict=True):
        cells = [name, *_cells(domain)]
        if dated:
            row = facts_of_host(domain, dated)
            ends = (row.registration, row.certificate) if row else (None, None)
            drawn = (end_cell(end, dated.now, is_owned=domain.may_be(owned_type)) for end in ends)
            cells[column:column] = [blocks.raw_number(*each) for each in drawn]
        rows.append(cells)
    return {
        "type": "data_table",
        "caption": "Domains",  # Slack insists on one
        "page_size": len(page.domains),
        "row_header_column_index": 0,
        "rows": rows,
    }


def _name_cells(domains: Sequence[Domain]) -> list[Block]:
    names = [clip(host_text(each.domain), MAX_NAME_CHARS) or "–" for each in domains]
    urls = [domain_url(each.domain, each.domain_id) or "" for each in domains]
    are_linked = sum(map(len, (*names, *urls))) <= MAX_LINKS_CHARS
    return [
        blocks.link_cell(name, url) if url and are_linked else blocks.raw_text(name)
        for name, url in zip(names, urls, strict=True)
    ]


def _cells(domain: Domain) -> list[Block]:
    score, band = domain.health_score, band_of(domain.health_score)
    number = band.value if score is None else score_number(score)
    return [
        # A column sorts by value only if every cell has one: an unknown score sorts below 0.
        blocks.raw_number(-1 if score is None else float(number), f"{SYMBOLS[band]} {number}"),
        blocks.raw_text(outside(domain.folder or "", MAX_FOLDER_CHARS) or "–"),
        blocks.raw_text(outside(", ".join(domain.tags), MAX_TAGS_CHARS) or "–"),
    ]


def _scanned(page: Page, known: KnownFacts) -> list[KeptFacts]:
    return [ends for domain in page.domains if (ends := facts_of_host(domain, known))]


def domains_message(
    snapshot: Snapshot,
    found: Sequence[Domain],
    query: Query,
    known: KnownFacts | None = None,
    owned_type: str = "",
    shared_by: str | None = None,
) -> Message:
    """Return the list of the domains that `query` found in `snapshot`, with the `known` dates.

    `shared_by` is the name of the person who shares it with a channel: then it has no buttons.
    """
    if not snapshot.domains:
        add = blocks.run_button("Add domain", "/adddomain", style="primary")
        return blocks.plain_message(NO_DOMAINS, add)
    if not found:
        return _nothing_found_message(snapshot, query, known)
    page = page_of(found, query.page)
    totals = summary(domain.health_score for domain in found)
    of_all = "" if len(found) == len(snapshot.domains) else f" of {len(snapshot.domains):,}"
    title = (
        f"{plural(len(found), 'domain')}{of_all}, {average_text(totals.average, 'average health')}"
    )
    top = [blocks.header(title), blocks.context(_subtitle(totals, query, page))]
    bottom = [
        *([blocks.context(SORTS_THIS_PAGE)] if page.count > 1 else []),
        blocks.context(
            f"{listed_text(snapshot)}{_dates_note(snapshot, query, page, known)}"
            + (f" Shared by {bold(shared_by, 80)}." if shared_by else "")
        ),
        *([] if shared_by else [*_pager(query, page), *_buttons(query, page)]),
    ]
    table = _table(page, known, query, owned_type)
    return Message(blocks.text_of([*top, table]), (*top, table, *bottom))


def outdated_message(
    message: Message, listed_at: datetime, now: datetime, query: Query
) -> Message:
    """Return the message of a list that is not the present one, headed by its age."""
    age = age_text((now - listed_at).total_seconds())
    notice = f"Domain Tracker is unavailable. This list is from {moment_token(listed_at)}, {age}."
    retry = blocks.run_button("Try again", _line(query, query.page), here=True)
    head = blocks.section(f"⚠️ {notice}", retry)
    return Message(f"{blocks.text_of([head])} {message.text}", (head, *message.blocks))


def _dates_note(snapshot: Snapshot, query: Query, page: Page, known: KnownFacts | None) -> str:
    """Return how old the dates of a page are, and how to scan what was never scanned."""
    if known is None or query.is_unscanned:
        return ""
    dated = [each for each in _scanned(page, known) if each.first]
    age = f" {as_of_text(dated, known.now)}" if dated else ""
    is_unclear = query.needs_ends or (dated and not query.is_filter)
    unknown = _unknown_text(snapshot, known, is_below_dates=bool(age)) if is_unclear else ""
    return f"{age} {unknown}".rstrip()


def _unknown_text(snapshot: Snapshot, known: KnownFacts, *, is_below_dates: bool = False) -> str:
    """Return for how many domains dates and issues are not known, and why."""
    coverage = known.coverage(snapshot.by_host)
    never = coverage.domains - coverage.scanned
    if not never or not coverage.dates == coverage.issues == coverage.scanned:
        return coverage_text(coverage, age=False)
    have, them = ("has", "it") if never == 1 else ("have", "them")
    none = "none" if is_below_dates else "no dates and issues"
    return f"{plural(never, 'domain')} {have} {none} until you scan {them}."


def _subtitle(totals: Summary, query: Query, page: Page) -> str:
    items = [bands_text(totals), _ORDERS[query.order]]
    if query.is_filter:
        items.append(f"filter {code(filter_text(query), 300)}")
    if page.count > 1:
        before = (page.number - 1) * MAX_PAGE_ROWS
        rows = f"rows {before + 1:,}–{before + len(page.domains):,}"
        items.append(f"page {page.number} of {page.count}, {rows}")
    return "  ·  ".join(items)


def listed_text(snapshot: Snapshot) -> str:
    """Return when the domains were listed, and how many entries were left out."""
    note = f"Updated {moment_token(snapshot.listed_at)}."
    if snapshot.skipped:
        note += f" Not shown: {plural(snapshot.skipped, 'entry', 'entries')} without a name."
    return note


def filter_text(query: Query) -> str:
    """Return the filter as typed: Slack and the buttons escape it."""
    return unescaped(query_text(replace(query, page=1)))


def _line(query: Query, number: int) -> str:
    return f"/domains {query_text(replace(query, page=number))}".strip()


def _pager(query: Query, page: Page) -> list[Block]:
    def to_page(label: str, number: int) -> Block | None:
        there = 1 <= number <= page.count
        return blocks.run_button(label, _line(query, number), here=True) if there else None

    return blocks.actions(
        to_page("Previous page", page.number - 1), to_page("Next page", page.number + 1)
    )


def _buttons(query: Query, page: Page) -> list[Block]:
    label, chosen = "Scan", "/scan"
    if query.is_unscanned:
        label, chosen = "Scan them", f"/scan {query_text(replace(query, sort=None, page=1))}"
    return blocks.actions(
        blocks.run_button(label, chosen),
        blocks.run_button("Add domain", "/adddomain"),
        blocks.button("Share", SHARE_DOMAINS, query_text(replace(query, page=page.number)) or " "),
        blocks.button("Export CSV", EXPORT_DOMAINS, query_text(replace(query, page=1)) or " "),
    )


def _nothing_found_message(snapshot: Snapshot, query: Query, known: KnownFacts | None) -> Message:
    total = plural(len(snapshot.domains), "domain")
    text = f"None of your {total} matches {code(filter_text(query), 300)}."
    note, scan = "", None
    if known and query.filters_by_result:
        coverage = known.coverage(snapshot.by_host)
        note = _unknown_text(snapshot, known)
        if never := coverage.domains - coverage.scanned:
            label = "Scan the rest" if coverage.scanned else f"Scan all {never:,}"
            scan = blocks.run_button(label, "/scan scanned:never", number=1)
        if not coverage.scanned:
            text = f"Nothing can match {code(filter_text(query), 300)} yet."
            note = f"None of your {total} was scanned, so end dates and issues are not known."
    lines = [text, *_offers(snapshot, query), *([note] if note else [])]
    all_domains = blocks.run_button("All domains", "/domains", here=True)
    return blocks.plain_message("\n".join(lines), scan, all_domains)


def _offers(snapshot: Snapshot, query: Query) -> list[str]:
    wanted = [
        *(("tag", tag, snapshot.tags) for tag in query.tags),
        ("folder", query.folder, snapshot.folders),
        ("type", query.domain_type, snapshot.domain_types),
    ]
    lines = []
    for kind, value, used in wanted:
        if value is not None and value.casefold() not in map(str.casefold, used):
            named = first_of([code(each, 60) for each in used], MAX_OFFERED)
            in_use = f"In use: {named}." if named else "None is in use."
            lines.append(f"No domain has the {kind} {code(value, 100)}. {in_use}")
    return lines
