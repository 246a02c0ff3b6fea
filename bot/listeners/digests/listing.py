"""`/domaindigest`: the list of a channel's digests, and what its buttons do."""

import asyncio
from collections.abc import Awaitable, Callable

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.digests.errors import AdminsOnlyError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor
from bot.listeners.digests.acts import resume_digest, send_digest
from bot.listeners.digests.messages import DigestMessageListeners
from bot.listeners.digests.note import note_in
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.slack.errors import TriggerExpiredError
from bot.slack.replies import Way
from bot.views.digests.answers import (
    DELETED,
    NOT_SENT,
    PREVIEWED,
    PREVIEWED_ELSEWHERE,
    PREVIEWING,
    RESTRICTED,
    SENDING,
    UNRESTRICTED,
)
from bot.views.digests.form import BACK
from bot.views.digests.listing import ADMINS_MAY, DELETE, PREVIEW, RESTRICT, RESUME, SEND
from bot.views.digests.post import digest_message
from bot.views.usage import usage_message
from bot.words import NotUnderstood, NotUnderstoodError, is_help, split_words

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
        DigestMessageListeners(desk=self._desk, access=self._access, screen=self._screen).register(
            dispatcher
        )
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
        if conversation.trigger_id is None:
            raise TriggerExpiredError("nobody typed anything just now")
        await self._access.require_member(conversation)
        await self._screen.open_list(conversation, conversation.origin.channel_id)

    async def go_back(self, conversation: Conversation, _value: str) -> None:
        """Show the list again."""
        self._screen.presses.note(conversation.view_id)
        await self._screen.show_list(conversation, note_in(conversation.note).channel_id)

    async def send(self, conversation: Conversation, digest_id: str) -> None:
        """Post a digest now."""

        async def work(digest: Digest, visitor: Visitor) -> str:
            await self._screen.show_busy(conversation, SENDING)
            return await send_digest(self._desk, conversation, digest, visitor)

        await self._with_digest(conversation, digest_id, work, NOT_SENT)

    async def preview(self, conversation: Conversation, digest_id: str) -> None:
        """Show whoever asks, and nobody else, what would be posted now."""

        async def work(digest: Digest, _visitor: Visitor) -> str:
            await self._screen.show_busy(conversation, PREVIEWING)
            post = await self._desk.preview(conversation.workspace, digest)
            await conversation.reply(await asyncio.to_thread(digest_message, post))
            is_there = conversation.answered_by is Way.THERE
            return PREVIEWED if is_there else PREVIEWED_ELSEWHERE

        await self._with_digest(conversation, digest_id, work)

    async def resume(self, conversation: Conversation, digest_id: str) -> None:
        """Let a digest run again."""

        async def work(digest: Digest, visitor: Visitor) -> str:
            return await resume_digest(self._desk, conversation, digest, visitor)

        await self._with_digest(conversation, digest_id, work)

    async def delete(self, conversation: Conversation, digest_id: str) -> None:
        """Forget a digest; Slack has asked whether that is meant."""

        async def work(digest: Digest, visitor: Visitor) -> str:
            await self._desk.delete(conversation.workspace, digest.digest_id, by=visitor.editor)
            return DELETED

        await self._with_digest(conversation, digest_id, work)

    async def restrict(self, conversation: Conversation, value: str) -> None:
        """Say whether only admins may change digests."""

        async def work() -> str:
            if not (await self._access.require_member(conversation)).is_admin:
                raise AdminsOnlyError("not theirs to say")
            admins_only = value == ADMINS_MAY
            await self._desk.restrict(
                conversation.workspace, admins_only=admins_only, by=conversation.origin.user_id
            )
            return RESTRICTED if admins_only else UNRESTRICTED

        await self._screen.attempt(conversation, work)

    async def _with_digest(
        self, conversation: Conversation, digest_id: str, do: DigestWork, lead: str = ""
    ) -> None:
        """Do something with a digest, if that is theirs to do; then show the list again.

        `lead` goes before what is said when it was not done.
        """

        async def work() -> None:
            digest = await self._desk.get(conversation.workspace, digest_id)
            visitor = await self._access.require_editor_of(conversation, digest)
            said = await do(digest, visitor)
            listed = note_in(conversation.note).channel_id
            # Into an archived channel it was not looked at all, as the digest is their own.
            is_seen = not (visitor.sees_own_only and visitor.channel)
            known = visitor if is_seen and listed == digest.plan.channel_id else None
            await self._screen.show_list(conversation, listed, said, visitor=known)

        await self._screen.attempt(conversation, work, lead)
