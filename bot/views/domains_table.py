"""The portfolio as a table, cut into pages that Slack takes. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.message import Block
from bot.tracker.models import Domain
from bot.views.health import score_text
from bot.views.text import (
    MAX_TABLE_CHARS,
    MAX_TABLE_ROWS,
    clip,
    host_shown,
    outside,
    score_number,
)

COLUMNS = ("Domain", "Health", "State", "Folder", "Tags")


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a list; `number` counts from 1 and `first` is the first row's place, from 1."""

    domains: Sequence[Domain]
    number: int
    count: int
    first: int


def page_of(domains: Sequence[Domain], number: int) -> Page:
    """Return page `number` of `domains`, or the last one when there are not so many.

    A page holds a hundred rows, fewer where long names would make the table too large.
    """
    starts = _page_starts(domains)
    number = min(number, len(starts))
    start = starts[number - 1]
    end = starts[number] if number < len(starts) else len(domains)
    return Page(domains[start:end], number, len(starts), start + 1)


def _page_starts(domains: Sequence[Domain]) -> list[int]:
    starts, rows, chars = [0], 0, 0
    for place, domain in enumerate(domains):
        size = sum(map(len, _cells(domain)))
        if rows == MAX_TABLE_ROWS or chars + size > MAX_TABLE_CHARS:
            starts.append(place)
            rows, chars = 0, 0
        rows, chars = rows + 1, chars + size
    return starts


def _cells(domain: Domain) -> tuple[str, str, str, str, str]:
    number = "–" if domain.health_score is None else score_number(domain.health_score)
    state, _, word = score_text(domain.health_score).rpartition(" ")
    return (
        host_shown(domain.domain) or "–",
        number,
        f"{state.split()[0]} {word}",
        outside(domain.folder or "", 40) or "–",
        outside(", ".join(domain.tags), 80) or "–",
    )


def domains_table(page: Page, order: str) -> Block:
    """https://docs.slack.dev/reference/block-kit/blocks/data-table-block."""
    rows = [[_raw_text(title) for title in COLUMNS]]
    for domain in page.domains:
        name, number, *rest = _cells(domain)
        rows.append([_raw_text(name), _score_cell(domain, number), *map(_raw_text, rest)])
    return {
        "type": "data_table",
        "caption": clip(f"Domains and their health, {order}", 150),
        "page_size": 10,
        "row_header_column_index": 0,
        "rows": rows,
    }


def _score_cell(domain: Domain, shown: str) -> Block:
    # A column sorts by value only when every cell has one; an unknown score sorts below 0 and
    # is shown as a dash, never as a number.
    value = -1 if domain.health_score is None else float(shown)
    return {"type": "raw_number", "value": value, "text": shown}


def _raw_text(text: str) -> Block:
    return {"type": "raw_text", "text": text}
