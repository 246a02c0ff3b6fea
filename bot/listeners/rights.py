"""Who may set up the bot in a workspace, asked of Slack at every press."""

import asyncio

from bot.admin.errors import ManagersUnknownError, NotAManagerError, NotAnAdminError
from bot.admin.managers import Managers, Named
from bot.listeners.conversation import Conversation
from bot.slack.calls import Member
from bot.slack.errors import MissingScopeError, SlackError
from bot.slack.groups import UserGroups
from bot.workspace import WorkspaceId


class Rights:
    """Admins and owners of the workspace may; so may the people whom they name as managers.

    Whoever is in a user group that was named is a manager too. A guest, a bot or somebody of
    another workspace never may, even if named. Every method may raise StoreError, and SlackError
    when Slack does not say who asks.
    """

    def __init__(self, managers: Managers, groups: UserGroups) -> None:
        self._managers = managers
        self.groups = groups

    async def may_configure(self, conversation: Conversation) -> bool:
        """Return whether whoever asks may manage the key, as far as Slack says."""
        member = await conversation.fetch_member()
        try:
            return member.is_admin or await self.is_manager(conversation, member)
        except ManagersUnknownError:
            return False

    async def require_configurer(self, conversation: Conversation) -> Member:
        """Return whoever asks, if they may manage the key.

        Raises:
            NotAManagerError: they may not; it says who may.
            ManagersUnknownError: Slack does not say whether they may.
        """
        member = await conversation.fetch_member()
        if not (member.is_admin or await self.is_manager(conversation, member)):
            named = await self._managers.named(conversation.workspace)
            is_in_organisation = _is_in_organisation(conversation.workspace)
            raise NotAManagerError(named.ids, is_in_organisation=is_in_organisation)
        return member

    async def require_admin(self, conversation: Conversation) -> Member:
        """Return whoever asks, if they are an admin or owner.

        Raises:
            NotAnAdminError: they are not, or no longer.
        """
        member = await conversation.fetch_member()
        if not member.is_admin:
            is_in_organisation = _is_in_organisation(conversation.workspace)
            raise NotAnAdminError(is_in_organisation=is_in_organisation)
        return member

    async def is_manager(self, conversation: Conversation, member: Member) -> bool:
        """Return whether `member` was named, alone or in a group, and is somebody who may be.

        Raises:
            ManagersUnknownError: Slack does not say who is in one of the groups.
        """
        if not can_be_manager(member):
            return False
        named = await self._managers.named(conversation.workspace)
        is_named = member.user_id in named.user_ids
        return is_named or await self._is_in_group(conversation, named, member.user_id)

    async def _is_in_group(self, conversation: Conversation, named: Named, user_id: str) -> bool:
        """One group that has them suffices, whatever Slack does not say of the others."""
        asked = (
            self.groups.people_in(conversation.client, conversation.workspace, group_id)
            for group_id in named.group_ids
        )
        doubt: SlackError | None = None
        for answer in await asyncio.gather(*asked, return_exceptions=True):
            if isinstance(answer, SlackError):
                doubt = answer
            elif isinstance(answer, BaseException):
                raise answer
            elif user_id in answer:
                return True
        if doubt:
            lacks_scope = isinstance(doubt, MissingScopeError)
            raise ManagersUnknownError(named.ids, lacks_scope=lacks_scope) from doubt
        return False


def can_be_manager(member: Member) -> bool:
    """Return whether somebody may be named: people of the workspace, but for its guests."""
    return member.is_colleague


def _is_in_organisation(workspace: WorkspaceId) -> bool:
    return workspace.enterprise_id is not None
