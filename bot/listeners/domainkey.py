"""Handle `/domainkey`: the state of the API key, its history, its managers."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import structlog

from bot.admin import (
    MAX_GROUPS,
    MAX_MANAGERS,
    Act,
    Audit,
    Managers,
    Named,
    UnfitGroupError,
    UnfitManagerError,
)
from bot.api_keys.notifications import ManagerNotifier
from bot.api_keys.repository import Keys
from bot.api_keys.service import KeyService
from bot.command_text import is_help
from bot.digests.service import DigestService
from bot.errors import BotError, NotAllowedError
from bot.listeners.domaindigest_parse import field_in
from bot.listeners.modals import KeyScreen
from bot.listeners.permissions import Permissions, can_be_manager
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.message import Block, Message
from bot.redaction import holds_secret
from bot.shared_limits import QuotaService
from bot.slack.client import Member, fetch_member, open_form
from bot.slack.errors import MissingScopeError, SlackError
from bot.store.documents import ConflictError
from bot.views.admin import (
    GROUPS_FIELD,
    HISTORY_PAGE,
    MANAGERS_FIELD,
    MANAGERS_FORM,
    NO_SCOPE,
    UNSAID,
    Groups,
    history_form,
    history_trouble_form,
    managers_form,
    managers_notice,
    managers_text,
    saved_managers_form,
    saving_managers_form,
)
from bot.views.api_key import (
    CHECK_KEY,
    NAME_MANAGERS,
    REMOVE_KEY,
    ROLL_BACK,
    SHOW_HISTORY,
    checked_message,
    key_state_message,
    removed_message,
    rolled_back_message,
    typed_key_message,
)
from bot.views.digests.mention_fields import group_options
from bot.views.usage import usage_message
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """Gathers what there is to say of a key."""

    keys: Keys
    managers: Managers
    allowances: QuotaService
    clock: Callable[[], datetime]

    async def told_to(self, member: Member, workspace: WorkspaceId) -> Message:
        """Return it for `member`, who was found to be a manager or admin; raise StoreError."""
        slots = await self.keys.slots(workspace)
        named = await self.managers.named(workspace)
        return key_state_message(
            slots.record if slots else None,
            await self.allowances.of(workspace),
            self.clock(),
            earlier=slots.earlier if slots else None,
            managers=named.ids,
            may_name=member.is_admin,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryListeners:
    """The listeners of the form, for admins, owners and managers, asked of Slack each time."""

    rights: Permissions
    audit: Audit
    screen: KeyScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(SHOW_HISTORY, self.open_form)
        dispatcher.on_press(HISTORY_PAGE, self.turn_page)

    async def open_form(self, conversation: Request, _value: str) -> None:
        """Open the form with the latest acts."""
        await self.rights.require_configurer(conversation)
        entries = await self.audit.entries(conversation.workspace)
        form = history_form(entries, 0, conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def turn_page(self, conversation: Request, page: str) -> None:
        """Show another page."""
        try:
            await self.rights.require_configurer(conversation)
            entries = await self.audit.entries(conversation.workspace)
        except BotError as error:
            await self.screen.show_failure(conversation, error, history_trouble_form)
            return
        number = int(page) if page.isdecimal() else 0
        form = history_form(entries, number, conversation.as_metadata())
        await self.screen.show(conversation, form, Message("That form is closed."))


logger = structlog.get_logger()
# A form opens within 3 s of the press, or not at all.
LISTED_WITHIN_S = 1.0
_CHANGED = "Somebody else has changed them meanwhile. This is who they are now."
_GROUP = re.compile(r"S[A-Z0-9]+")


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who was chosen in the form; `group_ids` is `None` when it had no field for them."""

    user_ids: tuple[str, ...]
    group_ids: tuple[str, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagersListeners:
    """The listeners of the form. Only admins and owners come here: asked of Slack each time.

    `listed_within_s`: so long the form waits for the groups that can be named.
    """

    rights: Permissions
    managers: Managers
    audit: Audit
    appointments: ManagerNotifier
    screen: KeyScreen
    listed_within_s: float = LISTED_WITHIN_S

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(NAME_MANAGERS, self.open_form)
        dispatcher.on_options(GROUPS_FIELD, self.offer_groups)
        dispatcher.on_form(
            MANAGERS_FORM, read_managers_form, self.name, meanwhile=saving_managers_form
        )

    async def open_form(self, conversation: Request, _value: str) -> None:
        """Open the form with those who are managers now."""
        await self.rights.require_admin(conversation)
        named = await self.managers.named(conversation.workspace)
        form = await self._drawn(conversation, named)
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def offer_groups(self, conversation: Request, typed: str) -> list[Block]:
        """Offer the user groups that can be named."""
        groups = await self.rights.groups.listed(conversation.client, conversation.workspace)
        return group_options((each for each in groups if not each.is_disabled), typed)

    async def name(self, conversation: Request, chosen: Chosen) -> None:
        """Let these people and groups, and nobody else, be managers from now on."""
        rev = int(conversation.note or 0)
        wanted = Named(chosen.user_ids, chosen.group_ids or (), rev)
        before = Named()
        try:
            await self.rights.require_admin(conversation)
            before = await self.managers.named(conversation.workspace)
            if chosen.group_ids is None:
                wanted = replace(wanted, group_ids=before.group_ids)
            await self._save(conversation, before, wanted)
        except NotAllowedError as error:
            await self.screen.show_failure(conversation, error, managers_notice)
        except ConflictError:
            await self._show_present(conversation)
        except BotError as error:
            groups = await self._groups(conversation)
            if groups.why_not:  # without the field the form can only tell of those that are saved
                wanted = replace(wanted, group_ids=before.group_ids)
            metadata = _metadata(conversation, rev)
            await self.screen.show_failure(
                conversation, error, lambda told: managers_form(metadata, wanted, groups, told)
            )
        else:
            otherwise = Message(managers_text(wanted.ids))
            await self.screen.show(conversation, saved_managers_form(wanted.ids), otherwise)

    async def _save(self, conversation: Request, before: Named, wanted: Named) -> None:
        """Raise ConflictError: somebody else has changed them; UnfitManagerError and the like."""
        if before.ids == wanted.ids:
            return
        await self._require_fit(conversation, wanted.user_ids)
        new = set(wanted.group_ids) - set(before.group_ids)
        if new and not new <= await self._usable(conversation):
            raise UnfitGroupError("gone, disabled, or of elsewhere")
        await self.managers.name(conversation.workspace, wanted)
        named = [each for each in wanted.user_ids if each not in before.user_ids]
        self.appointments.tell(conversation.workspace, named, by=conversation.origin.user_id)
        await self._note(conversation, before, wanted)

    async def _show_present(self, conversation: Request) -> None:
        try:
            named = await self.managers.named(conversation.workspace)
            form = await self._drawn(conversation, named, _CHANGED)
        except BotError as error:
            await self.screen.show_failure(conversation, error, _not_saved)
            return
        await self.screen.show(conversation, form, Message(f"Nothing was saved. {_CHANGED}"))

    async def _drawn(self, conversation: Request, named: Named, trouble: str = "") -> Block:
        groups = await self._groups(conversation)
        return managers_form(_metadata(conversation, named.rev), named, groups, trouble)

    async def _groups(self, conversation: Request) -> Groups:
        try:
            async with asyncio.timeout(self.listed_within_s):
                known = await self.rights.groups.listed(
                    conversation.client, conversation.workspace
                )
        except MissingScopeError:
            return Groups(why_not=NO_SCOPE)
        except (SlackError, TimeoutError) as error:
            logger.warning("no user groups to name", error=repr(error))
            return Groups(why_not=UNSAID)
        return Groups(known)

    async def _usable(self, conversation: Request) -> set[str]:
        groups = await self.rights.groups.listed(conversation.client, conversation.workspace)
        return {group.group_id for group in groups if not group.is_disabled}

    async def _require_fit(self, conversation: Request, user_ids: tuple[str, ...]) -> None:
        asked = (
            fetch_member(conversation.client, conversation.workspace, user_id)
            for user_id in user_ids
        )
        members = await asyncio.gather(*asked)
        if unfit := [each.user_id for each in members if not can_be_manager(each)]:
            raise UnfitManagerError(tuple(unfit))

    async def _note(self, conversation: Request, before: Named, wanted: Named) -> None:
        await self.audit.note(
            conversation.workspace,
            Act.MANAGERS_CHANGED,
            by=conversation.origin.user_id,
            added=tuple(each for each in wanted.ids if each not in before.ids),
            removed=tuple(each for each in before.ids if each not in wanted.ids),
        )


def read_managers_form(values: Mapping[str, Any]) -> Chosen:
    """Return the ids of those who were chosen."""
    people, groups = field_in(values, MANAGERS_FIELD), field_in(values, GROUPS_FIELD)
    if "selected_options" not in groups.state:
        return Chosen(people.user_ids[:MAX_MANAGERS], None)
    ids = [each for each in groups.options if each and _GROUP.fullmatch(each)]
    return Chosen(people.user_ids[:MAX_MANAGERS], tuple(dict.fromkeys(ids))[:MAX_GROUPS])


def _not_saved(told: str) -> Block:
    return managers_notice(f"⚠️ *Not saved.* {told} Open this form again in a minute.")


def _metadata(conversation: Request, rev: int) -> str:
    return conversation.as_metadata(str(rev))


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyListeners:
    """The listeners about the workspace's key. Each of them checks the person's rights anew."""

    rights: Permissions
    custody: KeyService
    state: KeyState
    desk: DigestService

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/domainkey", self.show_state)
        dispatcher.on_press(CHECK_KEY, self.check_key, replies=True)
        dispatcher.on_press(ROLL_BACK, self.roll_back, replies=True)
        dispatcher.on_press(REMOVE_KEY, self.remove_key, replies=True)

    async def show_state(self, conversation: Request, text: str) -> None:
        """Answer `/domainkey`. Whatever stands behind it is neither read nor repeated."""
        conversation.command_line = "/domainkey"
        if is_help(text):
            await conversation.reply(usage_message("/domainkey"))
        elif text.strip():
            await self._answer_typed(conversation, looks_like_key=holds_secret(text))
        else:
            member = await self.rights.require_configurer(conversation)
            state = await self.state.told_to(member, conversation.workspace)
            await conversation.reply(state)

    async def check_key(self, conversation: Request, _value: str) -> None:
        """Ask the service whether the key works now, even if it was refused before."""
        await self.rights.require_configurer(conversation)
        conversation.command_line = "/domainkey"
        tried = await self.custody.check(conversation.workspace)
        await conversation.reply(checked_message(tried.record, tried.domains))
        await self.desk.retry_waiting(conversation.workspace)

    async def roll_back(self, conversation: Request, mark: str) -> None:
        """Use the key before again, if it still works."""
        member = await self.rights.require_configurer(conversation)
        conversation.command_line = "/domainkey"
        tried = await self.custody.roll_back(conversation.workspace, mark, by=member.user_id)
        await conversation.reply(rolled_back_message(tried.record, tried.domains))
        await self.desk.retry_waiting(conversation.workspace)

    async def remove_key(self, conversation: Request, mark: str) -> None:
        """Forget the key, and the one before it."""
        member = await self.rights.require_configurer(conversation)
        was_there = await self.custody.remove(
            conversation.workspace, mark or None, by=member.user_id
        )
        await conversation.reply(removed_message(was_there=was_there))

    async def _answer_typed(self, conversation: Request, *, looks_like_key: bool) -> None:
        may_set = await self.rights.may_configure(conversation)
        await conversation.reply(typed_key_message(looks_like_key=looks_like_key, may_set=may_set))
