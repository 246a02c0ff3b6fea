"""The Domain Tracker's own web pages: domains, API keys, a log of requests, and knobs."""

from bot.playground.page.tracker_pages import domains, keys, knobs
from bot.playground.sandbox import Sandbox

__all__ = ["add"]


def add(sandbox: Sandbox) -> None:
    for add_page in (domains.add, keys.add, knobs.add_log, knobs.add):
        add_page(sandbox)
