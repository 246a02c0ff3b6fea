"""Invented portfolios and scans, the same in every run."""

from bot.playground.tracker.samples.edge_cases import (
    EDGE_CASES,
    HOSTILE_TEXTS,
    bare_values,
    deep_nesting,
    edge_case_of,
    many_records,
)
from bot.playground.tracker.samples.portfolio import SampleDomain, sample_portfolio
from bot.playground.tracker.samples.scan import sample_scan

__all__ = [
    "EDGE_CASES",
    "HOSTILE_TEXTS",
    "SampleDomain",
    "bare_values",
    "deep_nesting",
    "edge_case_of",
    "many_records",
    "sample_portfolio",
    "sample_scan",
]
