"""What there is to show on somebody's Home tab, gathered: a part that fails hides no other."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot.admin.audit import Audit
from bot.admin.managers import Managers
from bot.digests.digest import Digest
from bot.errors import BotError
from bot.keys import NoKeyError
from bot.listeners.conversation import Conversation
from bot.listeners.failures import Failures
from bot.listeners.key_state import KeyState
from bot.listeners.rights import Rights, can_be_manager
from bot.message import Message
from bot.portfolio.portfolio import Portfolio
from bot.portfolio.snapshot import Snapshot
from bot.slack.calls import Member
from bot.store.errors import StoreError
from bot.views.failure import failure_message
from bot.views.home.page import HomePage, Reader, SetUp
from bot.workspace import WorkspaceId

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeCollector:
    """Asks the store, Slack and the service for whoever looks.

    Rights are asked anew each time. `ready` raises NoKeyError and the like where the service
    cannot be asked, without asking it. `digests` returns all of a workspace; raises StoreError.
    """

    rights: Rights
    managers: Managers
    key: KeyState
    audit: Audit
    portfolio: Portfolio
    ready: Callable[[WorkspaceId], Awaitable[None]]
    digests: Callable[[WorkspaceId], Awaitable[list[Digest]]]
    failures: Failures
    clock: Callable[[], datetime]

    async def known(self, workspace: WorkspaceId) -> Snapshot | Exception | None:
        """Return what is known of the domains without a request; `None`: the service is to say."""
        try:
            await self.ready(workspace)
        except BotError as error:
            return error
        return await self.portfolio.said(workspace)

    async def ask(self, workspace: WorkspaceId) -> Snapshot | Exception:
        """Return the domains as of within a minute, or why there are none; at most one request."""
        try:
            return await self.portfolio.snapshot(workspace)
        except Exception as error:
            if not isinstance(error, BotError):
                logger.exception("unforeseen failure")
            return error

    async def look(
        self,
        conversation: Conversation,
        page: int,
        domains: Snapshot | Exception | None,
    ) -> HomePage:
        """Return what whoever asks may see now; `page` is that of the digests.

        `domains`: what is known of them, `None` while that is on its way. Raises SlackError when
        Slack does not say who asks.
        """
        member = await conversation.fetch_member()
        if member.is_stranger:
            return HomePage(now=self.clock(), reader=Reader.STRANGER)
        reader = Reader.GUEST if member.is_guest else Reader.MEMBER
        begun = HomePage(now=self.clock(), reader=reader)
        looked = await self._with_set_up(conversation, member, begun, page)
        if domains is None:
            kept = await self.portfolio.kept(conversation.workspace)
            return replace(looked, portfolio=kept, is_awaited=True)
        if isinstance(domains, Snapshot):
            return replace(looked, portfolio=domains)
        told = await self.explained(conversation, domains)
        last = await self.portfolio.kept(conversation.workspace)
        is_connected = not isinstance(domains, NoKeyError)
        return replace(looked, portfolio=told, last=last, is_connected=is_connected)

    async def explained(self, conversation: Conversation, error: Exception) -> Message:
        """Return what to tell of a failure; it is in the log under the same reference."""
        reference = secrets.token_hex(4)
        if not isinstance(error, NoKeyError):
            logger.warning("not on Home", request=reference, error=repr(error))
        facts = await self.failures.facts(error, conversation, reference)
        return failure_message(error, facts)

    async def _with_set_up(
        self, conversation: Conversation, member: Member, begun: HomePage, page: int
    ) -> HomePage:
        try:
            named = await self.managers.named(conversation.workspace)
            begun = replace(begun, managers=named.ids)
            if member.is_admin or await self.rights.is_manager(conversation, member):
                return replace(begun, set_up=await self._set_up(conversation, member, page))
        except BotError as error:
            if member.is_admin:  # the only ones who are known to be one without store and groups
                return replace(begun, set_up=await self.explained(conversation, error))
            logger.warning("a manager, or not", error=repr(error))
            return replace(begun, doubt=error if can_be_manager(member) else None)
        return begun

    async def _set_up(
        self, conversation: Conversation, member: Member, page: int
    ) -> SetUp | Message:
        workspace = conversation.workspace
        try:
            return SetUp(
                key=await self.key.told_to(member, workspace),
                digests=await self.digests(workspace),
                page=page,
                history=await self.audit.entries(workspace),
                zone=member.zone,
            )
        except StoreError as error:
            return await self.explained(conversation, error)
