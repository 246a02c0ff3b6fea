"""A window for the answer to a press on Home. Pure."""

from bot.blocks.builders import actions, button, context, message_of, notice, section
from bot.blocks.message import Block, Message

TITLE = "Domain Tracker"
ANSWER = "answer"  # the metadata of a window with an answer
OPEN_MESSAGES = "home.messages"
MAX_BLOCKS = 12
# Blocks that every window accepts: https://docs.slack.dev/reference/block-kit/blocks
_SMALL = {"section", "context", "header", "divider", "actions"}


def answer_window(message: Message, metadata: str) -> Block:
    """Return a window with a message."""
    return notice(TITLE, list(message.blocks) or [section(message.text)], metadata=metadata)


def fits_window(message: Message) -> bool:
    """Return whether a window can show a whole message."""
    is_small = len(message.blocks) <= MAX_BLOCKS
    return is_small and all(block["type"] in _SMALL for block in message.blocks)


def summary_window(message: Message, messages_url: str) -> Message:
    """Return a summary of a message that does not fit, with a link to the direct message."""
    there = "The full answer, with its buttons, is in your direct messages."
    opening = button("Open messages", OPEN_MESSAGES, url=messages_url, style="primary")
    return message_of(*_readable(message), context(there), *actions(opening))


def _readable(message: Message) -> list[Block]:
    """Return the first blocks of the plain fallback, without buttons."""
    plain = message.fallback() or message
    readable = [block for block in plain.blocks if block["type"] in _SMALL - {"actions"}]
    silent = [{name: block[name] for name in block if name != "accessory"} for block in readable]
    return silent[: MAX_BLOCKS - 2]


def messages_url(team_id: str, app_id: str) -> str:
    """Return the link to the direct messages with the bot.

    https://docs.slack.dev/interactivity/deep-linking
    """
    return f"slack://app?team={team_id}&id={app_id}&tab=messages"
