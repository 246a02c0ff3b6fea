"""The buttons about digests in messages: in posts, and in what their owners are told."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor
from bot.listeners.digests.acts import resume_digest, send_digest
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.once import Once, PressFailedError
from bot.views.digests.answers import (
    HAS_MOVED,
    NOT_RESUMED,
    NOT_SENT,
    at_it_message,
    done_already_message,
    line_message,
)
from bot.views.digests.notices import RESUME_DIGEST, SEND_DIGEST
from bot.views.digests.post import MANAGE_DIGEST

Act = Callable[[Desk, Conversation, Digest, Visitor], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMessageListeners:
    """The listeners about those buttons."""

    desk: Desk
    access: DigestAccess
    screen: DigestScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        once = Once(running=at_it_message(), done=done_already_message())
        dispatcher.on_press(MANAGE_DIGEST, self.manage)
        dispatcher.on_press(SEND_DIGEST, self.send, replies=True, once=once)
        dispatcher.on_press(RESUME_DIGEST, self.resume, replies=True, once=once)

    async def manage(self, conversation: Conversation, value: str) -> None:
        """Open the list that a digest in a message belongs to.

        In the channel that it has left since, the list of that one: who is here need not be
        there, where it is now.
        """
        channel_then, _, digest_id = value.rpartition("/")
        digest = await self.desk.get(conversation.workspace, digest_id)
        here, now = conversation.origin.channel_id, digest.plan.channel_id
        await self.access.require_member(conversation)
        if now != channel_then == here:
            await self.screen.open_list(conversation, here, HAS_MOVED)
        else:
            await self.screen.open_list(conversation, now)

    async def send(self, conversation: Conversation, value: str) -> None:
        """Post a digest now, as its owner was told that it may be missing."""
        await self._answer(conversation, value, send_digest, NOT_SENT)

    async def resume(self, conversation: Conversation, value: str) -> None:
        """Let a digest run again, as its owner was told that it was paused."""
        await self._answer(conversation, value, resume_digest, NOT_RESUMED)

    async def _answer(self, conversation: Conversation, value: str, act: Act, lead: str) -> None:
        """Do something with a digest, if that is theirs to do, and say below how it went."""
        try:
            digest = await self.desk.get(conversation.workspace, value.rpartition("/")[2])
            visitor = await self.access.require_editor_of(conversation, digest)
            said = await act(self.desk, conversation, digest, visitor)
        except BotError as error:
            told = await self.screen.trouble(conversation, error, lead)
            await conversation.reply(line_message(told))
            raise PressFailedError("told below the message") from error
        await conversation.reply(line_message(said))
