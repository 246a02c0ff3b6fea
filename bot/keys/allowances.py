"""Tell what is left of the hour's requests of a workspace's key."""

from dataclasses import dataclass

from bot.keys.key_record import NoKeyError
from bot.keys.repository import Keys
from bot.process.workspace import WorkspaceId
from bot.store.documents import UnreadableSecretError
from bot.tracker.rate_limit import Allowance, fingerprint
from bot.tracker.shared_limits import SharedLimits


@dataclass(frozen=True, slots=True)
class KeyAllowances:
    """Tells what is left of the hour's requests, as all processes know it."""

    keys: Keys
    limits: SharedLimits

    async def of(self, workspace: WorkspaceId) -> Allowance | None:
        """Return the state of the workspace's key, `None` without one; raise StoreError."""
        try:
            key = await self.keys.stored(workspace)
        except (NoKeyError, UnreadableSecretError):
            return None
        return await self.limits.state(workspace, fingerprint(key.secret))
