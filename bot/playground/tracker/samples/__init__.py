"""Invented portfolios and scans, the same in every run."""

from bot.playground.tracker.samples.portfolio import SampleDomain, sample_portfolio
from bot.playground.tracker.samples.quirks import HOSTILE_TEXTS, QUIRKS, quirk_of
from bot.playground.tracker.samples.scan import sample_scan
from bot.playground.tracker.samples.shapes import bare_values, deep_nesting, many_records

__all__ = [
    "HOSTILE_TEXTS",
    "QUIRKS",
    "SampleDomain",
    "bare_values",
    "deep_nesting",
    "many_records",
    "quirk_of",
    "sample_portfolio",
    "sample_scan",
]
