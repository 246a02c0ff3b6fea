"""Invented portfolios and scans, the same in every run."""
