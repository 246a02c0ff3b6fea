"""Draw the Home tab. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.message import Block, Message
from bot.views.admin import entry_line
from bot.views.blocks import actions, button, context, header, notice, paragraphs, section
from bot.views.home_sections import (
    HomePage,
    Reader,
    SetUp,
    digests_blocks,
    doubt_blocks,
    help_blocks,
    permissions_container,
    permissions_plain,
    portfolio_blocks,
    refreshable,
)
from bot.views.text import clip_at_word, moment_token

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
    """Return the beginning of its plain fallback, without anything to press."""
    plain = message.blocks if message.plain is None else message.plain
    readable = [block for block in plain if block["type"] in _SMALL - {"actions"}]
    silent = [{name: block[name] for name in block if name != "accessory"} for block in readable]
    return silent[: MAX_BLOCKS - 2]


def messages_url(team_id: str, app_id: str) -> str:
    """Return the link to the direct messages with the bot.

    https://docs.slack.dev/interactivity/deep-linking
    """
    return f"slack://app?team={team_id}&id={app_id}&tab=messages"


DIVIDER: Block = {"type": "divider"}
ACTS_SHOWN = 3
_STRANGERS = (
    "This app belongs to a workspace that you are not a member of, so there is nothing of it that"
    " I can show you here."
)


@dataclass(frozen=True, slots=True)
class HomeView:
    """The tab, and its fallback without the blocks of 2026; `None`: it has none of them."""

    view: Block
    fallback: Block | None = None


def home_view(page: HomePage) -> HomeView:
    """Return the tab for whoever reads it."""
    if page.reader is Reader.STRANGER:
        return HomeView(_tab([section(_STRANGERS)]))
    domains = portfolio_blocks(page.portfolio, last=page.last, is_awaited=page.is_awaited)
    if page.set_up is None:
        return HomeView(_tab([*domains, *_help(page)]))
    if isinstance(page.set_up, SetUp):
        # They read in their own part how to set a key, and have the buttons for it there.
        domains = _without(page.set_up.key, domains) if page.is_connected else []
    parts = [*domains, *_set_up_blocks(page, page.set_up), *_help(page)]
    return HomeView(_tab([*parts, permissions_container()]), _tab([*parts, permissions_plain()]))


def error_view(told: Message) -> HomeView:
    """Return the tab when there is nothing to show but why, and a way to try again."""
    return HomeView(_tab(refreshable(told)))


def _tab(blocks: Sequence[Block]) -> Block:
    return {"type": "home", "blocks": list(blocks)}


def _without(told: Message, blocks: Sequence[Block]) -> list[Block]:
    """Leave out the buttons that `told` has as well."""
    known = {button["action_id"] for button in _pressed(told.blocks)}
    left = []
    for block in blocks:
        if block["type"] == "actions":
            elements = [each for each in block["elements"] if each["action_id"] not in known]
            left += [{**block, "elements": elements}] if elements else []
        else:
            left.append(block)
    return left


def _pressed(blocks: Sequence[Block]) -> list[Block]:
    rows = (block["elements"] for block in blocks if block["type"] == "actions")
    return [element for row in rows for element in row]


def _help(page: HomePage) -> list[Block]:
    is_manager = page.set_up is not None
    doubt = doubt_blocks(page.doubt) if page.doubt else []
    told = help_blocks(page.reader, page.managers, is_manager=is_manager)
    return [DIVIDER, *doubt, *told]


def _set_up_blocks(page: HomePage, set_up: SetUp | Message) -> list[Block]:
    top = [
        *([DIVIDER] if page.is_connected else []),
        header("Set-up"),
        context("🔒 Only admins, owners and the managers whom they name see this part."),
    ]
    if isinstance(set_up, Message):
        return [*top, *refreshable(set_up)]
    blocks = [*top, *set_up.key.blocks]
    if page.is_connected or set_up.digests:
        blocks += [DIVIDER, *digests_blocks(set_up.digests, set_up.page, page.now, set_up.zone)]
    return [*blocks, *_history(set_up), context(f"As of {moment_token(page.now)}.")]


def _history(set_up: SetUp) -> list[Block]:
    lines = [entry_line(entry) for entry in set_up.history[:ACTS_SHOWN]]
    return [DIVIDER, *paragraphs(["*Done last*", *lines])] if lines else []
