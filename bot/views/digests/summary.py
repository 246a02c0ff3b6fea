"""The news of a digest, the sum first: how many, their average, the bands, what moved. Pure."""

from collections.abc import Sequence

from bot.digests.report import MOVED_FROM, Report, has_changed
from bot.health import Band, Summary
from bot.message import Block
from bot.views.blocks import section
from bot.views.digests.changes import MINUS, delta_text, shown_delta
from bot.views.digests.groups import Group
from bot.views.digests.plan import filter_shown, spoken
from bot.views.health import SYMBOLS
from bot.views.text import plural, score_number

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
    moved = "" if now is None or before is None else delta_text(before, now)
    return f"{counted}, average {average_text(report.totals)} {moved}".strip()


def title_spoken(report: Report) -> str:
    """Return `Health digest: 128 domains, average health 83, up 1.5: 5 poor (2 more), …`."""
    if not report.totals.count:
        return "Health digest: no domains."
    counted = f"Health digest: {plural(report.totals.count, 'domain')}"
    now, before = _averages(report)
    points = 0.0 if now is None or before is None else shown_delta(before, now)
    moved = f", {'up' if points > 0 else 'down'} {abs(points):g}" if points else ""
    bands = ", ".join(
        f"{report.totals.bands[band]:,} {band.value}{_more_spoken(report, band)}"
        for band in _bands(report)
    )
    return f"{counted}, average health {average_text(report.totals)}{moved}: {bands}."


def average_text(totals: Summary) -> str:
    """Return the average as a number, or `unknown`."""
    return "unknown" if totals.average is None else score_number(totals.average)


def news_blocks(
    report: Report, groups: Sequence[Group], calling: str, filter_text: str
) -> list[Block]:
    """Return the bands, whom to call, and what changed; or that there are no domains."""
    shown = [_bands_shown(report) if report.totals.count else _nothing_there(filter_text)]
    if not has_changed(report):
        shown.append(f"✅ {_NOTHING_CHANGED}")
    if calling:
        shown.append(f"🔔 {calling}")
    return [section(text) for text in (*shown, *(group.as_shown for group in groups))]


def news_spoken(report: Report, groups: Sequence[Group], filter_text: str) -> list[str]:
    """Return the same as sentences, without the bands, which the title tells."""
    said = [] if report.totals.count else [spoken(_nothing_there(filter_text))]
    if not has_changed(report):
        said.append(_NOTHING_CHANGED)
    return [*said, *(group.as_spoken for group in groups)]


def _nothing_there(filter_text: str) -> str:
    if filter_text:
        return (
            f"No domain matches {filter_shown(filter_text)} now. To look at others, change the"
            " filter with `Manage`."
        )
    return (
        "Domain Tracker watches no domains for this workspace yet. Add the first one with"
        " `/adddomain`: the next digest tells of it."
    )


def _averages(report: Report) -> tuple[float | None, float | None]:
    """Now and then. With bounds of scores they are of different domains: nothing to compare."""
    if report.is_bounded:
        return report.totals.average, None
    return report.totals.average, report.before.average if report.before else None


def _bands(report: Report) -> list[Band]:
    """The bands in which there is, or was, any domain."""
    then = report.before.bands if report.before else report.totals.bands
    return [band for band in Band if report.totals.bands[band] or then[band]]


def _bands_shown(report: Report) -> str:
    return "     ".join(
        f"{SYMBOLS[band]} *{report.totals.bands[band]:,}* {band.value}{_more_shown(report, band)}"
        for band in _bands(report)
    )


def _more_shown(report: Report, band: Band) -> str:
    more = _more(report, band)
    return f" ({'+' if more > 0 else MINUS}{abs(more):,})" if more else ""


def _more_spoken(report: Report, band: Band) -> str:
    more = _more(report, band)
    return f" ({abs(more):,} {'more' if more > 0 else 'fewer'})" if more else ""


def _more(report: Report, band: Band) -> int:
    return report.totals.bands[band] - report.before.bands[band] if report.before else 0
