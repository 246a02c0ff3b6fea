"""The Home tab: opened, drawn anew, its pages turned."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.asking import asking_as, person
from bot.homes import Homes
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.home.screen import HomeScreen
from bot.views.home.digests import TURN_DIGESTS
from bot.views.home.portfolio import REFRESH
from bot.views.home.window import OPEN_MESSAGES


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeListeners:
    """The listeners of the tab. Its buttons about keys and digests are their features' own."""

    screen: HomeScreen
    homes: Homes

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_event("app_home_opened", self.open)
        dispatcher.on_press(REFRESH, self.refresh)
        dispatcher.on_press(TURN_DIGESTS, self.turn_digests)
        dispatcher.on_press(OPEN_MESSAGES, self.leave)
        dispatcher.after_home(self.follow)
        self.homes.draw_by(self.screen.draw_for)

    async def open(self, conversation: Conversation, event: Mapping[str, Any]) -> None:
        """Draw the tab for whoever opens it; the event is about the messages beside it too.

        https://docs.slack.dev/reference/events/app_home_opened
        """
        if event.get("tab") != "home":
            return
        self.screen.turn(conversation, 0)
        self.screen.look_as_of(conversation, (event.get("view") or {}).get("hash"))
        # Noted first: what changes while it is drawn must reach them, too.
        await self.homes.opened(conversation.workspace, conversation.origin.user_id)
        self.screen.look_anew(conversation)
        await self.screen.draw(conversation)

    async def refresh(self, conversation: Conversation, _value: str) -> None:
        """Let the service be asked anew by the draw that follows every press."""
        self.screen.look_anew(conversation)

    async def leave(self, conversation: Conversation, _value: str) -> None:
        """Take the button that leads away from the tab: Slack tells of it all the same."""

    async def turn_digests(self, conversation: Conversation, page: str) -> None:
        """Show another page of the digests."""
        self.screen.turn(conversation, int(page) if page.isdecimal() else 0)

    async def follow(self, conversation: Conversation) -> None:
        """Draw the tab anew after something was done on it, or from it."""
        await self.homes.opened(conversation.workspace, conversation.origin.user_id)
        with asking_as(conversation.workspace, person(conversation.origin.user_id)):
            await self.screen.draw(conversation)
