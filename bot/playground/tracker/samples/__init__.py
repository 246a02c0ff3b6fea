"""Invented portfolios and scans, the same in every run."""

from bot.playground.tracker.samples.facts import sample_portfolio
from bot.playground.tracker.samples.scan import (
    HOSTILE_TEXTS,
    sample_scan,
)

__all__ = [
    "HOSTILE_TEXTS",
    "sample_portfolio",
    "sample_scan",
]
