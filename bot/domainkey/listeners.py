"""Handle `/domainkey`: the API key's state and history, managers, who may add and scan."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

import structlog

from bot.access import views as admin
from bot.access.permissions import Permissions
from bot.access.repository import (
    AUDIENCE_NAMES,
    CHOSEN_FOR,
    MAX_MANAGERS,
    Act,
    Audiences,
    Audit,
    Managers,
    UnfitManagerError,
)
from bot.blocks.message import Message
from bot.digests.service import DigestService
from bot.dispatch.commands import Audience
from bot.dispatch.incoming import field_in
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.router import Dispatcher
from bot.domainkey import views
from bot.domainkey.screen import KeyScreen
from bot.domainkey.service import KeyService
from bot.domains.service import Portfolio
from bot.keys import views as api_key
from bot.keys.budget import QuotaService
from bot.keys.repository import Keys
from bot.process.errors import BotError, NotAllowedError
from bot.process.workspace import WorkspaceId
from bot.scans.nightly import NightlySetting
from bot.slack.client import Member, fetch_member

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """Composes the message about the state of the key."""

    keys: Keys
    managers: Managers
    audiences: Audiences
    allowances: QuotaService
    nights: NightlySetting
    portfolio: Portfolio
    clock: Callable[[], datetime]

    async def message_for(self, member: Member, workspace: WorkspaceId) -> Message:
        """Return the state for a manager or admin; raise StoreError."""
        pair = await self.keys.pair(workspace)
        named = await self.managers.named(workspace)
        outlook = None
        if pair:
            listed = await self.portfolio.last_snapshot(workspace)
            domains = len(listed.domains) if listed else None
            outlook = await self.nights.outlook(workspace, domains)
        return views.key_state_message(
            pair.record if pair else None,
            await self.allowances.of(workspace),
            self.clock(),
            earlier=pair.earlier if pair else None,
            managers=named,
            audiences=await self.audiences.chosen(workspace),
            outlook=outlook,
            may_name=member.is_admin,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyListeners:
    """The listeners about the key and its history. Each checks the person's rights again."""

    permissions: Permissions
    key_service: KeyService
    state: KeyState
    digests: DigestService
    audit: Audit

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/domainkey", self.show_state)
        dispatcher.action(api_key.CHECK_KEY, self.check_key, replies=True)
        dispatcher.action(api_key.ROLL_BACK, self.roll_back, replies=True)
        dispatcher.action(api_key.REMOVE_KEY, self.remove_key, replies=True)
        dispatcher.action(api_key.SHOW_HISTORY, self.show_history)

    async def show_state(self, request: Request, text: str) -> None:
        """Answer `/domainkey`. Text after the command is neither read nor repeated."""
        request.answer.retry_line = "/domainkey"
        if text.strip():
            await request.reply(views.TYPED_KEY)
        else:
            member = await self.permissions.require_configurer(request)
            state = await self.state.message_for(member, request.workspace)
            await request.reply(state)

    async def check_key(self, request: Request, _value: str) -> None:
        """Ask the service whether the key works now, even if it was refused before."""
        await self.permissions.require_configurer(request)
        request.answer.retry_line = "/domainkey"
        check = await self.key_service.check(request.workspace)
        await request.reply(views.checked_message(check.record, check.domains))
        await self.digests.retry_waiting(request.workspace)

    async def roll_back(self, request: Request, mark: str) -> None:
        """Use the previous key again, if it still works."""
        member = await self.permissions.require_configurer(request)
        request.answer.retry_line = "/domainkey"
        check = await self.key_service.roll_back(request.workspace, mark, by=member.user_id)
        await request.reply(views.rolled_back_message(check.record, check.domains))
        await self.digests.retry_waiting(request.workspace)

    async def remove_key(self, request: Request, mark: str) -> None:
        """Delete the key and the previous one."""
        member = await self.permissions.require_configurer(request)
        await self.key_service.remove(request.workspace, mark or None, by=member.user_id)
        await request.reply(views.REMOVED)

    async def show_history(self, request: Request, _value: str) -> None:
        await self.permissions.require_configurer(request)
        entries = await self.audit.entries(request.workspace)
        await request.open_form(admin.history_form(entries))


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminListeners:
    """The listeners of the forms about managers, who may add and scan, and of nightly scans.

    They are for admins and owners, checked at each press.
    """

    permissions: Permissions
    audit: Audit
    nights: NightlySetting
    screen: KeyScreen

    def register(self, dispatcher: Dispatcher) -> None:
        naming, choosing = (
            partial(draw, admin.SAVING) for draw in (admin.managers_notice, admin.audiences_notice)
        )
        dispatcher.action(api_key.NAME_MANAGERS, self.open_managers)
        dispatcher.view(admin.MANAGERS_FORM, read_managers_form, self.name, busy=naming)
        dispatcher.action(api_key.CHOOSE_AUDIENCES, self.open_audiences)
        dispatcher.view(admin.AUDIENCES_FORM, read_audiences_form, self.choose, busy=choosing)
        dispatcher.action(api_key.TURN_NIGHTS, self.turn_nights, replies=True)

    async def open_managers(self, request: Request, _value: str) -> None:
        await self.permissions.require_admin(request)
        named = await self.permissions.managers.named(request.workspace)
        await request.open_form(admin.managers_form(request.as_metadata(), named))

    async def name(self, request: Request, wanted: tuple[str, ...]) -> None:
        """Make these people the managers, in place of the present ones."""
        try:
            await self.permissions.require_admin(request)
            await self._save(request, wanted)
        except NotAllowedError as error:
            await self.screen.show_failure(request, error, admin.managers_notice)
        except BotError as error:
            draw = partial(admin.managers_form, request.as_metadata(), wanted)
            await self.screen.show_failure(request, error, draw)
        else:
            text = admin.managers_text(wanted)
            form = admin.managers_notice(f"{admin.SAVED} {text}")
            await draw_or_reply(request, form, Message(text))

    async def _save(self, request: Request, wanted: tuple[str, ...]) -> None:
        """Save managers; raise UnfitManagerError."""
        workspace, by = request.workspace, request.origin.user_id
        asked = (fetch_member(request.client, workspace, user_id) for user_id in wanted)
        members = await asyncio.gather(*asked)
        if unfit := [each.user_id for each in members if not each.is_colleague]:
            raise UnfitManagerError(tuple(unfit))
        before = await self.permissions.managers.name(workspace, wanted)
        if before == wanted:
            return
        added = tuple(each for each in wanted if each not in before)
        removed = tuple(each for each in before if each not in wanted)
        await self.audit.note(workspace, Act.MANAGERS_CHANGED, by=by, added=added, removed=removed)

    async def open_audiences(self, request: Request, _value: str) -> None:
        await self.permissions.require_admin(request)
        chosen = await self.permissions.audiences.chosen(request.workspace)
        await request.open_form(admin.audiences_form(request.as_metadata(), chosen))

    async def choose(self, request: Request, chosen: Mapping[str, Audience]) -> None:
        """Let these audiences add and scan from now on."""
        workspace, text = request.workspace, admin.audiences_text(chosen)
        try:
            await self.permissions.require_admin(request)
            if await self.permissions.audiences.choose(workspace, chosen):
                by = request.origin.user_id
                await self.audit.note(workspace, Act.AUDIENCES_CHANGED, by=by, detail=text)
        except BotError as error:
            await self.screen.show_failure(
                request, error, lambda why: admin.audiences_notice(f"{admin.NOT_SAVED} {why}")
            )
        else:
            saved = f"{admin.SAVED} {text}"
            await draw_or_reply(request, admin.audiences_notice(saved), Message(saved))

    async def turn_nights(self, request: Request, value: str) -> None:
        """Turn nightly scans on or off."""
        by = (await self.permissions.require_admin(request)).user_id
        is_on = value == views.TURNED_ON
        if await self.nights.turn(request.workspace, is_on=is_on):
            act = Act.NIGHTLY_SCANS_ON if is_on else Act.NIGHTLY_SCANS_OFF
            await self.audit.note(request.workspace, act, by=by)
        await request.reply(views.turned_message(is_on=is_on))


def read_managers_form(values: Mapping[str, Any]) -> tuple[str, ...]:
    return field_in(values, admin.MANAGERS_FIELD).user_ids[:MAX_MANAGERS]


def read_audiences_form(values: Mapping[str, Any]) -> dict[str, Audience]:
    chosen = {each: field_in(values, f"{admin.AUDIENCE_FIELD}.{each}") for each in CHOSEN_FOR}
    return {each: AUDIENCE_NAMES[field.value or ""] for each, field in chosen.items()}
