"""Handle the form that creates or changes a digest."""

import asyncio
import secrets
from dataclasses import dataclass, replace
from datetime import time

import structlog

from bot.blocks.message import Block
from bot.digests.access import ChannelAccess, DigestAccess, is_channel, require_open, seen_channel
from bot.digests.form_parse import GivenDigest, draft_in, read_digest_form
from bot.digests.models import Digest, EditConflictError, Mode, Plan, Silences, is_direct
from bot.digests.schedule import Schedule
from bot.digests.screen import DigestScreen, FormNote, note_in
from bot.digests.service import DigestService
from bot.digests.views import form_fields, modal, tables
from bot.digests.views.form_fields import (
    Draft,
    draft_of,
    hidden_values,
    with_hidden,
    zone_option,
)
from bot.digests.views.mention_fields import group_options, rule_label_options, with_rule
from bot.digests.views.wording import DIGEST_HERE, MAKE_DIGEST
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.process.errors import BotError, log_and_suppress
from bot.process.zones import is_zone, suggest_zones
from bot.slack.client import Member
from bot.slack.usergroups import UserGroups

logger = structlog.get_logger()
COUNT_WITHIN_S = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestFormListeners:
    """The listeners of the form, and of the buttons that make a digest without the list."""

    digests: DigestService
    access: DigestAccess
    screen: DigestScreen
    groups: UserGroups

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(tables.NEW, self.screen.in_form(self.open_new))
        dispatcher.action(tables.CHANGE, self.screen.in_form(self.open_change))
        dispatcher.action(MAKE_DIGEST, self.open_first)
        dispatcher.action(DIGEST_HERE, self.make_here)
        dispatcher.action(form_fields.MORE, self.show_more)
        of_days = (form_fields.DAYS_FIELD, form_fields.LOOK_DAYS_FIELD, form_fields.DAY_FIELD)
        of_time = (form_fields.REPEAT_FIELD, form_fields.TIME_FIELD, form_fields.ZONE_FIELD)
        for field in (*of_days, *of_time, form_fields.MODE_FIELD):
            dispatcher.action(field, self.draw_again, is_awaited=False)
        dispatcher.view(modal.EDIT_FORM, read_digest_form, self.save, busy=tables.saving_form)
        dispatcher.options(form_fields.ZONE_FIELD, self.offer_zones)
        dispatcher.options(form_fields.LABEL_FIELD, self.offer_labels)
        dispatcher.options(form_fields.GROUP_FIELD, self.offer_groups)

    async def offer_zones(self, _conversation: Request, typed: str) -> list[Block]:
        now = self.screen.clock()
        return [zone_option(name, now) for name in suggest_zones(typed)]

    async def offer_labels(self, request: Request, typed: str) -> list[Block]:
        return rule_label_options(await self.digests.labels(request.workspace), typed)

    async def offer_groups(self, request: Request, typed: str) -> list[Block]:
        return group_options(await self.groups.listed(request.client, request.workspace), typed)

    async def open_new(self, request: Request, _value: str) -> None:
        """Show a form with defaults: this channel, working days at nine in the person's zone."""
        member = await self.access.require_member(request)
        channel_id = note_in(request.note).channel_id
        channel = await seen_channel(request, channel_id) if channel_id else None
        draft = Draft(
            channel_id=channel.channel_id if channel else None, zone=zone_of_member(member)
        )
        note = FormNote(channel_id=channel_id, nonce=_nonce(), zone=member.zone)
        await self.screen.show(request, self._form(request, note, draft))

    async def open_line(self, request: Request, draft: Draft, line: str) -> None:
        """Show the form with what a typed line says; `line` names the rest of it."""

        async def opened(request: Request, _value: str) -> None:
            member = await self.access.require_member(request)
            channel_id = note_in(request.note).channel_id
            channel = await seen_channel(request, channel_id) if channel_id else None
            note = FormNote(channel_id=channel_id, nonce=_nonce(), zone=member.zone)
            placed = draft
            if not is_direct(draft.channel_id):
                placed = replace(draft, channel_id=channel.channel_id if channel else None)
            await self.screen.show(request, self._form(request, note, placed, line=line), line)

        await self.screen.in_form(opened)(request, "")

    async def open_first(self, request: Request, _value: str) -> None:
        """Open the form for a new digest, for the channel of the message if it has one."""
        channel_id = request.origin.channel_id
        note = FormNote(channel_id=channel_id if is_channel(channel_id) else None)
        request.note = note.as_text()
        busy = tables.busy_form(modal.LOOKING, request.as_metadata(request.note))
        request.view_id = await request.open_form(busy)
        await self.screen.in_form(self.open_new)(request, "")

    async def make_here(self, request: Request, digest_id: str) -> None:
        """Make the digest that the form proposes, posted when something got worse."""
        channel_id = request.origin.channel_id or ""
        visitor = await self.access.require_editor(request, channel_id)
        schedule = Schedule(form_fields.WEEKDAYS, time(9), zone_of_member(visitor.member))
        plan = Plan(channel_id=channel_id, schedule=schedule, mode=Mode.WORSE)
        require_open(visitor, plan)
        made, is_announced = await self.digests.make(
            request.workspace, plan, by=visitor.editor, digest_id=digest_id
        )
        answer = modal.made_message(
            made,
            visitor.member.zone,
            is_announced=is_announced,
            has_outsiders=visitor.has_outsiders,
        )
        await request.reply(answer)

    async def open_change(self, request: Request, digest_id: str) -> None:
        digest, editor = await self.access.digest_to_edit(request, digest_id)
        note = FormNote(
            channel_id=note_in(request.note).channel_id,
            digest_id=digest.digest_id,
            version=digest.version,
            nonce=_nonce(),
            zone=editor.member.zone,
        )
        silences = await self.digests.snoozes(request.workspace, digest)
        draft = draft_of(digest.plan)
        form = self._form(request, note, draft, digest, silences=silences)
        await self.screen.show(request, form)

    async def draw_again(self, request: Request, _value: str) -> None:
        """Redraw the next runs and the fields after a choice of days, time, zone or `Post`.

        No rights are checked: the person sees all of the form already, and saving checks them.
        """
        await self._draw(request, note_in(request.note))

    async def show_more(self, request: Request, _value: str) -> None:
        """Redraw the form with all fields; what was filled stays."""
        await self._draw(request, replace(note_in(request.note), has_more=True))

    async def _draw(self, request: Request, note: FormNote) -> None:
        number = self.screen.presses.note(request.view_id)
        # Rather the typed values than the preview: the next choice draws it again.
        with log_and_suppress("the next runs are not up to date", BotError):
            digest = await self._same_digest(request, note) if note.digest_id else None
            silences = await self.digests.snoozes(request.workspace, digest) if digest else None
            draft = draft_in(request.values, with_hidden(note.hidden))
            form = self._form(request, note, draft, digest, silences=silences)
            await self.screen.show_newer(request, form, number)

    async def save(self, request: Request, shown: GivenDigest) -> None:
        """Save the form and show the list; after a failure show the form with its values."""
        number = self.screen.presses.note(request.view_id)
        given = read_digest_form(shown.values, with_hidden(note_in(request.note).hidden))
        try:
            digest, visitor, line = await self._save(request, given)
        except Exception as error:
            await self._show_not_saved(request, given.draft, error)
            if not isinstance(error, BotError):
                raise
            return
        screen, channel_id = self.screen, digest.plan.channel_id
        await screen.show_list(request, channel_id, line, visitor=visitor)
        # The list is shown at once: checking the filter takes a while.
        if not await self._matches_nothing(request, digest.plan):
            return
        with log_and_suppress("no warning about an empty filter", BotError):
            line = f"{line}\n{modal.EMPTY_FILTER}"
            form = await screen.list_form(request, channel_id, line, visitor=visitor)
            await screen.show_newer(request, form, number)

    async def _save(
        self, request: Request, given: GivenDigest
    ) -> tuple[Digest, ChannelAccess, str]:
        """Create or change the digest; return it, its editor and the line that says so.

        After an error (see `require_open`, `DigestAccess` and `DigestService`) nothing was saved.
        """
        note, plan, workspace = note_in(request.note), given.plan, request.workspace
        before = await self._same_digest(request, note) if note.digest_id else None
        if before is None:
            visitor = await self.access.require_editor(request, plan.channel_id)
            require_open(visitor, plan)
            made, is_announced = await self.digests.make(
                workspace, plan, by=visitor.editor, digest_id=note.nonce.partition("-")[0]
            )
            line = modal.saved_line(made, visitor.member.zone)
            doubt = "" if is_announced else f"\n{modal.UNANNOUNCED}"
            return made, visitor, line + doubt
        if before.plan.channel_id == plan.channel_id:
            visitor = await self.access.require_editor_of(request, before)
        else:  # they must be in both channels
            visitor = await self.access.require_editor(request, plan.channel_id)
            await self.access.require_editor_of(request, before)
        require_open(visitor, plan)
        stay = [
            rule
            for place, rule in enumerate(before.plan.mentions)
            if given.kept is None or place in given.kept
        ]
        mentions = with_rule(stay, plan.mentions[0] if plan.mentions else None)
        changed = await self.digests.change(
            workspace,
            before.digest_id,
            replace(plan, mentions=mentions),
            by=visitor.editor,
            version=note.version,
        )
        return changed, visitor, modal.saved_line(changed, visitor.member.zone)

    async def _same_digest(self, request: Request, note: FormNote) -> Digest:
        """Return the digest of a form; raise UnknownDigestError or EditConflictError."""
        digest = await self.digests.get(request.workspace, note.digest_id or "")
        if digest.version != note.version:
            raise EditConflictError(digest)
        return digest

    async def _matches_nothing(self, request: Request, plan: Plan) -> bool:
        """Return whether no domain matches, as far as that is known in time. Never raises."""
        if not plan.filter_text:
            return False
        with log_and_suppress("not counted", Exception):  # it is saved: no error may say otherwise
            async with asyncio.timeout(COUNT_WITHIN_S):
                return await self.digests.matching(request.workspace, plan) == 0
        return False

    async def _show_not_saved(self, request: Request, draft: Draft, error: Exception) -> None:
        """Show the form again with its values, and why it was not saved."""
        line = await self.screen.trouble(request, error, modal.NOT_SAVED)
        note, digest = note_in(request.note), None
        # Its first part stays: the digest may have been saved all the same.
        note = replace(note, nonce=f"{note.nonce.partition('-')[0]}-{_nonce()}")
        with log_and_suppress("drawn without the digest", BotError):
            if note.digest_id:
                digest = await self.digests.get(request.workspace, note.digest_id)
        await self.screen.show(request, self._form(request, note, draft, digest, line), line)

    def _form(
        self,
        request: Request,
        note: FormNote,
        draft: Draft,
        digest: Digest | None = None,
        line: str = "",
        *,
        silences: Silences | None = None,
    ) -> Block:
        """Return the form with the values of `draft`; `digest` is `None` where unknown."""
        editing = modal.Editing(
            draft=draft,
            nonce=note.nonce,
            now=self.screen.clock(),
            reader_zone=note.zone,
            digest=digest,
            is_new=note.digest_id is None,
            note=line,
            silences=silences,
            has_more=note.has_more,
        )
        blocks = modal.edit_blocks(editing)
        note = replace(note, hidden=hidden_values(draft, blocks))
        return modal.edit_form(editing, blocks, request.as_metadata(note.as_text()))


def zone_of_member(member: Member) -> str:
    """Return the person's time zone, UTC where Slack knows none."""
    return member.zone if member.zone and is_zone(member.zone) else "UTC"


def _nonce() -> str:
    """Return a value with which Slack draws the fields of a form afresh: see `Editing`.

    That of a new digest is its id, up to a hyphen.
    """
    return secrets.token_hex(6)
