"""Word the welcome, a repeated installation, and the events of an uninstallation. Pure."""

from collections.abc import Sequence

from bot.commands import COMMANDS
from bot.installations.welcome import Arrival
from bot.message import Block, Message
from bot.views.api_key import SET_KEY
from bot.views.blocks import actions, button, context, run_button, section
from bot.views.text import escaped, plural

MAX_CHANNELS_NAMED = 5
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


def arrival_message(arrival: Arrival) -> Message:
    """Return the direct message to the person who installed the bot."""
    installation, setup = arrival.installation, arrival.setup
    if installation.is_org_wide:
        return organisation_message(
            installation.name, installation.home.enterprise_id or "", installation.app_id
        )
    if setup is None:
        return welcome_message(
            installation.name,
            installation.bot_user_id,
            may_set_key=arrival.may_set_key,
            lost_in=arrival.lost_in,
        )
    return welcome_back_message(
        installation.name,
        has_key=setup.has_key,
        digests=setup.digests,
        was_revoked=arrival.was_revoked,
        may_set_key=arrival.may_set_key,
    )


def welcome_message(
    name: str, bot_user_id: str, *, may_set_key: bool, lost_in: Sequence[str] = ()
) -> Message:
    """Return the message after a first installation in the workspace `name`.

    `lost_in`: channels with the bot that are not in the store.
    """
    plain, bold = escaped(name, 80) or "this workspace", _bold(name) or "this workspace"
    commands = "\n".join(
        f"• `{usage.examples[0][0]}` – {usage.does}"
        for usage in COMMANDS.values()
        if usage.operation
    )
    first = "Set the key with `/domainkey`" if may_set_key else "Ask an admin to set the key"
    return Message(
        f"Domain Tracker is installed in {plain}. {first.replace('`', '')}. Then list your"
        f" domains with /domains.{_lost_text(lost_in)}",
        (
            section(f"👋 *Domain Tracker is installed in {bold}.*"),
            *_lost_blocks(lost_in),
            section(f"*1. Connect it.* {_SET_KEY if may_set_key else _ASK_ADMIN}"),
            section(f"*2. Try it.* Type in any channel:\n{commands}"),
            section(
                f"*3. Schedule digests.* Invite <@{bot_user_id}> to a channel with `/invite`."
                " Then type `/domaindigest` there."
            ),
            *_buttons(may_set_key=may_set_key),
            context("Add `help` to any command. The Home tab shows an overview."),
        ),
    )


def welcome_back_message(
    name: str, *, has_key: bool, digests: int, was_revoked: bool, may_set_key: bool
) -> Message:
    """Return the message after another installation in a workspace that is set up.

    `was_revoked`: Slack had revoked the tokens of the earlier one.
    """
    place = escaped(name, 80) or "this workspace"
    kept = _kept_text(has_key=has_key, digests=digests)
    again = (
        " The tokens that Slack revoked are replaced, so everything works again."
        if was_revoked
        else ""
    )
    ask = "" if has_key or may_set_key else f"\n{_ASK_ADMIN}"
    return Message(
        f"Welcome back: Domain Tracker is installed again in {place}.{again} {kept}",
        (
            section(
                f"👋 *Welcome back: Domain Tracker is installed again in {_bold(name) or place}.*"
                f"{again}\n{kept}{ask}"
            ),
            *_buttons(may_set_key=may_set_key and not has_key),
        ),
    )


def organisation_message(name: str, enterprise_id: str, app_id: str) -> Message:
    """Return the message after an installation for a whole organisation.

    https://docs.slack.dev/enterprise/organization-ready-apps
    """
    place = escaped(name, 80) or "your organization"
    page = f"https://app.slack.com/manage/{enterprise_id}/integrations/profile/{app_id}"
    text = (
        f"Domain Tracker is installed for {place}, but not yet in any workspace."
        " An organization admin has to add it there."
    )
    return Message(
        f"{text} {page}/workspaces/add",
        (
            section(
                f"👋 {text.replace(place, _bold(name) or place)}\n"
                f"<{page}/workspaces/add|Add it to workspaces>. Each workspace has its own key"
                " and digests. Its admins start with `/domainkey`."
            ),
        ),
    )


def lost_store_message(channel_ids: Sequence[str]) -> Message:
    """Return the message that the bot was here before, but its store has no data of it."""
    return Message(
        f"Domain Tracker is running.{_lost_text(channel_ids)} Set the key with /domainkey and the"
        " digests with /domaindigest.",
        (
            *_lost_blocks(channel_ids),
            section(
                "You get this as an owner or admin of this workspace. To start over, press `Set"
                " key`. Then make the digests with `/domaindigest` in their channels."
            ),
            *_buttons(may_set_key=True),
        ),
    )


def not_installed_text(public_url: str) -> str:
    """Return the answer to a person whose workspace has not installed the bot."""
    return (
        "Domain Tracker isn't installed in this workspace, so nothing was done."
        f" An admin can install it here: {public_url}{INSTALL_PATH} – then type your command"
        " again."
    )


def _lost_text(channel_ids: Sequence[str]) -> str:
    if not channel_ids:
        return ""
    return (
        " The app is already in channels here, but its database knows nothing of this workspace."
        " That is expected if it was invited before its first start, or was removed. Otherwise the"
        " database was lost or replaced."
    )


def _lost_blocks(channel_ids: Sequence[str]) -> list[Block]:
    if not channel_ids:
        return []
    named = ", ".join(f"<#{channel_id}>" for channel_id in channel_ids[:MAX_CHANNELS_NAMED])
    more = " and others" if len(channel_ids) > MAX_CHANNELS_NAMED else ""
    return [
        section(
            f"⚠️ *The app is already in {named}{more}.* But its database knows nothing of this"
            " workspace. That is expected if it was invited before its first start, or was"
            " removed. Otherwise the database was lost or replaced, and the bot's operator can"
            " restore a backup. Without a backup, set up the key and the digests again. No digest"
            " is posted until then."
        )
    ]


def _kept_text(*, has_key: bool, digests: int) -> str:
    if not has_key and not digests:
        return "There are no key and no digests yet."
    key = "The key is unchanged" if has_key else "There is no key yet"
    if not digests:
        return f"{key}; there are no digests yet."
    are = "is" if digests == 1 else "are"
    return f"{key}; {plural(digests, 'digest')} {are} kept."


def _buttons(*, may_set_key: bool) -> list[Block]:
    set_key = button("Set key", SET_KEY, style="primary") if may_set_key else None
    return actions(set_key, run_button("How to use it", "/domains help"))


def _bold(name: str) -> str:
    """Return a name from outside, for use inside asterisks."""
    return escaped(name, 80).translate(str.maketrans("", "", "*_~`"))
