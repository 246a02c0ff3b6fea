"""`/domaindigest`: the list of a channel's digests, and what its buttons do."""

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.digests.errors import AdminsOnlyError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor, require_open
from bot.listeners.digests.note import note_in
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.slack.errors import SlackError, TriggerExpiredError
from bot.views.digests.answers import (
    DELETED,
    MAYBE_SENT,
    PREVIEWED,
    PREVIEWING,
    RESTRICTED,
    SENDING,
    UNRESTRICTED,
    done_already_message,
    line_message,
    resumed_line,
    sent_line,
)
from bot.views.digests.form import BACK
from bot.views.digests.listing import ADMINS_MAY, DELETE, PREVIEW, RESTRICT, RESUME, SEND
from bot.views.digests.notices import RESUME_DIGEST, SEND_DIGEST
from bot.views.digests.post import MANAGE_DIGEST, digest_message
from bot.views.usage import usage_message
from bot.words import NotUnderstood, NotUnderstoodError, is_help, split_words

logger = structlog.get_logger()

DigestWork = Callable[[Digest, Visitor], Awaitable[str]]


class DigestListeners:
    """The listeners about the digests of a channel, but for those of the forms."""

    def __init__(self, desk: Desk, access: DigestAccess, screen: DigestScreen) -> None:
        self._desk = desk
        self._access = access
        self._screen = screen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/domaindigest", self.open_list)
        dispatcher.on_press(MANAGE_DIGEST, self.manage)
        once = done_already_message()
        dispatcher.on_press(SEND_DIGEST, self.send_from_message, replies=True, once=once)
        dispatcher.on_press(RESUME_DIGEST, self.resume_from_message, replies=True, once=once)
        dispatcher.on_press(BACK, self.go_back)
        dispatcher.on_press(SEND, self.send)
        dispatcher.on_press(PREVIEW, self.preview)
        dispatcher.on_press(RESUME, self.resume)
        dispatcher.on_press(DELETE, self.delete)
        dispatcher.on_press(RESTRICT, self.restrict)

    async def open_list(self, conversation: Conversation, text: str) -> None:
        """Answer `/domaindigest`: everything else is in the form."""
        if is_help(text):
            await conversation.reply(usage_message("/domaindigest"))
            return
        if words := split_words(text):
            why = "nothing stands behind this command: it opens a form"
            raise NotUnderstoodError([NotUnderstood(word.typed, why) for word in words], [])
        await self._open(conversation, conversation.origin.channel_id)

    async def manage(self, conversation: Conversation, value: str) -> None:
        """Open the list that a digest in a message belongs to."""
        digest = await self._desk.get(conversation.workspace, _digest_id(value))
        await self._open(conversation, digest.plan.channel_id)

    async def go_back(self, conversation: Conversation, _value: str) -> None:
        """Show the list again."""
        self._screen.presses.note(conversation.view_id)
        await self._screen.show_list(conversation, note_in(conversation.note).channel_id)

    async def send(self, conversation: Conversation, digest_id: str) -> None:
        """Post a digest now."""

        async def work(digest: Digest, visitor: Visitor) -> str:
            await self._screen.show_busy(conversation, SENDING)
            return await self._sent(conversation, digest, visitor)

        await self._with_digest(conversation, digest_id, work)

    async def preview(self, conversation: Conversation, digest_id: str) -> None:
        """Show whoever asks, and nobody else, what would be posted now."""

        async def work(digest: Digest, _visitor: Visitor) -> str:
            await self._screen.show_busy(conversation, PREVIEWING)
            post = await self._desk.preview(conversation.workspace, digest)
            await conversation.reply(await asyncio.to_thread(digest_message, post))
            return PREVIEWED

        await self._with_digest(conversation, digest_id, work)

    async def resume(self, conversation: Conversation, digest_id: str) -> None:
        """Let a digest run again."""

        async def work(digest: Digest, visitor: Visitor) -> str:
            return await self._resumed(conversation, digest, visitor)

        await self._with_digest(conversation, digest_id, work)

    async def delete(self, conversation: Conversation, digest_id: str) -> None:
        """Forget a digest; Slack has asked whether that is meant."""

        async def work(digest: Digest, _visitor: Visitor) -> str:
            await self._desk.delete(conversation.workspace, digest.digest_id)
            return DELETED

        await self._with_digest(conversation, digest_id, work)

    async def restrict(self, conversation: Conversation, value: str) -> None:
        """Say whether only admins may change digests."""

        async def work() -> str:
            if not (await self._access.require_member(conversation)).is_admin:
                raise AdminsOnlyError("not theirs to say")
            admins_only = value == ADMINS_MAY
            await self._desk.restrict(conversation.workspace, admins_only=admins_only)
            return RESTRICTED if admins_only else UNRESTRICTED

        await self._screen.attempt(conversation, work)

    async def send_from_message(self, conversation: Conversation, value: str) -> None:
        """Post a digest now, as its owner was told that it may be missing."""
        await self._answer(conversation, value, self._sent)

    async def resume_from_message(self, conversation: Conversation, value: str) -> None:
        """Let a digest run again, as its owner was told that it was paused."""
        await self._answer(conversation, value, self._resumed)

    async def _open(self, conversation: Conversation, channel_id: str | None) -> None:
        if conversation.trigger_id is None:
            raise TriggerExpiredError("nobody pressed anything just now")
        await self._access.require_member(conversation)
        await self._screen.open_list(conversation, channel_id)

    async def _with_digest(
        self, conversation: Conversation, digest_id: str, do: DigestWork
    ) -> None:
        """Do something with a digest, if that is theirs to do; then show the list again."""

        async def work() -> None:
            digest = await self._desk.get(conversation.workspace, digest_id)
            visitor = await self._access.require_editor_of(conversation, digest)
            said = await do(digest, visitor)
            listed = note_in(conversation.note).channel_id
            known = visitor if listed == digest.plan.channel_id else None
            await self._screen.show_list(conversation, listed, said, visitor=known)

        await self._screen.attempt(conversation, work)

    async def _answer(
        self,
        conversation: Conversation,
        value: str,
        do: Callable[[Conversation, Digest, Visitor], Awaitable[str]],
    ) -> None:
        """Do the same for a button in a message, and answer below it."""
        digest = await self._desk.get(conversation.workspace, _digest_id(value))
        visitor = await self._access.require_editor_of(conversation, digest)
        await conversation.reply(line_message(await do(conversation, digest, visitor)))

    async def _sent(self, conversation: Conversation, digest: Digest, visitor: Visitor) -> str:
        try:
            await self._desk.send_now(conversation.workspace, digest.digest_id, by=visitor.editor)
        except SlackError as error:
            if not error.is_outcome_unknown:
                raise
            logger.warning("maybe sent", error=repr(error))
            return MAYBE_SENT
        return sent_line(visitor.channel.name if visitor.channel else None)

    async def _resumed(self, conversation: Conversation, digest: Digest, visitor: Visitor) -> str:
        require_open(visitor)
        resumed = await self._desk.resume(
            conversation.workspace, digest.digest_id, by=visitor.editor
        )
        return resumed_line(resumed, visitor.member.zone)


def _digest_id(value: str) -> str:
    """Return the digest that a button in a message is about. Its channel is asked of the store."""
    return value.rpartition("/")[2]
