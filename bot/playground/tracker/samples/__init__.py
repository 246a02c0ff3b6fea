"""Invented portfolios and scans, the same in every run."""

from bot.playground.tracker.samples.facts import SampleDomain, sample_portfolio
from bot.playground.tracker.samples.scan import (
    HOSTILE_TEXTS,
    edge_case_of,
    sample_scan,
)

__all__ = [
    "HOSTILE_TEXTS",
    "SampleDomain",
    "edge_case_of",
    "sample_portfolio",
    "sample_scan",
]
