"""What people read when there is no answer yet, or none any more. Pure."""

from bot.message import Message
from bot.views.blocks import section


def working_message() -> Message:
    """Return what is said when an answer takes longer than a few seconds."""
    text = "⏳ Still asking Domain Tracker. I will answer here."
    return Message(text, (section(text),))


def old_button_message() -> Message:
    """Return the answer to a button whose command is gone."""
    text = "That button is from an older version of me. Please type the command instead."
    return Message(text, (section(text),))
