"""The form in which admins say who may manage the key besides them."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import structlog

from bot.admin.appointments import Appointments
from bot.admin.audit import Act, Audit
from bot.admin.errors import UnfitGroupError, UnfitManagerError
from bot.admin.managers import MAX_GROUPS, MAX_MANAGERS, Managers, Named
from bot.errors import BotError, NotAllowedError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.fields import field_in
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.key_screen import KeyScreen
from bot.listeners.rights import Rights, can_be_manager
from bot.message import Block, Message
from bot.slack.calls import fetch_member, open_form
from bot.slack.errors import MissingScopeError, SlackError
from bot.store.errors import ConflictError
from bot.views.digests.mentions import group_options
from bot.views.key import NAME_MANAGERS
from bot.views.managers import (
    GROUPS_FIELD,
    MANAGERS_FIELD,
    MANAGERS_FORM,
    NO_SCOPE,
    UNSAID,
    Groups,
    managers_form,
    managers_notice,
    managers_text,
    saved_managers_form,
    saving_managers_form,
)

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

    rights: Rights
    managers: Managers
    audit: Audit
    appointments: Appointments
    screen: KeyScreen
    listed_within_s: float = LISTED_WITHIN_S

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(NAME_MANAGERS, self.open_form)
        dispatcher.on_options(GROUPS_FIELD, self.offer_groups)
        dispatcher.on_form(
            MANAGERS_FORM, read_managers_form, self.name, meanwhile=saving_managers_form
        )

    async def open_form(self, conversation: Conversation, _value: str) -> None:
        """Open the form with those who are managers now."""
        await self.rights.require_admin(conversation)
        named = await self.managers.named(conversation.workspace)
        form = await self._drawn(conversation, named)
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def offer_groups(self, conversation: Conversation, typed: str) -> list[Block]:
        """Offer the user groups that can be named."""
        groups = await self.rights.groups.listed(conversation.client, conversation.workspace)
        return group_options((each for each in groups if not each.is_disabled), typed)

    async def name(self, conversation: Conversation, chosen: Chosen) -> None:
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

    async def _save(self, conversation: Conversation, before: Named, wanted: Named) -> None:
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

    async def _show_present(self, conversation: Conversation) -> None:
        try:
            named = await self.managers.named(conversation.workspace)
            form = await self._drawn(conversation, named, _CHANGED)
        except BotError as error:
            await self.screen.show_failure(conversation, error, _not_saved)
            return
        await self.screen.show(conversation, form, Message(f"Nothing was saved. {_CHANGED}"))

    async def _drawn(self, conversation: Conversation, named: Named, trouble: str = "") -> Block:
        groups = await self._groups(conversation)
        return managers_form(_metadata(conversation, named.rev), named, groups, trouble)

    async def _groups(self, conversation: Conversation) -> Groups:
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

    async def _usable(self, conversation: Conversation) -> set[str]:
        groups = await self.rights.groups.listed(conversation.client, conversation.workspace)
        return {group.group_id for group in groups if not group.is_disabled}

    async def _require_fit(self, conversation: Conversation, user_ids: tuple[str, ...]) -> None:
        asked = (
            fetch_member(conversation.client, conversation.workspace, user_id)
            for user_id in user_ids
        )
        members = await asyncio.gather(*asked)
        if unfit := [each.user_id for each in members if not can_be_manager(each)]:
            raise UnfitManagerError(tuple(unfit))

    async def _note(self, conversation: Conversation, before: Named, wanted: Named) -> None:
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


def _metadata(conversation: Conversation, rev: int) -> str:
    return conversation.as_metadata(str(rev))
