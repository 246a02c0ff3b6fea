"""Who may set up the bot in a workspace, asked of Slack at every press."""

from bot.admin.errors import NotAManagerError, NotAnAdminError
from bot.admin.managers import Managers
from bot.listeners.conversation import Conversation
from bot.slack.calls import Member


class Rights:
    """Admins and owners of the workspace may; so may the people whom they name as managers.

    A guest, a bot or somebody of another workspace never may, even if named. Every method may
    raise StoreError, and SlackError when Slack does not say who asks.
    """

    def __init__(self, managers: Managers) -> None:
        self._managers = managers

    async def may_configure(self, conversation: Conversation) -> bool:
        """Return whether whoever asks may manage the key."""
        member = await conversation.fetch_member()
        return member.is_admin or await self.is_manager(conversation, member)

    async def require_configurer(self, conversation: Conversation) -> Member:
        """Return whoever asks, if they may manage the key.

        Raises:
            NotAManagerError: they may not; it says who may.
        """
        member = await conversation.fetch_member()
        if not (member.is_admin or await self.is_manager(conversation, member)):
            named = await self._managers.named(conversation.workspace)
            raise NotAManagerError(named.user_ids)
        return member

    async def require_admin(self, conversation: Conversation) -> Member:
        """Return whoever asks, if they are an admin or owner.

        Raises:
            NotAnAdminError: they are not, or no longer.
        """
        member = await conversation.fetch_member()
        if not member.is_admin:
            raise NotAnAdminError("managers do not name managers")
        return member

    async def is_manager(self, conversation: Conversation, member: Member) -> bool:
        """Return whether `member` was named, and is somebody who may be."""
        if not can_be_manager(member):
            return False
        named = await self._managers.named(conversation.workspace)
        return member.user_id in named.user_ids


def can_be_manager(member: Member) -> bool:
    """Return whether somebody may be named: people of the workspace, but for its guests."""
    return member.is_person and not (member.is_guest or member.is_stranger)
