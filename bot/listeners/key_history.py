"""The form that shows who did what to the workspace's settings."""

from dataclasses import dataclass

from bot.admin.audit import Audit
from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.key_screen import KeyScreen
from bot.listeners.rights import Rights
from bot.message import Message
from bot.slack.calls import open_form
from bot.views.history import HISTORY_PAGE, history_form, history_trouble_form
from bot.views.key import SHOW_HISTORY


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryListeners:
    """The listeners of the form, for admins, owners and managers, asked of Slack each time."""

    rights: Rights
    audit: Audit
    screen: KeyScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(SHOW_HISTORY, self.open_form)
        dispatcher.on_press(HISTORY_PAGE, self.turn_page)

    async def open_form(self, conversation: Conversation, _value: str) -> None:
        """Open the form with the latest acts."""
        await self.rights.require_configurer(conversation)
        entries = await self.audit.entries(conversation.workspace)
        form = history_form(entries, 0, conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def turn_page(self, conversation: Conversation, page: str) -> None:
        """Show another page."""
        try:
            await self.rights.require_configurer(conversation)
            entries = await self.audit.entries(conversation.workspace)
        except BotError as error:
            await self.screen.show_failure(conversation, error, history_trouble_form)
            return
        number = int(page) if page.isdecimal() else 0
        form = history_form(entries, number, conversation.as_metadata())
        await self.screen.show(conversation, form, Message("That form is closed."))
