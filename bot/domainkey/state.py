"""Compose the message about the state of the API key, for `/domainkey` and the Home tab."""

from dataclasses import dataclass

from bot.access.permissions import Permissions
from bot.blocks.message import Message
from bot.domainkey import views
from bot.domains.service import Portfolio
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.workspace import WorkspaceId
from bot.scans.nightly import NightlySetting
from bot.slack.client import Member


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyState:
    """Composes the message about the state of the key."""

    keys: Keys
    permissions: Permissions
    tracker: WorkspaceTracker
    nightly_setting: NightlySetting
    portfolio: Portfolio

    async def message_for(self, member: Member, workspace: WorkspaceId) -> Message:
        """Return the state for a manager or admin; raise StoreError."""
        pair = await self.keys.pair(workspace)
        named = await self.permissions.managers.named(workspace)
        outlook = None
        if pair:
            listed = await self.portfolio.last_snapshot(workspace)
            domains = len(listed.domains) if listed else None
            outlook = await self.nightly_setting.outlook(workspace, domains)
        return views.key_state_message(
            pair.record if pair else None,
            await self.tracker.allowance(workspace),
            self.keys.clock(),
            earlier=pair.earlier if pair else None,
            managers=named,
            audiences=await self.permissions.audiences.chosen(workspace),
            outlook=outlook,
            may_name=member.is_admin,
        )
