"""Health in words and signs: never by colour alone, unknown never as 0. Pure."""

from bot.health import Band, Summary, band_of
from bot.views.text import plural, score_number

SYMBOLS = {Band.GOOD: "🟢", Band.FAIR: "🟡", Band.POOR: "🔴", Band.UNKNOWN: "⚪"}


def score_text(score: float | None) -> str:
    """Return `🔴 41 poor`, or `⚪ unknown`."""
    band = band_of(score)
    number = "" if score is None else f"{score_number(score)} "
    return f"{SYMBOLS[band]} {number}{band.value}"


def score_words(score: float | None) -> str:
    """Return `41 (poor)`, or `unknown`: for texts that are read aloud."""
    return "unknown" if score is None else f"{score_number(score)} ({band_of(score).value})"


def bands_text(totals: Summary, *, with_symbols: bool) -> str:
    """Return `100 good, 20 fair, 5 poor`; bands without a domain are left out."""
    return ", ".join(
        f"{SYMBOLS[band] + ' ' if with_symbols else ''}{totals.bands[band]:,} {band.value}"
        for band in Band
        if totals.bands[band]
    )


def summary_text(totals: Summary) -> str:
    """Return `128 domains, average health 83: 5 poor, 20 fair, 100 good, 3 unknown`."""
    if not totals.count:
        return "no domains"
    average = "unknown" if totals.average is None else score_number(totals.average)
    bands = bands_text(totals, with_symbols=False)
    return f"{plural(totals.count, 'domain')}, average health {average}: {bands}"
