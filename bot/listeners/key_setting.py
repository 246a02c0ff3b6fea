"""The private form that sets or replaces the workspace's key."""

from dataclasses import dataclass

from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.key_form import GivenKey, read_key_form
from bot.listeners.key_taking import KeyTaking, values_of
from bot.slack.calls import open_form
from bot.views.key import SET_KEY, saved_message
from bot.views.key_form import KEY_FORM, checking_form, key_form, saved_form


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySettingListeners:
    """The listeners of the form. Each of them checks the person's rights anew."""

    taking: KeyTaking

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(SET_KEY, self.open_key_form)
        dispatcher.on_form(KEY_FORM, read_key_form, self.set_key, meanwhile=checking_form)

    async def open_key_form(self, conversation: Conversation, _value: str) -> None:
        """Open the private form that sets or replaces the key."""
        await self.taking.rights.require_configurer(conversation)
        slots = await self.taking.keys.slots(conversation.workspace)
        values = values_of(slots, self.taking.clock().date())
        form = key_form(conversation.as_metadata(), values, in_use=slots)
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def set_key(self, conversation: Conversation, given: GivenKey) -> None:
        """Prove the key with one request, save it, run what waited for it; say so in the form."""
        tried = await self.taking.take(conversation, given, key_form)
        if tried is None:
            return
        record, domains = tried.record, tried.domains
        form = saved_form(record, domains, tried.slots.earlier)
        await self.taking.screen.show(conversation, form, saved_message(record, domains))
        await self.taking.run_waiting(conversation)
