"""Check at every request who may ask, manage the key, add, scan, see or change digests."""

import structlog

from bot.access import repository as admin
from bot.access.views import group_options
from bot.blocks.message import Block
from bot.dispatch.commands import Audience
from bot.dispatch.request import Request
from bot.process.errors import warned
from bot.slack.client import Member
from bot.slack.errors import SlackError
from bot.slack.usergroups import UserGroups

logger = structlog.get_logger()


class Permissions:
    """Checks who may manage the key, add and scan: admins, owners, and whom they choose.

    Members of a named user group are managers too. Guests, bots and people of other workspaces
    never are, even if named. Every method may raise StoreError, and SlackError when Slack does
    not say who the person is.
    """

    def __init__(
        self, managers: admin.Managers, audiences: admin.Audiences, groups: UserGroups
    ) -> None:
        self.managers = managers
        self.audiences = audiences
        self.groups = groups

    async def offer_groups(self, request: Request, typed: str) -> list[Block]:
        """Return the options of a menu of user groups; raise SlackError."""
        groups = await self.groups.listed(request.client, request.workspace)
        return group_options(groups, typed)

    async def may_configure(self, request: Request) -> bool:
        """Return whether the person may manage the key, as far as Slack says."""
        member = await request.fetch_member()
        return member.is_admin or await self.is_manager(request, member)

    async def require_configurer(self, request: Request) -> Member:
        """Return the person, who may configure; raise NotAManagerError."""
        member = await request.fetch_member()
        if not (member.is_admin or await self.is_manager(request, member)):
            named = await self.managers.named(request.workspace)
            raise admin.NotAManagerError(
                named.ids, is_in_organisation=request.workspace.enterprise_id is not None
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

    async def is_manager(self, request: Request, member: Member) -> bool:
        """Return whether `member` was named, alone or in a group."""
        if not member.is_colleague:
            return False
        named = await self.managers.named(request.workspace)
        is_named = member.user_id in named.user_ids
        return is_named or await self._is_in_group(request, named, member.user_id)

    async def _is_in_group(self, request: Request, named: admin.Named, user_id: str) -> bool:
        """Return whether a group has the person; one that Slack does not list counts as empty."""
        client, workspace = request.client, request.workspace
        for group_id in named.group_ids:
            with warned("the people of a group are unknown", SlackError):
                if user_id in await self.groups.people_in(client, workspace, group_id):
                    return True
        return False

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
