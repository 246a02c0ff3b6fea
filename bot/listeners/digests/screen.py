"""The form of `/domaindigest` on somebody's screen: its list, and what went wrong."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from cachetools import LRUCache

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, Visitor
from bot.listeners.digests.note import FormNote, note_in
from bot.listeners.failures import Failures
from bot.message import Block
from bot.slack.calls import open_form, update_form
from bot.slack.channels import Channel
from bot.slack.errors import FormChangedError, SlackError
from bot.views.digests.answers import LOOKING, line_message
from bot.views.digests.listing import DigestList, Place, busy_form, list_form, trouble_form
from bot.views.digests.trouble import trouble_line
from bot.views.failure import failure_message

logger = structlog.get_logger()

MAX_FORMS = 10_000


class Presses:
    """Counts what is done in each open form, so that an older answer does not hide a newer one."""

    def __init__(self) -> None:
        self._latest: LRUCache[str | None, int] = LRUCache(MAX_FORMS)

    def note(self, view_id: str | None) -> int:
        """Note a press in a form; return its number, by which `is_latest` knows it."""
        number = self._latest.get(view_id, 0) + 1
        self._latest[view_id] = number
        return number

    def is_latest(self, view_id: str | None, number: int) -> bool:
        """Say whether nothing was done in that form since."""
        return self._latest.get(view_id, number) == number


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
        if visitor.sees_own_only:
            digests = [each for each in digests if each.made_by == visitor.member.user_id]
        return list_form(self._listed(visitor, digests, said), metadata)

    async def open_list(self, conversation: Conversation, channel_id: str | None) -> None:
        """Open the form, and show the list in it.

        First a form that says "please wait": Slack opens one for three seconds after a press, and
        who is in a large channel takes longer to ask.

        Raises:
            TriggerExpiredError, SlackError: it could not be opened.
        """
        busy = busy_form(
            LOOKING, conversation.as_metadata(FormNote(channel_id=channel_id).as_text())
        )
        view_id = await open_form(conversation.client, conversation.trigger_id or "", busy)
        try:
            visitor = await self.access.require_visitor(conversation, channel_id or "")
        except BotError as error:
            conversation.view_id = view_id
            said = await self.trouble(conversation, error)
            await self.show(conversation, trouble_form(said, self._metadata(conversation)), said)
            return
        conversation.view_id = view_id
        await self.show_list(conversation, channel_id, visitor=visitor)

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
        except BotError as error:
            said = said or await self.trouble(conversation, error)
            form = trouble_form(said, self._metadata(conversation))
        await self.show(conversation, form, said)

    async def show(self, conversation: Conversation, form: Block, said: str = "") -> None:
        """Put `form` where the person waits; when they have closed it, tell them `said`."""
        try:
            await update_form(conversation.client, conversation.view_id or "", form)
        except SlackError as error:
            logger.info("the form is gone", error=repr(error))
            if said:
                await conversation.reply(line_message(said))

    async def show_newer(self, conversation: Conversation, form: Block, number: int) -> None:
        """Put `form` there unless something else was done in it since press `number`."""
        if not self.presses.is_latest(conversation.view_id, number):
            return
        try:
            await update_form(
                conversation.client,
                conversation.view_id or "",
                form,
                view_hash=conversation.view_hash,
            )
        except FormChangedError:
            # By the answer to a press before this one: then this one is right, and still wanted.
            if self.presses.is_latest(conversation.view_id, number):
                await self.show(conversation, form)
        except SlackError as error:
            logger.info("the form is gone", error=repr(error))

    async def show_busy(self, conversation: Conversation, words: str) -> None:
        """Say in the form that something takes a while: nothing can be pressed meanwhile."""
        await self.show(conversation, busy_form(words, self._metadata(conversation)))

    async def attempt(
        self, conversation: Conversation, work: Callable[[], Awaitable[str | None]]
    ) -> None:
        """Do `work`, then show the list with the line that it returns; `None`: it has shown more.

        Whatever goes wrong is said there too, as what is behind a form is not seen.
        """
        self.presses.note(conversation.view_id)
        channel_id = note_in(conversation.note).channel_id
        try:
            said = await work()
        except Exception as error:
            await self.show_list(conversation, channel_id, await self.trouble(conversation, error))
            if not isinstance(error, BotError):
                raise
            return
        if said is not None:
            await self.show_list(conversation, channel_id, said)

    async def trouble(self, conversation: Conversation, error: Exception, lead: str = "") -> str:
        """Return one line of mrkdwn about what went wrong, after `lead`."""
        logger.warning("told in the form", error=repr(error), cause=repr(error.__cause__))
        facts = await self.failures.facts(error, conversation, "")
        return trouble_line(failure_message(error, facts), lead)

    def _listed(self, visitor: Visitor, digests: Sequence[Digest], said: str) -> DigestList:
        return DigestList(
            digests=digests,
            place=_place(visitor.channel),
            now=self.clock(),
            reader_zone=visitor.member.zone,
            may_change=visitor.may_change,
            is_admin=visitor.member.is_admin,
            is_restricted=visitor.is_restricted,
            said=said,
        )

    def _metadata(self, conversation: Conversation) -> str:
        note = FormNote(channel_id=note_in(conversation.note).channel_id)
        return conversation.as_metadata(note.as_text())


def _place(channel: Channel | None) -> Place | None:
    if channel is None:
        return None
    return Place(
        name=channel.name,
        has_bot=channel.has_bot,
        is_archived=channel.is_archived,
        is_shared=channel.is_shared,
    )
