"""A Domain Tracker of our own, for tests and the playground. Start with `running_tracker`."""

from bot.playground.tracker.accounts import NO_SCORE, Account, DomainRecord
from bot.playground.tracker.keys import KeyRecord
from bot.playground.tracker.server import running_tracker
from bot.playground.tracker.service import Hold, Request, Tracker

__all__ = [
    "NO_SCORE",
    "Account",
    "DomainRecord",
    "Hold",
    "KeyRecord",
    "Request",
    "Tracker",
    "running_tracker",
]
