"""`/domainkey`: the state of the workspace's API key, and its buttons that need no form."""

from dataclasses import dataclass

from bot.admin.custody import KeyCustody
from bot.digests.desk import Desk
from bot.listeners.conversation import Conversation
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.key_state import KeyState
from bot.listeners.rights import Rights
from bot.redaction import holds_secret
from bot.views.key import (
    CHECK_KEY,
    REMOVE_KEY,
    ROLL_BACK,
    checked_message,
    removed_message,
    rolled_back_message,
    typed_key_message,
)
from bot.views.usage import usage_message
from bot.words import is_help


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyListeners:
    """The listeners about the workspace's key. Each of them checks the person's rights anew."""

    rights: Rights
    custody: KeyCustody
    state: KeyState
    desk: Desk

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/domainkey", self.show_state)
        dispatcher.on_press(CHECK_KEY, self.check_key, replies=True)
        dispatcher.on_press(ROLL_BACK, self.roll_back, replies=True)
        dispatcher.on_press(REMOVE_KEY, self.remove_key, replies=True)

    async def show_state(self, conversation: Conversation, text: str) -> None:
        """Answer `/domainkey`. Whatever stands behind it is neither read nor repeated."""
        conversation.command_line = "/domainkey"
        if is_help(text):
            await conversation.reply(usage_message("/domainkey"))
        elif text.strip():
            await self._answer_typed(conversation, looks_like_key=holds_secret(text))
        else:
            member = await self.rights.require_configurer(conversation)
            state = await self.state.told_to(member, conversation.workspace)
            await conversation.reply(state)

    async def check_key(self, conversation: Conversation, _value: str) -> None:
        """Ask the service whether the key works now, even if it was refused before."""
        await self.rights.require_configurer(conversation)
        conversation.command_line = "/domainkey"
        tried = await self.custody.check(conversation.workspace)
        await conversation.reply(checked_message(tried.record, tried.domains))
        await self.desk.wake(conversation.workspace)

    async def roll_back(self, conversation: Conversation, mark: str) -> None:
        """Use the key before again, if it still works."""
        member = await self.rights.require_configurer(conversation)
        conversation.command_line = "/domainkey"
        tried = await self.custody.roll_back(conversation.workspace, mark, by=member.user_id)
        await conversation.reply(rolled_back_message(tried.record, tried.domains))
        await self.desk.wake(conversation.workspace)

    async def remove_key(self, conversation: Conversation, mark: str) -> None:
        """Forget the key, and the one before it."""
        member = await self.rights.require_configurer(conversation)
        was_there = await self.custody.remove(
            conversation.workspace, mark or None, by=member.user_id
        )
        await conversation.reply(removed_message(was_there=was_there))

    async def _answer_typed(self, conversation: Conversation, *, looks_like_key: bool) -> None:
        may_set = await self.rights.may_configure(conversation)
        await conversation.reply(typed_key_message(looks_like_key=looks_like_key, may_set=may_set))
