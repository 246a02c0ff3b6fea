"""A Domain Tracker of our own, for tests and the playground. Start with `running_tracker`."""

from bot.playground.tracker.accounts import Account
from bot.playground.tracker.domains import NO_SCORE, DomainRecord
from bot.playground.tracker.holds import Hold
from bot.playground.tracker.keys import KeyRecord
from bot.playground.tracker.requestlog import Request
from bot.playground.tracker.server import running_tracker, tracker_app
from bot.playground.tracker.service import Tracker

__all__ = [
    "NO_SCORE",
    "Account",
    "DomainRecord",
    "Hold",
    "KeyRecord",
    "Request",
    "Tracker",
    "running_tracker",
    "tracker_app",
]
