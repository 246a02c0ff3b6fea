"""The inspector: everything that Slack and the bot said to each other."""

from bot.playground.page.inspector.page import add

__all__ = ["add"]
