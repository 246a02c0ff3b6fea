"""Check at every request who may ask, manage the key, add, scan, see or change digests."""

import structlog

from bot.access import repository as admin
from bot.dispatch.commands import Audience
from bot.dispatch.request import Request
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member

logger = structlog.get_logger()


class Permissions:
    """Checks who may manage the key, add and scan: admins, owners, and whom they choose.

    Guests, bots and people of other workspaces are no managers, even if named. Every method may
    raise StoreError, and SlackError when Slack does not say who the person is.
    """

    def __init__(self, managers: admin.Managers, audiences: admin.Audiences) -> None:
        self.managers = managers
        self.audiences = audiences

    async def may_configure(self, request: Request) -> bool:
        """Return whether the person may manage the key, as far as Slack says."""
        return await self.is_configurer(request.workspace, await request.fetch_member())

    async def require_configurer(self, request: Request) -> Member:
        """Return the person, who may configure; raise NotAManagerError."""
        member = await request.fetch_member()
        if not await self.is_configurer(request.workspace, member):
            named = await self.managers.named(request.workspace)
            raise admin.NotAManagerError(
                named, is_in_organisation=request.workspace.enterprise_id is not None
            )
        return member

    async def require_admin(self, request: Request) -> Member:
        """Return the person; raise NotAnAdminError if they are no admin or owner."""
        member = await request.fetch_member()
        if not member.is_admin:
            raise admin.NotAnAdminError(
                is_in_organisation=request.workspace.enterprise_id is not None
            )
        return member

    async def is_configurer(self, workspace: WorkspaceId, member: Member) -> bool:
        """Return whether `member` is an admin, or was named and may be a manager."""
        if member.is_admin or not member.is_colleague:
            return member.is_admin
        return member.user_id in await self.managers.named(workspace)

    async def require(self, request: Request, operation: str) -> None:
        """Raise OutsideAudienceError unless admins let the person "add" or "scan"."""
        audience = (await self.audiences.chosen(request.workspace))[operation]
        if audience is Audience.MANAGERS:
            try:
                await self.require_configurer(request)
            except admin.NotAManagerError as error:
                raise admin.OutsideAudienceError(operation, audience, error.managers) from error
        elif audience is Audience.MEMBERS and not (await request.fetch_member()).is_colleague:
            raise admin.OutsideAudienceError(operation, audience)
