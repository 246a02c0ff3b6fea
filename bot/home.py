"""The Home tab, made and joined: a part of the composition root."""

from collections.abc import Awaitable, Callable
from datetime import datetime

from slack_sdk.web.async_client import AsyncWebClient

from bot.digests.shelf import Shelf
from bot.homes import Homes
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.failures import Failures
from bot.listeners.home.collecting import HomeCollector
from bot.listeners.home.listening import HomeListeners
from bot.listeners.home.screen import HomeScreen
from bot.listeners.key_state import KeyState
from bot.office import Office
from bot.portfolio.portfolio import Portfolio
from bot.slack.replies import Replies
from bot.workspace import WorkspaceId


def register_home(
    dispatcher: Dispatcher,
    office: Office,
    *,
    homes: Homes,
    shelf: Shelf,
    portfolio: Portfolio,
    failures: Failures,
    key: KeyState,
    ready: Callable[[WorkspaceId], Awaitable[None]],
    replies: Replies,
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
    clock: Callable[[], datetime],
) -> HomeScreen:
    """Attach the tab: everything that the other features know, in one place."""
    collector = HomeCollector(
        rights=office.rights,
        managers=office.managers,
        key=key,
        audit=office.audit,
        portfolio=portfolio,
        ready=ready,
        digests=shelf.of_workspace,
        failures=failures,
        clock=clock,
    )
    screen = HomeScreen(collector=collector, replies=replies, client_for=client_for)
    HomeListeners(screen=screen, homes=homes).register(dispatcher)
    return screen
