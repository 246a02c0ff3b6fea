"""The form in which admins say who may manage the key besides them."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.admin.audit import Act, Audit
from bot.admin.errors import UnfitManagerError
from bot.admin.managers import Managers, Named
from bot.errors import BotError, NotAllowedError
from bot.listeners.conversation import Conversation
from bot.listeners.digests.fields import field_in
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.key_screen import KeyScreen
from bot.listeners.rights import Rights, can_be_manager
from bot.message import Message
from bot.slack.calls import fetch_member, open_form
from bot.store.errors import ConflictError
from bot.views.key import NAME_MANAGERS
from bot.views.managers import (
    MANAGERS_FIELD,
    MANAGERS_FORM,
    managers_form,
    managers_notice,
    managers_text,
    saved_managers_form,
    saving_managers_form,
)

_CHANGED = "Somebody else has changed them meanwhile. This is who they are now."


@dataclass(frozen=True, slots=True, kw_only=True)
class ManagersListeners:
    """The listeners of the form. Only admins and owners come here: asked of Slack each time."""

    rights: Rights
    managers: Managers
    audit: Audit
    screen: KeyScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(NAME_MANAGERS, self.open_form)
        dispatcher.on_form(
            MANAGERS_FORM, read_managers_form, self.name, meanwhile=saving_managers_form
        )

    async def open_form(self, conversation: Conversation, _value: str) -> None:
        """Open the form with those who are managers now."""
        await self.rights.require_admin(conversation)
        named = await self.managers.named(conversation.workspace)
        form = managers_form(_metadata(conversation, named.rev), named.user_ids)
        await open_form(conversation.client, conversation.trigger_id or "", form)

    async def name(self, conversation: Conversation, user_ids: tuple[str, ...]) -> None:
        """Let these people, and nobody else, be managers from now on."""
        rev = int(conversation.note or 0)
        try:
            await self.rights.require_admin(conversation)
            before = await self.managers.named(conversation.workspace)
            if before.user_ids != user_ids:
                await self._require_fit(conversation, user_ids)
                await self.managers.name(conversation.workspace, user_ids, rev=rev)
                await self._note(conversation, before, user_ids)
        except NotAllowedError as error:
            await self.screen.show_failure(conversation, error, managers_notice)
        except ConflictError:
            await self._show_present(conversation)
        except BotError as error:
            metadata = _metadata(conversation, rev)
            await self.screen.show_failure(
                conversation, error, lambda told: managers_form(metadata, user_ids, told)
            )
        else:
            otherwise = Message(managers_text(user_ids))
            await self.screen.show(conversation, saved_managers_form(user_ids), otherwise)

    async def _show_present(self, conversation: Conversation) -> None:
        named = await self.managers.named(conversation.workspace)
        metadata = _metadata(conversation, named.rev)
        form = managers_form(metadata, named.user_ids, _CHANGED)
        await self.screen.show(conversation, form, Message(f"Nothing was saved. {_CHANGED}"))

    async def _require_fit(self, conversation: Conversation, user_ids: tuple[str, ...]) -> None:
        asked = (
            fetch_member(conversation.client, conversation.workspace, user_id)
            for user_id in user_ids
        )
        members = await asyncio.gather(*asked)
        if unfit := [each.user_id for each in members if not can_be_manager(each)]:
            raise UnfitManagerError(tuple(unfit))

    async def _note(
        self, conversation: Conversation, before: Named, user_ids: tuple[str, ...]
    ) -> None:
        await self.audit.note(
            conversation.workspace,
            Act.MANAGERS_CHANGED,
            by=conversation.origin.user_id,
            added=tuple(each for each in user_ids if each not in before.user_ids),
            removed=tuple(each for each in before.user_ids if each not in user_ids),
        )


def read_managers_form(values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of those who were chosen."""
    return field_in(values, MANAGERS_FIELD).user_ids


def _metadata(conversation: Conversation, rev: int) -> str:
    return conversation.as_metadata(str(rev))
