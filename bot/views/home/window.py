"""The small window over the Home tab in which an answer is read. Pure."""

from bot.message import Block, Message
from bot.views.blocks import actions, button, context, section
from bot.views.form import notice
from bot.views.text import clip_at_word

TITLE = "Domain Tracker"
ANSWER = "answer"
"""What the window carries, so that a press in it is known to be one."""
OPEN_MESSAGES = "home.messages"

MAX_SUMMARY_CHARS = 1200
MAX_BLOCKS = 12
# Those that every window takes: https://docs.slack.dev/reference/block-kit/blocks
_SMALL = {"section", "context", "header", "divider", "actions"}


def answer_window(message: Message, metadata: str) -> Block:
    """Return the window with a message; `metadata` comes back with its buttons."""
    blocks = list(message.blocks) or [section(message.text)]
    return notice(TITLE, blocks, metadata=metadata)


def fits_window(message: Message) -> bool:
    """Return whether a message can be read in a window as it is."""
    is_small = len(message.blocks) <= MAX_BLOCKS
    return is_small and all(block["type"] in _SMALL for block in message.blocks)


def summary_window(message: Message, messages_url: str) -> Message:
    """Return what a message that does not fit says, and the way to the whole of it."""
    text = clip_at_word(message.text, MAX_SUMMARY_CHARS)
    there = "I have sent you all of it, with its buttons, as a direct message."
    opening = button("Open messages", OPEN_MESSAGES, url=messages_url, style="primary")
    shown = _readable(message) or [section(text)]
    return Message(f"{text} {there}", (*shown, context(there), *actions(opening)))


def _readable(message: Message) -> list[Block]:
    """Return the beginning of its plain twin, without anything to press."""
    plain = message.blocks if message.plain is None else message.plain
    readable = [block for block in plain if block["type"] in _SMALL - {"actions"}]
    silent = [{name: block[name] for name in block if name != "accessory"} for block in readable]
    return silent[: MAX_BLOCKS - 2]


def messages_url(team_id: str, app_id: str) -> str:
    """Return the link to the direct messages with the bot.

    https://docs.slack.dev/interactivity/deep-linking
    """
    return f"slack://app?team={team_id}&id={app_id}&tab=messages"
