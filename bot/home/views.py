"""Draw the Home tab. Pure."""

from collections.abc import Sequence

from bot.blocks.builders import (
    actions,
    context,
    header,
    message_of,
    plain_message,
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
