"""A local Slack and a local Domain Tracker with sample data, and one clock for both."""

from bot.playground.town.clock import MovableClock
from bot.playground.town.journal import Journal, Sent
from bot.playground.town.keys import ReadyKeys
from bot.playground.town.portfolios import PORTFOLIOS
from bot.playground.town.town import Town, running_town

__all__ = [
    "PORTFOLIOS",
    "Journal",
    "MovableClock",
    "ReadyKeys",
    "Sent",
    "Town",
    "running_town",
]
