"""The state of the workspace's key as whoever may manage it sees it, wherever they look."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.admin.managers import Managers
from bot.allowance import Allowances
from bot.keys import Keys
from bot.message import Message
from bot.slack.calls import Member
from bot.views.key_state import key_state_message
from bot.workspace import WorkspaceId


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """Gathers what there is to say of a key."""

    keys: Keys
    managers: Managers
    allowances: Allowances
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
