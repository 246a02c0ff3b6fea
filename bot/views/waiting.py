"""What people read while they wait. Pure."""

from bot.message import Message
from bot.views.blocks import section


def working_message() -> Message:
    """Return what is said when an answer takes longer than a few seconds."""
    text = "⏳ Still asking Domain Tracker. I will answer here."
    return Message(text, (section(text),))
