"""The Home tab as a whole. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.message import Block, Message
from bot.views.blocks import context, header, paragraphs, section
from bot.views.history import entry_line
from bot.views.home.digests import digests_blocks
from bot.views.home.help import doubt_blocks, help_blocks, permissions_container, permissions_plain
from bot.views.home.page import HomePage, Reader, SetUp
from bot.views.home.portfolio import portfolio_blocks, refreshable
from bot.views.text import moment_token

DIVIDER: Block = {"type": "divider"}
ACTS_SHOWN = 3

_STRANGERS = (
    "This app belongs to a workspace that you are not a member of, so there is nothing of it that"
    " I can show you here."
)


@dataclass(frozen=True, slots=True)
class HomeView:
    """The tab, and its twin without the blocks of 2026; `None`: it has none of them."""

    view: Block
    twin: Block | None = None


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


def trouble_view(told: Message) -> HomeView:
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
