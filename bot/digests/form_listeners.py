"""Handle the form that creates or changes a digest."""

import asyncio
import secrets
from dataclasses import dataclass, replace

import structlog

from bot.blocks.message import Block
from bot.digests.access import ChannelAccess, DigestAccess, is_channel, require_open, seen_channel
from bot.digests.draft import Draft, FormNote, draft_of, note_in, plan_of
from bot.digests.form_parse import (
    checked_values,
    draft_in,
    hidden_values,
    kept_rules,
    sent_draft,
    with_rule,
)
from bot.digests.models import Digest, EditConflictError, Mode, Plan, Snoozes, is_direct
from bot.digests.screen import DigestScreen
from bot.digests.service import DigestService
from bot.digests.views import form_fields, modal, tables
from bot.digests.views.wording import DIGEST_HERE, MAKE_DIGEST
from bot.dispatch.incoming import Values
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.process.errors import BotError, log_and_suppress
from bot.process.zones import is_zone, suggest_zones
from bot.slack.channels import UserGroups
from bot.slack.client import Member
from bot.slack.errors import SlackError
from bot.store.documents import StoreError

logger = structlog.get_logger()
COUNT_WITHIN_S = 2.0


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
        for field in (*of_days, *of_time, form_fields.MODE_FIELD, form_fields.REMIND_FIELD):
            dispatcher.action(field, self.draw_again, is_awaited=False)
        dispatcher.view(modal.EDIT_FORM, checked_values, self.save, busy=tables.saving_form)
        dispatcher.options(form_fields.ZONE_FIELD, self.offer_zones)
        dispatcher.options(form_fields.LABEL_FIELD, self.offer_labels)
        dispatcher.options(form_fields.GROUP_FIELD, self.offer_groups)
        dispatcher.options(form_fields.REMIND_GROUP_FIELD, self.offer_groups)

    async def offer_zones(self, _conversation: Request, typed: str) -> list[Block]:
        now = self.screen.clock()
        return [form_fields.zone_option(name, now) for name in suggest_zones(typed)]

    async def offer_labels(self, request: Request, typed: str) -> list[Block]:
        return form_fields.rule_label_options(await self.digests.labels(request.workspace), typed)

    async def offer_groups(self, request: Request, typed: str) -> list[Block]:
        return form_fields.group_options(
            await self.groups.listed(request.client, request.workspace), typed
        )

    async def open_new(self, request: Request, _value: str) -> None:
        await self.open(request, Draft())

    async def open_first(self, request: Request, _value: str) -> None:
        """Open the form for a new digest, for the channel of the message if it has one."""
        channel_id = request.origin.channel_id
        listed = channel_id if is_channel(channel_id) else None
        request, view_id = await self.screen.open_busy(request, listed)
        request.answer.view_id = view_id
        await self.screen.in_form(self.open_new)(request, "")

    async def open(self, request: Request, draft: Draft, line: str = "") -> None:
        """Show the form of a new digest, for the list's channel or for oneself.

        `line` names what is not understood of a typed line.
        """
        member = await self.access.require_member(request)
        channel_id = note_in(request.note).channel_id
        if not is_direct(draft.channel_id):
            channel = await seen_channel(request, channel_id) if channel_id else None
            draft = replace(draft, channel_id=channel.channel_id if channel else None)
        draft = replace(draft, zone=draft.zone or zone_of_member(member))
        note = FormNote(channel_id=channel_id, nonce=_nonce(), zone=member.zone)
        await self.screen.show(request, await self._form(request, note, draft, line=line), line)

    async def make_here(self, request: Request, digest_id: str) -> None:
        """Make the digest that the form proposes, posted when something got worse."""
        channel_id = request.origin.channel_id or ""
        visitor = await self.access.require_editor(request, channel_id)
        zone = zone_of_member(visitor.member)
        plan = plan_of(Draft(channel_id=channel_id, zone=zone, mode=Mode.WORSE.value))
        await self.make(request, plan, visitor, digest_id)

    async def make(
        self, request: Request, plan: Plan, visitor: ChannelAccess, digest_id: str = ""
    ) -> None:
        """Make a digest without the form, and answer with it; one without an id was typed."""
        require_open(visitor, plan)
        made, is_announced = await self.digests.make(
            request.workspace,
            plan,
            by=visitor.editor,
            digest_id=digest_id,
            has_outsiders=visitor.has_outsiders,
        )
        answer = modal.made_message(
            made,
            visitor.member.zone,
            is_announced=is_announced,
            has_outsiders=visitor.has_outsiders,
            is_line=not digest_id,
            matches_nothing=await self._matches_nothing(request, made.plan),
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
        form = await self._form(request, note, draft_of(digest.plan), digest)
        await self.screen.show(request, form)

    async def draw_again(self, request: Request, _value: str) -> None:
        """Redraw the next runs and the fields after a choice of days, time, zone or `Post`.

        No rights are checked: the person sees all of the form already, and saving checks them.
        """
        note = note_in(request.note)
        # Rather the typed values than the preview: the next choice draws it again.
        with log_and_suppress("the next runs are not up to date", BotError):
            digest = await self._same_digest(request, note)
            draft = draft_in(request.values, note.hidden)
            form = await self._form(request, note, draft, digest)
            if self.screen.latest.get(request.answer.view_id) == request.reference:
                await self.screen.show(request, form)

    async def show_more(self, request: Request, value: str) -> None:
        """Redraw the form with all fields; what was filled stays."""
        note = replace(note_in(request.note), has_more=True)
        await self.draw_again(replace(request, note=note.as_text()), value)

    async def save(self, request: Request, values: Values) -> None:
        draft = sent_draft(values, note_in(request.note).hidden)
        try:
            digest, visitor, line = await self._save(request, draft)
        except Exception as error:
            await self._show_not_saved(request, draft, error)
            if not isinstance(error, BotError):
                raise
            return
        if await self._matches_nothing(request, digest.plan):
            line = f"{line}\n{modal.EMPTY_FILTER}"
        await self.screen.show_list(request, digest.plan.channel_id, line, visitor=visitor)

    async def _save(self, request: Request, draft: Draft) -> tuple[Digest, ChannelAccess, str]:
        """Create or change the digest; return it, its editor and the line that says so.

        After an error (see `require_open`, `DigestAccess` and `DigestService`) nothing was saved.
        """
        note, plan, workspace = note_in(request.note), plan_of(draft), request.workspace
        before = await self._same_digest(request, note)
        is_moved = before is None or before.plan.channel_id != plan.channel_id
        # They must be in both channels.
        visitor = await self.access.require_editor(
            request, plan.channel_id, digest=None if is_moved else before
        )
        if before and is_moved:
            await self.access.digest_to_edit(request, before.digest_id)
        require_open(visitor, plan)
        is_announced = True
        if before is None:
            saved, is_announced = await self.digests.make(
                workspace,
                plan,
                by=visitor.editor,
                digest_id=note.nonce.partition("-")[0],
                has_outsiders=visitor.has_outsiders,
            )
        else:
            mentions = with_rule(kept_rules(draft, before.plan.mentions), plan.mentions)
            plan = replace(plan, mentions=mentions)
            saved = await self.digests.change(
                workspace,
                before.digest_id,
                plan,
                by=visitor.editor,
                version=note.version,
                has_outsiders=visitor.has_outsiders,
            )
        line = modal.saved_line(saved, visitor.member.zone)
        return saved, visitor, line if is_announced else f"{line}\n{modal.UNANNOUNCED}"

    async def _same_digest(self, request: Request, note: FormNote) -> Digest | None:
        """Return a form's digest or `None`; raise UnknownDigestError or EditConflictError."""
        if not note.digest_id:
            return None
        digest = await self.digests.get(request.workspace, note.digest_id)
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
        line = await self.screen.trouble(request, error, modal.NOT_SAVED)
        note, digest = note_in(request.note), None
        # Its first part stays: the digest may have been saved all the same.
        note = replace(note, nonce=f"{note.nonce.partition('-')[0]}-{_nonce()}")
        with log_and_suppress("drawn without the digest", BotError):
            if note.digest_id:
                digest = await self.digests.get(request.workspace, note.digest_id)
                if isinstance(error, SlackError):  # a move was undone: that is a version, too
                    note = replace(note, version=digest.version)
        form = await self._form(request, note, draft, digest, line)
        await self.screen.show(request, form, line)

    async def _form(
        self,
        request: Request,
        note: FormNote,
        draft: Draft,
        digest: Digest | None = None,
        line: str = "",
    ) -> Block:
        """Return the form with the values of `draft`; `digest` is `None` where unknown."""
        silences: Snoozes = ()
        if digest:
            with log_and_suppress("drawn without its snoozes", StoreError):
                silences = await self.digests.snoozes(request.workspace, digest)
        blocks = modal.edit_blocks(draft, note, self.screen.clock(), digest, line, silences)
        note = replace(note, hidden=hidden_values(draft, blocks))
        return modal.edit_form(note, blocks, request.as_metadata(note.as_text()))


def zone_of_member(member: Member) -> str:
    """Return the person's time zone, UTC where Slack knows none."""
    return member.zone if member.zone and is_zone(member.zone) else "UTC"


def _nonce() -> str:
    """Return a nonce, see `FormNote`; that of a new digest is its id, up to a hyphen."""
    return secrets.token_hex(6)
