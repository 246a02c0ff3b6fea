"""The form that makes or changes a digest: opened, drawn anew as people choose, saved."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.digests.errors import (
    AdminsOnlyError,
    ChangedMeanwhileError,
    GuestError,
    NotInChannelError,
    UnknownDigestError,
)
from bot.errors import BotError, StrangerError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, seen_channel
from bot.listeners.digests.drawing import drawn, drawn_as_saved, new_nonce
from bot.listeners.digests.note import FormNote, note_in
from bot.listeners.digests.offers import DigestOffers
from bot.listeners.digests.reading import GivenDigest, draft_in, read_digest_form
from bot.listeners.digests.saving import (
    COUNT_WITHIN_S,
    Saved,
    digest_of,
    matches_nothing,
    save_digest,
)
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.message import Block
from bot.slack.calls import Member
from bot.slack.errors import SlackError
from bot.store.errors import StoreError
from bot.views.digests.answers import EMPTY_FILTER, NOT_SAVED
from bot.views.digests.draft import (
    DAYS_FIELD,
    TIME_FIELD,
    ZONE_FIELD,
    Draft,
    is_zone,
)
from bot.views.digests.form import EDIT_FORM
from bot.views.digests.listing import CHANGE, NEW, saving_form
from bot.views.digests.trouble import changed_text

logger = structlog.get_logger()

# Then nothing that was filled in is of any use: the digest is gone, or none of their business.
_LOST = (UnknownDigestError, NotInChannelError, AdminsOnlyError, GuestError, StrangerError)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestFormListeners:
    """The listeners about that form. Who may do what: see `DigestAccess`.

    `count_within_s`: so long they look whether a filter matches anything.
    """

    desk: Desk
    access: DigestAccess
    screen: DigestScreen
    count_within_s: float = COUNT_WITHIN_S

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(NEW, self.open_new)
        dispatcher.on_press(CHANGE, self.open_change)
        for field in (DAYS_FIELD, TIME_FIELD, ZONE_FIELD):
            dispatcher.on_change(field, self.draw_again)
        dispatcher.on_form(EDIT_FORM, read_digest_form, self.save, meanwhile=saving_form)
        groups = self.access.rights.groups
        DigestOffers(desk=self.desk, groups=groups, clock=self.screen.clock).register(dispatcher)

    async def open_new(self, conversation: Conversation, _value: str) -> None:
        """Show an empty form: this channel, working days at nine by the person's own clock."""

        async def work() -> None:
            member = await self.access.require_maker(conversation)
            channel_id = note_in(conversation.note).channel_id
            channel = await seen_channel(conversation, channel_id) if channel_id else None
            zone = member.zone if member.zone and is_zone(member.zone) else "UTC"
            draft = Draft(channel_id=channel.channel_id if channel else None, zone=zone)
            note = FormNote(channel_id=channel_id, nonce=new_nonce(), zone=member.zone)
            await self.screen.show(conversation, self._drawn(conversation, note, draft))

        await self.screen.attempt(conversation, work)

    async def open_change(self, conversation: Conversation, digest_id: str) -> None:
        """Show a digest's plan in the form."""

        async def work() -> None:
            digest = await self.desk.get(conversation.workspace, digest_id)
            member = (await self.access.require_editor_of(conversation, digest)).member
            await self.screen.show(
                conversation, drawn_as_saved(conversation, self.screen.clock(), digest, member)
            )

        await self.screen.attempt(conversation, work)

    async def draw_again(
        self, conversation: Conversation, _value: str, values: Mapping[str, Any]
    ) -> None:
        """Show the next runs anew: days, time or zone were chosen."""
        number = self.screen.presses.note(conversation.view_id)
        try:
            form = await self._drawn_again(conversation, draft_in(values))
        except (SlackError, StoreError) as error:
            # What is typed would be lost for a preview; the next choice draws it again.
            logger.warning("the next runs are not up to date", error=repr(error))
            return
        await self.screen.show_newer(conversation, form, number)

    async def save(self, conversation: Conversation, given: GivenDigest) -> None:
        """Save the form and show the list; or the form again, with what was filled in."""
        number = self.screen.presses.note(conversation.view_id)
        try:
            saved = await save_digest(self.desk, self.access, conversation, given)
        except Exception as error:
            await self._show_not_saved(conversation, given.draft, error)
            if not isinstance(error, BotError):
                raise
            return
        await self._show_saved(conversation, saved, number)

    async def _drawn_again(self, conversation: Conversation, draft: Draft) -> Block:
        """Return the form with what is in it, or what has to stand in its place.

        It is not asked whether the person is in the channel, as they have all of it before them
        already: in a large one that takes many calls, at every tick of a box.

        Raises:
            SlackError, StoreError: nobody can say at the moment.
        """
        note = note_in(conversation.note)
        try:
            member = await self.access.require_maker(conversation)
            digest = await digest_of(self.desk, conversation, note) if note.digest_id else None
        except ChangedMeanwhileError as error:
            told = f"⚠️ {changed_text(error.digest)}"
            return drawn_as_saved(conversation, self.screen.clock(), error.digest, member, told)
        except (SlackError, StoreError):
            raise
        except BotError as error:  # it is gone, or no longer theirs
            said = await self.screen.trouble(conversation, error)
            return await self.screen.list_form(conversation, note.channel_id, said)
        return self._drawn(conversation, replace(note, zone=member.zone), draft, digest)

    async def _show_saved(self, conversation: Conversation, saved: Saved, number: int) -> None:
        """Show at once that it is saved; whether the filter is of any use takes a while."""
        plan, visitor = saved.digest.plan, saved.visitor
        screen, channel_id = self.screen, plan.channel_id
        await screen.show_list(conversation, channel_id, saved.said, visitor=visitor)
        if not await matches_nothing(self.desk, conversation, plan, within_s=self.count_within_s):
            return
        try:
            said = f"{saved.said}\n{EMPTY_FILTER}"
            form = await screen.list_form(conversation, channel_id, said, visitor=visitor)
        except BotError as error:
            logger.warning("an empty filter was not told", error=repr(error))
            return
        await screen.show_newer(conversation, form, number)

    async def _show_not_saved(
        self, conversation: Conversation, draft: Draft, error: Exception
    ) -> None:
        """Show the form again: what is in it now, or, if that has changed, what is saved."""
        said = await self.screen.trouble(conversation, error, NOT_SAVED)
        note = replace(note_in(conversation.note), nonce=new_nonce())
        try:
            member, digest = await self._asked(conversation, note)
        except _LOST:  # that is what `said` says
            await self.screen.show_list(conversation, note.channel_id, said)
            return
        except Exception as trouble:  # noqa: BLE001  # what is filled in must not be lost by it
            logger.warning("drawn without asking", error=repr(trouble))
            form = self._drawn(conversation, note, draft, None, said)
        else:
            form = self._drawn(conversation, note, draft, digest, said)
            if digest and digest.version != note.version:
                said = f"⚠️ {NOT_SAVED}{changed_text(digest)} This is how it is now."
                form = drawn_as_saved(conversation, self.screen.clock(), digest, member, said)
        await self.screen.show(conversation, form, said)

    async def _asked(
        self, conversation: Conversation, note: FormNote
    ) -> tuple[Member, Digest | None]:
        """Who asks, and the digest as it is now; raise whatever keeps them from changing it."""
        if note.digest_id is None:
            return await self.access.require_maker(conversation), None
        digest = await self.desk.get(conversation.workspace, note.digest_id)
        return (await self.access.require_editor_of(conversation, digest)).member, digest

    def _drawn(
        self,
        conversation: Conversation,
        note: FormNote,
        draft: Draft,
        digest: Digest | None = None,
        said: str = "",
    ) -> Block:
        return drawn(conversation, note, draft, self.screen.clock(), digest=digest, said=said)
