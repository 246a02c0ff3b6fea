"""Invented portfolios and scans, the same in every run."""

from bot.playground.tracker.samples.edge_cases import (
    HOSTILE_TEXTS,
    edge_case_of,
)
from bot.playground.tracker.samples.portfolio import SampleDomain, sample_portfolio
from bot.playground.tracker.samples.scan import sample_scan

__all__ = [
    "HOSTILE_TEXTS",
    "SampleDomain",
    "edge_case_of",
    "sample_portfolio",
    "sample_scan",
]
