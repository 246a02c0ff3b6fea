"""Collect what stands on the Home tab of a person."""

from dataclasses import dataclass, replace

import structlog

from bot.access.permissions import Permissions
from bot.blocks.message import Message
from bot.digests.repository import DigestRepository
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.request import Request
from bot.domainkey.state import KeyState
from bot.domains.kept_facts import FactsRepository
from bot.domains.service import Portfolio, Snapshot
from bot.home.views import HomePage, Reader, SetUp
from bot.keys.key_record import NoKeyError
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeCollector:
    """Collects what a person may see from the store, Slack and the service.

    Permissions are checked each time. `reads_messages`: the operator wants command lines in
    messages.
    """

    permissions: Permissions
    key_state: KeyState
    portfolio: Portfolio
    kept_facts: FactsRepository
    digests: DigestRepository
    explain: ExplainFailure
    reads_messages: bool = False

    async def fetch_domains(self, workspace: WorkspaceId) -> Snapshot | Exception:
        """Return the domains, at most a minute old, or the error; at most one request."""
        try:
            return await self.portfolio.snapshot(workspace)
        except Exception as error:
            if not isinstance(error, BotError):
                logger.exception("unforeseen failure")
            return error

    async def fetch_page(self, request: Request, domains: Snapshot | Exception | None) -> HomePage:
        """Return a person's page, `domains=None` while the service is asked; raise SlackError."""
        member, now = await request.fetch_member(), self.portfolio.clock()
        if member.is_stranger:
            return HomePage(now=now, reader=Reader.STRANGER)
        page = HomePage(
            now=now,
            reader=Reader.GUEST if member.is_guest else Reader.MEMBER,
            ends=await self.kept_facts.known(request.workspace, now),
            owned_type=self.portfolio.owned_type,
        )
        page = await self._with_set_up(request, member, page)
        if domains is None:
            kept = await self.portfolio.last_snapshot(request.workspace)
            return replace(page, portfolio=kept, is_awaited=True)
        if isinstance(domains, Snapshot):
            return replace(page, portfolio=domains)
        message = await self.explained(request, domains)
        is_connected = not isinstance(domains, NoKeyError)
        return replace(page, portfolio=message, is_connected=is_connected)

    async def explained(self, request: Request, error: Exception) -> Message:
        """Return the message about a failure; log it under the same reference."""
        if not isinstance(error, NoKeyError):
            logger.warning("not on Home", request=request.reference, error=repr(error))
        return await self.explain(error, request)

    async def _with_set_up(self, request: Request, member: Member, page: HomePage) -> HomePage:
        manages = member.is_admin  # known without the store
        try:
            named = await self.permissions.managers.named(request.workspace)
            chosen = await self.permissions.audiences.chosen(request.workspace)
            page = replace(page, managers=named, audiences=chosen)
            manages = manages or await self.permissions.is_manager(request.workspace, member)
            if manages:
                return replace(page, set_up=await self._set_up(request.workspace, member))
        except BotError as error:
            if manages:
                return replace(page, set_up=await self.explained(request, error))
            logger.warning("a manager or not is unknown", error=repr(error))
        return page

    async def _set_up(self, workspace: WorkspaceId, member: Member) -> SetUp:
        digests = await self.digests.of_workspace(workspace)
        return SetUp(
            key=await self.key_state.message_for(member, workspace),
            digests=[
                each for each in digests if not each.plan.is_own or each.made_by == member.user_id
            ],
            zone=member.zone,
            reads_messages=self.reads_messages,
        )
