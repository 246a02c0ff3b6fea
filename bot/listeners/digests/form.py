"""The form that makes or changes a digest: opened, drawn anew as people choose, saved."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.digests.errors import ChangedMeanwhileError
from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess, seen_channel
from bot.listeners.digests.note import FormNote, note_in
from bot.listeners.digests.offers import DigestOffers
from bot.listeners.digests.reading import GivenDigest, draft_in, read_digest_form
from bot.listeners.digests.saving import digest_of, save_digest
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.message import Block
from bot.slack.calls import Member
from bot.slack.errors import SlackError
from bot.store.errors import StoreError
from bot.views.digests.answers import NOT_SAVED
from bot.views.digests.draft import (
    DAYS_FIELD,
    TIME_FIELD,
    ZONE_FIELD,
    Draft,
    draft_of,
    is_zone,
)
from bot.views.digests.form import EDIT_FORM, Editing, edit_form
from bot.views.digests.listing import CHANGE, NEW, saving_form
from bot.views.digests.mentions import REMOVE_RULE
from bot.views.digests.trouble import changed_text

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestFormListeners:
    """The listeners about that form. Who may do what: see `DigestAccess`."""

    desk: Desk
    access: DigestAccess
    screen: DigestScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(NEW, self.open_new)
        dispatcher.on_press(CHANGE, self.open_change)
        for field in (DAYS_FIELD, TIME_FIELD, ZONE_FIELD):
            dispatcher.on_change(field, self.draw_again)
        dispatcher.on_change(REMOVE_RULE, self.remove_rule)
        dispatcher.on_form(EDIT_FORM, read_digest_form, self.save, meanwhile=saving_form)
        DigestOffers(desk=self.desk, clock=self.screen.clock).register(dispatcher)

    async def open_new(self, conversation: Conversation, _value: str) -> None:
        """Show an empty form: this channel, working days at nine by the person's own clock."""

        async def work() -> None:
            member = await self.access.require_maker(conversation)
            channel_id = note_in(conversation.note).channel_id
            channel = await seen_channel(conversation, channel_id) if channel_id else None
            zone = member.zone if member.zone and is_zone(member.zone) else "UTC"
            draft = Draft(channel_id=channel.channel_id if channel else None, zone=zone)
            note = FormNote(channel_id=channel_id, nonce=_nonce())
            form = edit_form(
                self._editing(note, draft, member), conversation.as_metadata(note.as_text())
            )
            await self.screen.show(conversation, form)

        await self.screen.attempt(conversation, work)

    async def open_change(self, conversation: Conversation, digest_id: str) -> None:
        """Show a digest's plan in the form."""

        async def work() -> None:
            digest = await self.desk.get(conversation.workspace, digest_id)
            await self._show_digest(conversation, digest)

        await self.screen.attempt(conversation, work)

    async def draw_again(
        self, conversation: Conversation, _value: str, values: Mapping[str, Any]
    ) -> None:
        """Show the next runs anew: days, time or zone were chosen."""
        try:
            await self._draw_again(conversation, note_in(conversation.note), values)
        except (SlackError, StoreError) as error:
            # What is typed would be lost for a preview; the next choice draws it again.
            logger.warning("the next runs are not up to date", error=repr(error))

    async def remove_rule(
        self, conversation: Conversation, value: str, values: Mapping[str, Any]
    ) -> None:
        """Take a rule of mention out of the form; it is gone once the form is saved."""
        note = note_in(conversation.note).without_rule(int(value))
        await self._draw_again(conversation, note, values)

    async def save(self, conversation: Conversation, given: GivenDigest) -> None:
        """Save the form and show the list; or the form again, with what was filled in."""
        self.screen.presses.note(conversation.view_id)
        try:
            visitor, said = await save_digest(self.desk, self.access, conversation, given.plan)
        except Exception as error:
            await self._show_not_saved(conversation, given.draft, error)
            if not isinstance(error, BotError):
                raise
            return
        await self.screen.show_list(conversation, given.plan.channel_id, said, visitor=visitor)

    async def _draw_again(
        self, conversation: Conversation, note: FormNote, values: Mapping[str, Any]
    ) -> None:
        """Draw the form with what is in it; raise SlackError or StoreError and leave it alone."""
        number = self.screen.presses.note(conversation.view_id)
        try:
            form = await self._form(conversation, note, draft_in(values), is_known=True)
        except ChangedMeanwhileError as error:
            await self._show_digest(conversation, error.digest, f"⚠️ {changed_text(error)}")
        except (SlackError, StoreError):
            raise
        except BotError as error:  # it is gone, or no longer theirs
            said = await self.screen.trouble(conversation, error)
            await self.screen.show_list(conversation, note.channel_id, said)
        else:
            await self.screen.show_newer(conversation, form, number)

    async def _form(
        self,
        conversation: Conversation,
        note: FormNote,
        draft: Draft,
        said: str = "",
        *,
        is_known: bool = False,
    ) -> Block:
        """Return the form as `note` and `draft` describe it.

        `is_known`: the person has all of it before them already, so it is not asked whether they
        are in the channel; in a large one that takes many calls, at every tick of a box.

        Raises:
            ChangedMeanwhileError: the digest is no longer as the note says.
            UnknownDigestError, and others: see `DigestAccess`.
        """
        digest = await digest_of(self.desk, conversation, note) if note.digest_id else None
        if digest is None or is_known:
            member = await self.access.require_maker(conversation)
        else:
            member = (await self.access.require_editor_of(conversation, digest)).member
        editing = replace(self._editing(note, draft, member), digest=digest, said=said)
        return edit_form(editing, conversation.as_metadata(note.as_text()))

    def _editing(self, note: FormNote, draft: Draft, member: Member) -> Editing:
        return Editing(
            draft=draft,
            nonce=note.nonce,
            now=self.screen.clock(),
            reader_zone=member.zone,
            removed=note.removed,
        )

    async def _show_digest(
        self, conversation: Conversation, digest: Digest, said: str = ""
    ) -> None:
        note = FormNote(
            channel_id=note_in(conversation.note).channel_id,
            digest_id=digest.digest_id,
            version=digest.version,
            nonce=_nonce(),
        )
        form = await self._form(conversation, note, draft_of(digest.plan), said)
        await self.screen.show(conversation, form, said)

    async def _show_not_saved(
        self, conversation: Conversation, draft: Draft, error: Exception
    ) -> None:
        """Show the form again: what is in it now, or, if that has changed, what is saved."""
        said = await self.screen.trouble(conversation, error, NOT_SAVED)
        note = replace(note_in(conversation.note), nonce=_nonce())
        try:
            if isinstance(error, ChangedMeanwhileError):
                said = f"⚠️ {NOT_SAVED}{changed_text(error)} This is how it is now."
                await self._show_digest(conversation, error.digest, said)
                return
            form = await self._form(conversation, note, draft, said)
        except BotError:  # it is gone, or no longer theirs: that is what `said` says
            await self.screen.show_list(conversation, note.channel_id, said)
            return
        await self.screen.show(conversation, form, said)


def _nonce() -> str:
    return secrets.token_hex(4)
