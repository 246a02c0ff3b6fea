"""Handle the Home tab and its buttons, and greet who opens the conversation."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bot.blocks.window import OPEN_MESSAGES
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.dispatch.usage import greeting_message
from bot.home.screen import HomeScreen
from bot.home.views import REFRESH
from bot.process.errors import log_and_suppress
from bot.slack.errors import SlackError
from bot.store.documents import ConflictError, Documents, StoreError

GREETED = "greeted"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeListeners:
    """The listeners of the tab. Its buttons about keys and digests belong to those features."""

    screen: HomeScreen
    documents: Documents

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.event("app_home_opened", self.open)
        for button in (REFRESH, OPEN_MESSAGES):
            dispatcher.action(button, self.leave)
        dispatcher.boundary.after_home(self.follow)

    async def open(self, request: Request, event: Mapping[str, Any]) -> None:
        """Draw the tab when a person opens it, or greet them in the messages tab.

        https://docs.slack.dev/reference/events/app_home_opened
        """
        if event.get("tab") == "messages":
            await self._greet(request)
        if event.get("tab") == "home":
            await self.screen.draw(request)

    async def _greet(self, request: Request) -> None:
        """Show the commands to a person of the workspace who opens the conversation first.

        Once, and never if the store fails.
        """
        workspace, user_id = request.workspace, request.origin.user_id
        with log_and_suppress("not greeted", StoreError, SlackError), suppress(ConflictError):
            await self.documents.put(f"{workspace}/{GREETED}/{user_id}", {"v": 1}, if_rev=0)
            if not (await request.fetch_member()).is_stranger:
                await request.reply(greeting_message())

    async def leave(self, request: Request, _value: str) -> None:
        """Accept a button with a link, and `Refresh`: a draw follows every press."""

    async def follow(self, request: Request) -> None:
        """Draw the tab after a press on it, or on a form opened from it."""
        await self.screen.draw(request)
