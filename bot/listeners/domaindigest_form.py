"""Handle the form that creates or changes a digest."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog

from bot.digests.models import (
    MAX_RULES,
    AdminsOnlyError,
    Digest,
    EditConflictError,
    GuestError,
    Mention,
    NotInChannelError,
    Plan,
    UnknownDigestError,
)
from bot.digests.schedule import is_zone, suggest_zones
from bot.digests.service import DigestService
from bot.errors import BotError, StrangerError
from bot.listeners.domaindigest_parse import GivenDigest, draft_in, read_digest_form
from bot.listeners.modals import DigestScreen, FormNote, note_in
from bot.listeners.permissions import ChannelAccess, DigestAccess, require_open, seen_channel
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.message import Block
from bot.slack.client import Member
from bot.slack.errors import SlackError
from bot.slack.usergroups import UserGroups
from bot.store.documents import StoreError
from bot.views.digests.errors import changed_text
from bot.views.digests.form_fields import (
    DAYS_FIELD,
    GROUP_FIELD,
    LABEL_FIELD,
    TIME_FIELD,
    ZONE_FIELD,
    Draft,
    draft_of,
    zone_option,
)
from bot.views.digests.mention_fields import group_options, rule_label_options, with_rule
from bot.views.digests.modal import (
    EDIT_FORM,
    EMPTY_FILTER,
    NOT_SAVED,
    UNANNOUNCED,
    Editing,
    edit_form,
    saved_line,
)
from bot.views.digests.tables import CHANGE, NEW, saving_form


def drawn(
    conversation: Request,
    note: FormNote,
    draft: Draft,
    now: datetime,
    *,
    digest: Digest | None,
    said: str = "",
) -> Block:
    """Return the form as `note` and `draft` describe it; `digest` is `None` where unknown."""
    editing = Editing(
        draft=draft,
        nonce=note.nonce,
        now=now,
        reader_zone=note.zone,
        digest=digest,
        is_new=note.digest_id is None,
        said=said,
    )
    return edit_form(editing, conversation.as_metadata(note.as_text()))


def drawn_as_saved(
    conversation: Request, now: datetime, digest: Digest, member: Member, said: str = ""
) -> Block:
    """Return a form anew with a digest as it is saved, for `member`."""
    note = FormNote(
        channel_id=note_in(conversation.note).channel_id,
        digest_id=digest.digest_id,
        version=digest.version,
        nonce=new_nonce(),
        zone=member.zone,
    )
    return drawn(conversation, note, draft_of(digest.plan), now, digest=digest, said=said)


def new_nonce() -> str:
    """Return what makes a form begin anew: see `Editing`."""
    return secrets.token_hex(4)


class DigestOffers:
    """The listeners that fill those menus. Where nobody answers in time, they stay empty."""

    def __init__(
        self, *, desk: DigestService, groups: UserGroups, clock: Callable[[], datetime]
    ) -> None:
        self._desk = desk
        self._groups = groups
        self._clock = clock

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_options(ZONE_FIELD, self.offer_zones)
        dispatcher.on_options(LABEL_FIELD, self.offer_labels)
        dispatcher.on_options(GROUP_FIELD, self.offer_groups)

    async def offer_zones(self, _conversation: Request, typed: str) -> list[Block]:
        """Offer the time zones that were meant."""
        now = self._clock()
        names = await asyncio.to_thread(suggest_zones, typed, now)
        return [zone_option(name, now) for name in names]

    async def offer_labels(self, conversation: Request, typed: str) -> list[Block]:
        """Offer the tags and folders in use, and what was typed."""
        return rule_label_options(await self._desk.labels(conversation.workspace), typed)

    async def offer_groups(self, conversation: Request, typed: str) -> list[Block]:
        """Offer the user groups; none where the bot may not ask for them."""
        groups = await self._groups.listed(conversation.client, conversation.workspace)
        return group_options((group for group in groups if not group.is_disabled), typed)


logger = structlog.get_logger()
COUNT_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True)
class Saved:
    """A digest that is saved. `visitor` is who did it, in its channel; `said` tells of it."""

    digest: Digest
    visitor: ChannelAccess
    said: str


async def save_digest(
    desk: DigestService, access: DigestAccess, conversation: Request, given: GivenDigest
) -> Saved:
    """Make or change the digest of a form, once it is sure that its person may do that.

    Raises:
        BotNotInChannelError, ChannelClosedError: nothing can be posted there.
        EditConflictError, UnknownDigestError, TooManyDigestsError, SlackError, StoreError, and
        others: see `DigestAccess` and `DigestService`. Nothing was saved.
    """
    note, plan = note_in(conversation.note), given.plan
    if note.digest_id is None:
        visitor = await access.require_editor(conversation, plan.channel_id)
        require_open(visitor)
        made = await desk.make(conversation.workspace, plan, by=visitor.editor)
        doubts = [] if made.is_announced else [UNANNOUNCED]
        return _saved(made.digest, visitor, *doubts)
    before = await digest_of(desk, conversation, note)
    visitor = await _editor(access, conversation, before, plan.channel_id)
    require_open(visitor)
    changed = await desk.change(
        conversation.workspace,
        before.digest_id,
        replace(plan, mentions=_rules(before, given.kept, plan.mentions)),
        by=visitor.editor,
        version=note.version,
    )
    return _saved(changed, visitor)


async def matches_nothing(
    desk: DigestService, conversation: Request, plan: Plan, *, within_s: float
) -> bool:
    """Say whether it is sure, within some seconds, that no domain matches a plan. Never raises."""
    if not plan.filter_text:
        return False
    try:
        async with asyncio.timeout(within_s):
            return await desk.matching(conversation.workspace, plan) == 0
    except Exception as error:  # noqa: BLE001  # it is saved: nothing may say that it is not
        logger.warning("not counted", error=repr(error))
        return False


async def digest_of(desk: DigestService, conversation: Request, note: FormNote) -> Digest:
    """Return the digest that a form is about.

    Raises:
        UnknownDigestError: it was deleted. EditConflictError: it is not that version any more.
    """
    digest = await desk.get(conversation.workspace, note.digest_id or "")
    if digest.version != note.version:
        raise EditConflictError(digest)
    return digest


async def _editor(
    access: DigestAccess, conversation: Request, before: Digest, channel_id: str
) -> ChannelAccess:
    """Whoever asks, in the channel where the digest is to be; they must be in its old one too."""
    if before.plan.channel_id == channel_id:
        return await access.require_editor_of(conversation, before)
    visitor = await access.require_editor(conversation, channel_id)
    await access.require_editor_of(conversation, before)
    return visitor


def _saved(digest: Digest, visitor: ChannelAccess, *doubts: str) -> Saved:
    line = saved_line(digest, visitor.member.zone)
    return Saved(digest, visitor, "\n".join([line, *doubts]))


def _rules(
    before: Digest, kept: frozenset[int] | None, new: tuple[Mention, ...]
) -> tuple[Mention, ...]:
    """Return the rules of mention that stay, and the new one; the form shows the first ten."""
    rules = before.plan.mentions
    stay = [
        rule
        for place, rule in enumerate(rules)
        if kept is None or place in kept or place >= MAX_RULES
    ]
    return with_rule(stay, new[0] if new else None)


# Then nothing that was filled in is of any use: the digest is gone, or none of their business.
_LOST = (UnknownDigestError, NotInChannelError, AdminsOnlyError, GuestError, StrangerError)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestFormListeners:
    """The listeners about that form. Who may do what: see `DigestAccess`.

    `count_within_s`: so long they look whether a filter matches anything.
    """

    desk: DigestService
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

    async def open_new(self, conversation: Request, _value: str) -> None:
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

    async def open_change(self, conversation: Request, digest_id: str) -> None:
        """Show a digest's plan in the form."""

        async def work() -> None:
            digest = await self.desk.get(conversation.workspace, digest_id)
            member = (await self.access.require_editor_of(conversation, digest)).member
            await self.screen.show(
                conversation, drawn_as_saved(conversation, self.screen.clock(), digest, member)
            )

        await self.screen.attempt(conversation, work)

    async def draw_again(
        self, conversation: Request, _value: str, values: Mapping[str, Any]
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

    async def save(self, conversation: Request, given: GivenDigest) -> None:
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

    async def _drawn_again(self, conversation: Request, draft: Draft) -> Block:
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
        except EditConflictError as error:
            told = f"⚠️ {changed_text(error.digest)}"
            return drawn_as_saved(conversation, self.screen.clock(), error.digest, member, told)
        except (SlackError, StoreError):
            raise
        except BotError as error:  # it is gone, or no longer theirs
            said = await self.screen.trouble(conversation, error)
            return await self.screen.list_form(conversation, note.channel_id, said)
        return self._drawn(conversation, replace(note, zone=member.zone), draft, digest)

    async def _show_saved(self, conversation: Request, saved: Saved, number: int) -> None:
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

    async def _show_not_saved(self, conversation: Request, draft: Draft, error: Exception) -> None:
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

    async def _asked(self, conversation: Request, note: FormNote) -> tuple[Member, Digest | None]:
        """Who asks, and the digest as it is now; raise whatever keeps them from changing it."""
        if note.digest_id is None:
            return await self.access.require_maker(conversation), None
        digest = await self.desk.get(conversation.workspace, note.digest_id)
        return (await self.access.require_editor_of(conversation, digest)).member, digest

    def _drawn(
        self,
        conversation: Request,
        note: FormNote,
        draft: Draft,
        digest: Digest | None = None,
        said: str = "",
    ) -> Block:
        return drawn(conversation, note, draft, self.screen.clock(), digest=digest, said=said)
