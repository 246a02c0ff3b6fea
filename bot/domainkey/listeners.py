"""Handle `/domainkey`: the key's state and history, managers, who may add and scan, nights."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.access import views as admin
from bot.access.permissions import (
    AUDIENCE_NAMES,
    CHOSEN_FOR,
    MAX_MANAGERS,
    Permissions,
    UnfitManagerError,
)
from bot.access.repository import Act, Audit
from bot.blocks.message import Message
from bot.digests.service import DigestService
from bot.dispatch.commands import Audience
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.incoming import field_in
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.router import Dispatcher
from bot.domainkey import views
from bot.domainkey.service import KeyService
from bot.keys.views import CHECK_KEY
from bot.process.errors import BotError
from bot.scans.nightly import NightlySetting
from bot.slack.client import fetch_member


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyListeners:
    """The listeners about the key, and what admins decide. Each checks the person's rights."""

    permissions: Permissions
    key_service: KeyService
    digests: DigestService
    audit: Audit
    nightly_setting: NightlySetting
    explain: ExplainFailure

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/domainkey", self.show_state)
        dispatcher.action(CHECK_KEY, self.check_key, replies=True)
        dispatcher.action(views.ROLL_BACK, self.roll_back, replies=True)
        dispatcher.action(views.REMOVE_KEY, self.remove_key, replies=True)
        dispatcher.action(views.SHOW_HISTORY, self.show_history)
        dispatcher.action(views.NAME_MANAGERS, self.open_managers)
        naming = partial(admin.managers_notice, admin.SAVING)
        dispatcher.view(admin.MANAGERS_FORM, read_managers_form, self.name, busy=naming)
        dispatcher.action(views.CHOOSE_AUDIENCES, self.open_audiences)
        choosing = partial(admin.audiences_notice, admin.SAVING)
        dispatcher.view(admin.AUDIENCES_FORM, read_audiences_form, self.choose, busy=choosing)
        dispatcher.action(views.TURN_NIGHTS, self.turn_nights, replies=True)

    async def show_state(self, request: Request, text: str) -> None:
        """Answer `/domainkey`. Text after the command is neither read nor repeated."""
        request.answer.command_line = "/domainkey"
        if text.strip():
            await request.reply(views.TYPED_KEY)
        else:
            member = await self.permissions.require_configurer(request)
            state = await self.key_service.state_message(member, request.workspace)
            await request.reply(state)

    async def check_key(self, request: Request, _value: str) -> None:
        """Ask the service whether the key works now, even if it was refused before."""
        await self.permissions.require_configurer(request)
        request.answer.command_line = "/domainkey"
        pair, domains = await self.key_service.check(request.workspace)
        await request.reply(views.works_message(pair.record, domains, "works"))
        await self.digests.retry_waiting(request.workspace)

    async def roll_back(self, request: Request, mark: str) -> None:
        member = await self.permissions.require_configurer(request)
        request.answer.command_line = "/domainkey"
        pair, domains = await self.key_service.roll_back(
            request.workspace, mark, by=member.user_id
        )
        state, more = "works and is in use again", " The replaced key is kept for 7 days."
        await request.reply(views.works_message(pair.record, domains, state, more))
        await self.digests.retry_waiting(request.workspace)

    async def remove_key(self, request: Request, mark: str) -> None:
        member = await self.permissions.require_configurer(request)
        await self.key_service.remove(request.workspace, mark, by=member.user_id)
        await request.reply(views.REMOVED)

    async def show_history(self, request: Request, _value: str) -> None:
        await self.permissions.require_configurer(request)
        entries = await self.audit.entries(request.workspace)
        await request.open_form(admin.history_form(entries))

    async def open_managers(self, request: Request, _value: str) -> None:
        await self.permissions.require_admin(request)
        named = await self.permissions.managers(request.workspace)
        await request.open_form(admin.managers_form(request.as_metadata(" ".join(named)), named))

    async def name(self, request: Request, wanted: tuple[str, ...]) -> None:
        """Make these people the managers, in place of those whom the form showed."""
        await self.permissions.require_admin(request)
        try:
            text = admin.managers_text(await self._save(request, wanted))
            form, message = admin.managers_notice(f"{admin.SAVED} {text}"), Message(text)
        except BotError as error:
            message = await self.explain(error, request)
            form = admin.managers_form(request.as_metadata(request.note), wanted, message.text)
        await draw_or_reply(request, form, message)

    async def _save(self, request: Request, wanted: tuple[str, ...]) -> tuple[str, ...]:
        """Save managers; return those that are named now. Raise UnfitManagerError."""
        workspace, by = request.workspace, request.origin.user_id
        asked = (fetch_member(request.client, workspace, user_id) for user_id in wanted)
        members = await asyncio.gather(*asked)
        if unfit := [each.user_id for each in members if not each.is_colleague]:
            raise UnfitManagerError(tuple(unfit))
        shown = None if request.note is None else request.note.split()
        before, after = await self.permissions.name_managers(workspace, wanted, shown)
        added = tuple(each for each in after if each not in before)
        removed = tuple(each for each in before if each not in after)
        if added or removed:
            act = Act.MANAGERS_CHANGED
            await self.audit.note(workspace, act, by=by, added=added, removed=removed)
        return after

    async def open_audiences(self, request: Request, _value: str) -> None:
        await self.permissions.require_admin(request)
        chosen = await self.permissions.audiences(request.workspace)
        note = json.dumps({operation: who.name for operation, who in chosen.items()})
        await request.open_form(admin.audiences_form(request.as_metadata(note), chosen))

    async def choose(self, request: Request, chosen: Mapping[str, Audience]) -> None:
        """Let these audiences add and scan from now on, where they are not as the form showed."""
        by = (await self.permissions.require_admin(request)).user_id
        workspace, shown = request.workspace, json.loads(request.note or "{}")
        other = {each: who for each, who in chosen.items() if shown.get(each) != who.name}
        is_new = await self.permissions.choose_audiences(workspace, other)
        text = admin.audiences_text(await self.permissions.audiences(workspace))
        if is_new:
            await self.audit.note(workspace, Act.AUDIENCES_CHANGED, by=by, detail=text)
        saved = f"{admin.SAVED} {text}"
        await draw_or_reply(request, admin.audiences_notice(saved), Message(saved))

    async def turn_nights(self, request: Request, value: str) -> None:
        by = (await self.permissions.require_admin(request)).user_id
        is_on = value == views.TURNED_ON
        if await self.nightly_setting.turn(request.workspace, is_on=is_on):
            act = Act.NIGHTLY_SCANS_ON if is_on else Act.NIGHTLY_SCANS_OFF
            await self.audit.note(request.workspace, act, by=by)
        await request.reply(views.turned_message(is_on=is_on))


def read_managers_form(values: Mapping[str, Any]) -> tuple[str, ...]:
    return field_in(values, admin.MANAGERS_FIELD).user_ids[:MAX_MANAGERS]


def read_audiences_form(values: Mapping[str, Any]) -> dict[str, Audience]:
    chosen = {each: field_in(values, f"{admin.AUDIENCE_FIELD}.{each}") for each in CHOSEN_FOR}
    return {each: AUDIENCE_NAMES[field.value] for each, field in chosen.items()}
