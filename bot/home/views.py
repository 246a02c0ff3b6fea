"""Draw the Home tab. Pure."""

from collections.abc import Sequence

from bot.blocks.builders import (
    actions,
    button,
    context,
    header,
    message_of,
    notice,
    plain_message,
    section,
)
from bot.blocks.message import Block, Message
from bot.dispatch.commands import COMMANDS
from bot.home.sections import (
    HomePage,
    Reader,
    SetUp,
    digests_blocks,
    help_blocks,
    permissions_block,
    portfolio_blocks,
    refreshable,
)

TITLE = "Domain Tracker"
ANSWER = "answer"  # the metadata of a window with an answer
OPEN_MESSAGES = "home.messages"
MAX_BLOCKS = 12
# Blocks that every window accepts: https://docs.slack.dev/reference/block-kit/blocks
_SMALL = {"section", "context", "header", "divider", "actions"}


def answer_window(message: Message, metadata: str) -> Block:
    blocks = list(message.blocks) or [section(message.text)]
    return notice(TITLE, blocks, metadata=metadata)


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


DIVIDER: Block = {"type": "divider"}
_STRANGERS = "This app belongs to another workspace. Only its members can see its domains."


def home_view(page: HomePage) -> Message:
    """Return the blocks of the tab for its reader, and their fallback."""
    if page.reader is Reader.STRANGER:
        return plain_message(_STRANGERS)
    domains = _usable(page, portfolio_blocks(page))
    if page.set_up is None:
        return message_of(*domains, *_help(page))
    if isinstance(page.set_up, SetUp) and not page.is_connected:
        domains = []  # the set-up part has the button to set a key
    reads = isinstance(page.set_up, SetUp) and page.set_up.reads_messages
    set_up = _set_up_blocks(page, page.set_up)
    return message_of(*domains, *set_up, *_help(page), permissions_block(reads_messages=reads))


def _usable(page: HomePage, blocks: Sequence[Block]) -> list[Block]:
    """Leave out the buttons with commands that the reader may not use."""
    refused = set(COMMANDS) - {command.name for command in page.commands}

    def is_wanted(button: Block) -> bool:
        return str(button.get("value", "")).partition(" ")[0] not in refused

    kept = []
    for block in blocks:
        if not is_wanted(block.get("accessory", {})):
            kept.append({name: block[name] for name in block if name != "accessory"})
        elif block["type"] == "actions":
            kept += actions(*filter(is_wanted, block["elements"]))
        else:
            kept.append(block)
    return kept


def _help(page: HomePage) -> list[Block]:
    return [DIVIDER, *help_blocks(page)]


def _set_up_blocks(page: HomePage, set_up: SetUp | Message) -> list[Block]:
    top = [
        *([DIVIDER] if page.is_connected else []),
        header("Setup"),
        context("🔒 Only admins, owners, and appointed managers see this part."),
    ]
    if isinstance(set_up, Message):
        return [*top, *refreshable(set_up)]
    blocks = [*top, *set_up.key.blocks]
    if page.is_connected or set_up.digests:
        blocks += [DIVIDER, *digests_blocks(set_up.digests, page.now, set_up.zone)]
    return blocks
