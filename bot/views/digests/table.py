"""The worst domains of a digest: as a table, as lines, as a sentence. Pure."""

from collections.abc import Iterable, Iterator

from bot.digests.report import Move, Report
from bot.message import Block
from bot.tracker.models import Domain
from bot.views.blocks import context, paragraphs, section
from bot.views.digests.changes import delta_text, shown_delta
from bot.views.health import score_text, score_words
from bot.views.text import MAX_TABLE_ROWS, clip, code, escaped, host_shown, score_number

MAX_HOST_CHARS = 100
MAX_SPOKEN_HOST_CHARS = 60
MAX_LINES_CHARS = 3_500

# value, by which readers sort, and what they see
Change = tuple[float, str]


def worst_title(report: Report) -> str:
    """Return `Worst 10 of 128`; where all are shown that have a score, it says so."""
    count, shown = report.totals.count, len(report.worst)
    if shown == count:
        return "The only domain" if count == 1 else f"All {count:,} domains, worst first"
    return f"Worst {shown:,} of {count:,}"


def worst_table(report: Report) -> list[Block]:
    """https://docs.slack.dev/reference/block-kit/blocks/data-table-block."""
    if not report.worst:
        return []
    changes = _changes(report)
    titles = ["Domain", "Health", *(["Change"] if changes is not None else []), "State"]
    return [
        {
            "type": "data_table",
            "caption": worst_title(report),
            "page_size": min(len(report.worst), MAX_TABLE_ROWS),
            "row_header_column_index": 0,
            "rows": [
                [_raw_text(title) for title in titles],
                *(_row(domain, changes) for domain in report.worst[:MAX_TABLE_ROWS]),
            ],
        }
    ]


def worst_lines(report: Report) -> list[Block]:
    """Return the same for clients that know no tables."""
    if not report.worst:
        return []
    lines = list(_fitting(_lines(report)))
    left_out = len(report.worst) - len(lines)
    return [
        section(f"*{worst_title(report)}*"),
        *paragraphs(lines),
        *([context(f"and {left_out:,} more")] if left_out else []),
    ]


def worst_spoken(report: Report) -> str:
    """Return the same as a sentence, or nothing."""
    named = ", ".join(
        f"{escaped(host_shown(domain.domain), MAX_SPOKEN_HOST_CHARS)}"
        f" {score_words(domain.health_score)}"
        for domain in report.worst
    )
    return f"{worst_title(report)}: {named}." if named else ""


def _lines(report: Report) -> Iterator[str]:
    changes = _changes(report) or {}
    for domain in report.worst:
        host = code(host_shown(domain.domain), MAX_SPOKEN_HOST_CHARS)
        change = changes.get(domain.domain)
        line = f"{score_text(domain.health_score)}  {host}"
        yield f"{line}  {change[1]}" if change else line


def _fitting(lines: Iterable[str]) -> Iterator[str]:
    chars = 0
    for line in lines:
        chars += len(line) + 1
        if chars > MAX_LINES_CHARS:
            return
        yield line


def _row(domain: Domain, changes: dict[str, Change] | None) -> list[Block]:
    score = score_number(domain.health_score or 0)  # the worst all have one
    symbol, _, rest = score_text(domain.health_score).partition(" ")
    cells = [_raw_text(clip(host_shown(domain.domain) or "–", MAX_HOST_CHARS))]
    cells.append(_raw_number(float(score), score))
    if changes is not None:
        cells.append(_raw_number(*_change(domain, changes)))
    return [*cells, _raw_text(f"{symbol} {rest.rpartition(' ')[2]}")]


def _changes(report: Report) -> dict[str, Change] | None:
    """What became of each domain, by its name; `None` when there is nothing to compare with."""
    if report.since is None:
        return None
    names = {domain.domain for domain in report.worst}
    return (
        {domain.domain: (0, "new") for domain in report.new if domain.domain in names}
        | {_name(move): (0, "was unknown") for move in report.found if _name(move) in names}
        | {
            domain.domain: _moved(report.before_of[domain.domain], domain.health_score or 0)
            for domain in report.worst
            if domain.domain in report.before_of
        }
    )


def _name(move: Move) -> str:
    return move.domain.domain


def _moved(before: float, after: float) -> Change:
    return shown_delta(before, after), delta_text(before, after) or "–"


def _change(domain: Domain, changes: dict[str, Change]) -> Change:
    return changes.get(domain.domain, (0, "–"))


def _raw_number(value: float, shown: str) -> Block:
    return {"type": "raw_number", "value": value, "text": shown}


def _raw_text(text: str) -> Block:
    return {"type": "raw_text", "text": text}
