"""The small menu of a channel: what its administrators could do to it."""

from collections.abc import Callable

from nicegui import ui

from bot.playground.slack import LocalSlack
from bot.playground.slack.model import Channel


def draw_channel_menu(slack: LocalSlack, channel: Channel, app_name: str) -> None:
    """Draw a button with the menu behind it; whoever draws the channel draws it anew."""
    button = ui.button(icon="more_vert", color=None).props("flat dense round size=sm")
    button.props('aria-label="Change this channel" title="Change this channel" aria-haspopup=menu')
    with button, ui.menu().props("auto-close role=menu"):
        for words, act in _acts(slack, channel, app_name):
            item = ui.menu_item(words, on_click=lambda act=act: act(channel.name))
            item.props["role"], item.props["aria-label"] = "menuitem", words


def is_without_app(slack: LocalSlack, channel: Channel) -> bool:
    """Tell whether the app is not in a channel."""
    return slack.bot_user_id not in channel.members


def _acts(
    slack: LocalSlack, channel: Channel, app_name: str
) -> list[tuple[str, Callable[[str], None]]]:
    archive = ("Archive channel", slack.archive)
    unarchive = ("Unarchive channel", slack.unarchive)
    add = (f"Add {app_name}", slack.invite_bot)
    remove = (f"Remove {app_name}", slack.remove_bot)
    return [
        unarchive if channel.is_archived else archive,
        add if is_without_app(slack, channel) else remove,
    ]
