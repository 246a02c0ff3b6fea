"""The state of the workspace's key as whoever may manage it sees it, wherever they look."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from bot.admin.managers import Managers
from bot.allowance import read_allowance
from bot.keys import Keys
from bot.message import Message
from bot.meter import Meter
from bot.slack.calls import Member
from bot.tracker.budget import Budget
from bot.views.key_state import key_state_message
from bot.workspace import WorkspaceId


async def _alone(_workspace: WorkspaceId) -> None:
    """There are no other processes to learn of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """Gathers what there is to say of a key.

    `refresh` lets the budget and the meter learn what other processes know; it never raises.
    """

    keys: Keys
    managers: Managers
    budget: Budget
    meter: Meter
    clock: Callable[[], datetime]
    refresh: Callable[[WorkspaceId], Awaitable[object]] = _alone

    async def told_to(self, member: Member, workspace: WorkspaceId) -> Message:
        """Return it for `member`, who was found to be a manager or admin; raise StoreError."""
        await self.refresh(workspace)
        slots = await self.keys.slots(workspace)
        named = await self.managers.named(workspace)
        return key_state_message(
            slots.record if slots else None,
            await read_allowance(workspace, self.keys, self.budget, self.meter),
            self.clock(),
            earlier=slots.earlier if slots else None,
            managers=named.ids,
            may_name=member.is_admin,
        )
