"""The form of `/domaindigest` on somebody's screen: what stands in it, and what went wrong."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from bot.connection import LackingScopeError
from bot.digests.desk import Desk
from bot.errors import BotError
from bot.keys import NoKeyError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor
from bot.listeners.digests.listed import listed_digests
from bot.listeners.digests.note import FormNote, note_in
from bot.listeners.failures import Failures
from bot.listeners.presses import Presses
from bot.message import Block
from bot.slack.calls import open_form, update_form
from bot.slack.errors import ChannelClosedError, FormChangedError, SlackError
from bot.store.errors import UnreadableSecretError
from bot.tracker.errors import InvalidKeyError
from bot.views.digests.answers import LOOKING, line_message
from bot.views.digests.listing import busy_form, list_form, trouble_form
from bot.views.digests.trouble import archived_line, trouble_line
from bot.views.failure import failure_message

logger = structlog.get_logger()

_ABOUT_KEY = (NoKeyError, InvalidKeyError, LackingScopeError, UnreadableSecretError)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestScreen:
    """Draws what people see. Everything happens in one form, so nothing stale lies below it."""

    desk: Desk
    access: DigestAccess
    failures: Failures
    clock: Callable[[], datetime]
    presses: Presses = field(default_factory=Presses)

    async def list_form(
        self,
        conversation: Conversation,
        channel_id: str | None,
        said: str = "",
        *,
        visitor: Visitor | None = None,
    ) -> Block:
        """Return the list of a channel as whoever asks may see it now.

        `visitor` is given where it was asked just now whether they may: in a large channel that
        takes Slack many calls.

        Raises:
            NotInChannelError and others: see `DigestAccess.require_visitor`. StoreError.
        """
        metadata = conversation.as_metadata(FormNote(channel_id=channel_id).as_text())
        visitor = visitor or await self.access.require_visitor(conversation, channel_id or "")
        digests = await self.desk.of_channel(conversation.workspace, channel_id or "")
        return list_form(listed_digests(visitor, digests, self.clock(), said), metadata)

    async def open_list(
        self, conversation: Conversation, channel_id: str | None, said: str = ""
    ) -> None:
        """Open the form, and show the list in it.

        First a form that says "please wait": Slack opens one for three seconds after a press, and
        who is in a large channel takes longer to ask.

        Raises:
            TriggerExpiredError, SlackError: it could not be opened.
        """
        conversation.note = FormNote(channel_id=channel_id).as_text()
        busy = busy_form(LOOKING, self._metadata(conversation))
        view_id = await open_form(conversation.client, conversation.trigger_id or "", busy)
        try:
            visitor = await self.access.require_visitor(conversation, channel_id or "")
        except Exception as error:
            conversation.view_id = view_id
            told = await self.trouble(conversation, error)
            form = trouble_form(told, self._metadata(conversation), "Try again")
            await self.show(conversation, form, told)
            if not isinstance(error, BotError):
                raise
            return
        conversation.view_id = view_id
        await self.show_list(conversation, channel_id, said, visitor=visitor)

    async def show_list(
        self,
        conversation: Conversation,
        channel_id: str | None,
        said: str = "",
        *,
        visitor: Visitor | None = None,
    ) -> None:
        """Show the list with a line on top; `said` must be told even when there is no list."""
        try:
            form = await self.list_form(conversation, channel_id, said, visitor=visitor)
        except Exception as error:
            way_out = "Back" if said else "Try again"
            said = said or await self.trouble(conversation, error)
            form = trouble_form(said, self._metadata(conversation), way_out)
            await self.show(conversation, form, said)
            if not isinstance(error, BotError):
                raise
            return
        await self.show(conversation, form, said)

    async def show(self, conversation: Conversation, form: Block, said: str = "") -> None:
        """Put `form` where the person waits; when they have closed it, tell them `said`."""
        try:
            view_hash = await update_form(conversation.client, conversation.view_id or "", form)
        except SlackError as error:
            logger.info("the form is gone", error=repr(error))
            if said:
                await conversation.reply(line_message(said))
        else:
            self.presses.note_drawn(conversation.view_id, view_hash)
            conversation.view_hash = view_hash

    async def show_newer(self, conversation: Conversation, form: Block, number: int) -> None:
        """Put `form` there unless something else was done in it since press `number`.

        It takes the place of nothing but what the person had before them when they pressed, or
        of what was drawn here since: another process may have put something newer there.
        """
        presses, view_id = self.presses, conversation.view_id
        async with presses.turn(view_id):
            hashes = (conversation.view_hash, presses.drawn_hash(view_id, number))
            for view_hash in dict.fromkeys(hashes):
                if view_hash is None or not presses.is_latest(view_id, number):
                    continue
                try:
                    drawn = await update_form(
                        conversation.client, view_id or "", form, view_hash=view_hash
                    )
                except FormChangedError:
                    continue
                except SlackError as error:
                    logger.info("the form is gone", error=repr(error))
                    return
                presses.note_drawn(view_id, drawn)
                return
        logger.info("left alone: the form shows something newer")

    async def show_busy(self, conversation: Conversation, words: str) -> None:
        """Say in the form that something takes a while: nothing can be pressed meanwhile."""
        await self.show(conversation, busy_form(words, self._metadata(conversation)))

    async def attempt(
        self,
        conversation: Conversation,
        work: Callable[[], Awaitable[str | None]],
        lead: str = "",
    ) -> None:
        """Do `work`, then show the list with the line that it returns; `None`: it has shown more.

        Whatever goes wrong is said there too, after `lead`, as what is behind a form is not seen.
        """
        self.presses.note(conversation.view_id)
        channel_id = note_in(conversation.note).channel_id
        try:
            said = await work()
        except Exception as error:
            told = await self.trouble(conversation, error, lead)
            await self.show_list(conversation, channel_id, told)
            if not isinstance(error, BotError):
                raise
            return
        if said is not None:
            await self.show_list(conversation, channel_id, said)

    async def trouble(self, conversation: Conversation, error: Exception, lead: str = "") -> str:
        """Return one line of mrkdwn about what went wrong, after `lead`."""
        logger.warning("told in the form", error=repr(error), cause=repr(error.__cause__))
        if isinstance(error, ChannelClosedError) and error.code == "is_archived":
            return archived_line(lead)
        facts = await self.failures.facts(error, conversation, conversation.reference)
        is_about_key = isinstance(error, _ABOUT_KEY)
        return trouble_line(failure_message(error, facts), lead, is_about_key=is_about_key)

    def _metadata(self, conversation: Conversation) -> str:
        note = FormNote(channel_id=note_in(conversation.note).channel_id)
        return conversation.as_metadata(note.as_text())
