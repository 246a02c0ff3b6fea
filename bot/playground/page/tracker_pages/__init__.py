"""The Domain Tracker's own web pages: domains, API keys, a log of requests, and knobs."""

from bot.playground.page.tracker_pages import domains, keys, knobs, requests
from bot.playground.town import Town

__all__ = ["add"]


def add(town: Town) -> None:
    """Add the pages under `/tracker`."""
    for page in (domains, keys, requests, knobs):
        page.add(town)
