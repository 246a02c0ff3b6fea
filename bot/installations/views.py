"""Word the welcome, and a repeated installation. Pure."""

from bot.blocks.builders import (
    actions,
    button,
    context,
    message_of,
    plain_message,
    run_button,
    section,
)
from bot.blocks.message import Block, Message
from bot.blocks.text import escaped
from bot.dispatch.commands import COMMANDS
from bot.installations.installation import Installation
from bot.keys.views import SET_KEY

INSTALL_PATH = "/slack/install"
_ASK_ADMIN = (
    "Ask an admin or owner of this workspace to set the key with `/domainkey`. They can also make"
    " you a manager of it."
)
_SET_KEY = (
    "Make a key for this app alone in Domain Tracker, under *Portfolio → API Keys*. Give it the"
    " scopes `read_domains` and `write_domains`. Then press `Set key`: the key is checked,"
    " encrypted, and never shown again."
)


def welcome_message(installation: Installation, *, may_set_key: bool) -> Message:
    commands = "\n".join(
        f"• `{usage.examples[0][0]}` – {usage.does}"
        for usage in COMMANDS.values()
        if usage.operation
    )
    return message_of(
        section(f"👋 *Domain Tracker is installed in {_name(installation)}.*"),
        section(f"*1. Connect it.* {_SET_KEY if may_set_key else _ASK_ADMIN}"),
        section(f"*2. Try it.* Type one of these in any channel.\n{commands}"),
        section(
            f"*3. Schedule digests.* Invite <@{installation.bot_user_id}> to a channel with"
            " `/invite`. Then type `/domaindigest` there."
        ),
        *_buttons(may_set_key=may_set_key),
        context("Add `help` to any command. The Home tab shows an overview."),
    )


def welcome_back_message(installation: Installation) -> Message:
    return message_of(
        section(
            f"👋 *Welcome back: Domain Tracker is installed again in {_name(installation)}.*"
            "\nThe key and the digests are as they were."
        ),
        *_buttons(may_set_key=False),
    )


def organisation_message(installation: Installation) -> Message:
    page = installation.workspaces_page
    return plain_message(
        f"👋 Domain Tracker is installed for {_name(installation, 'your organization')}, but not"
        " yet in any workspace. An organization admin has to add it there.\n"
        f"<{page}|Add it to workspaces>. Each workspace has its own key and digests. Its admins"
        " start with `/domainkey`."
    )


def not_installed_text(public_url: str) -> str:
    return (
        "Domain Tracker isn't installed in this workspace, so nothing was done."
        f" An admin can install it here: {public_url}{INSTALL_PATH} – then type your command"
        " again."
    )


def _buttons(*, may_set_key: bool) -> list[Block]:
    set_key = button("Set key", SET_KEY, style="primary") if may_set_key else None
    return actions(set_key, run_button("How to use it", "/domains help"))


def _name(installation: Installation, otherwise: str = "this workspace") -> str:
    """Return the name of a workspace or organisation, for use inside asterisks."""
    name = escaped(installation.name, 80)
    return name.translate(str.maketrans("", "", "*_~`")) or otherwise
