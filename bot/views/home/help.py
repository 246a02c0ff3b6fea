"""What people can do, and why the app may do what it does, on the Home tab. Pure."""

from collections.abc import Iterable, Sequence

from bot.admin.errors import ManagersUnknownError
from bot.errors import BotError
from bot.message import Block
from bot.slack.scopes import NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.views.blocks import context, plain_text, section
from bot.views.home.page import Reader
from bot.views.home.portfolio import refresh_button
from bot.views.managers import names_text
from bot.views.text import MAX_CONTAINER_TITLE_CHARS
from bot.views.usage import USAGES

_FOR_GUESTS = ("/domains", "/scan", "/adddomain")
_FOR_MEMBERS = (*_FOR_GUESTS, "/domaindigest")


def help_blocks(reader: Reader, managers: Sequence[str], *, is_manager: bool) -> list[Block]:
    """Return the commands in a line each, and who looks after the set-up."""
    commands = _FOR_MEMBERS if reader is Reader.MEMBER else _FOR_GUESTS
    lines = [_command_line(name) for name in (USAGES if is_manager else commands)]
    blocks = [section("\n".join(["*Commands*", *lines]))]
    hint = "Type them in any channel. Each of them answers `help`."
    if not is_manager and reader is Reader.MEMBER:
        hint += f"\n{_whom_to_ask(managers)}"
    return [*blocks, context(hint)]


def doubt_blocks(doubt: BotError) -> list[Block]:
    """Return why nobody knows whether the reader is a manager, and the way on."""
    if isinstance(doubt, ManagersUnknownError) and doubt.lacks_scope:
        return [context(_NO_SCOPE)]
    who = "Slack" if isinstance(doubt, ManagersUnknownError) else "My memory"
    unsaid = f"{who} does not tell me right now whether you are a manager."
    return [section(unsaid, refresh_button())]


def permissions_container() -> Block:
    """Return the reasons, folded.

    https://docs.slack.dev/reference/block-kit/blocks/container-block
    """
    return {
        "type": "container",
        "title": plain_text(_PERMISSIONS, MAX_CONTAINER_TITLE_CHARS),
        "is_collapsible": True,
        "default_collapsed": True,
        "child_blocks": [section("\n".join(_reasons()))],
    }


def permissions_plain() -> Block:
    """Return the same without new blocks."""
    return context("\n".join([f"*{_PERMISSIONS}*", *_reasons()]))


def _command_line(command: str) -> str:
    return f"`{command}` – {USAGES[command].brief}"


def _whom_to_ask(managers: Sequence[str]) -> str:
    named = f", or {names_text(managers)}" if managers else ""
    return f"The API key and its settings: ask an admin or owner of this workspace{named}."


def _reasons() -> Iterable[str]:
    asked = NEEDED_SCOPES | OPTIONAL_SCOPES
    return (f"`{scope}`: {why}" for scope, why in asked.items())


_NO_SCOPE = (
    "User groups are managers here, and I cannot see whether you are in one of them: I lack the"
    " permission `usergroups:read`. An admin can install the app again with it, or name you"
    " yourself with `/domainkey`."
)
_PERMISSIONS = "Why each Slack permission is asked"
