"""Call the service with the key of a workspace, and record what it says of that key."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import KW_ONLY, dataclass
from datetime import datetime

from bot.keys.key_record import NoKeyError, StoredKey
from bot.keys.repository import Keys
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.store.documents import UnreadableSecretError
from bot.tracker.client import TrackerClient
from bot.tracker.models import (
    InsufficientPermissionsError,
    InvalidKeyError,
    Listing,
    NewDomain,
)
from bot.tracker.rate_limit import Allowance, Purpose


class LackingScopeError(BotError):
    """The workspace's key works, but may not do `operation`: "list", "add" or "scan"."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        super().__init__(f"the key's scopes do not cover {operation}")


@dataclass(frozen=True, slots=True)
class WorkspaceTracker:
    """Calls the service for workspaces, and records what it says about their keys.

    A key that was refused as invalid is sent again once an hour, at the slots of digests, and
    when a person rechecks it. `on_refusal` notifies of a refusal, and never raises. Every call may
    raise NoKeyError, LackingScopeError, StoreError (the key cannot be read) and any TrackerError.
    """

    api: TrackerClient
    keys: Keys
    _: KW_ONLY
    on_refusal: Callable[[WorkspaceId], Awaitable[None]]

    async def list_domains(
        self,
        workspace: WorkspaceId,
        purpose: Purpose = Purpose.PERSON,
        slot_at: datetime | None = None,
    ) -> Listing:
        key = await self._usable_key(workspace, slot_at)
        async with self._recorded(workspace, key, "list"):
            return await self.api.list_domains(workspace, key.secret, purpose=purpose)

    async def add_domain(self, workspace: WorkspaceId, new: NewDomain) -> None:
        key = await self._usable_key(workspace)
        async with self._recorded(workspace, key, "add"):
            await self.api.add_domain(workspace, key.secret, new)

    async def scan(
        self, workspace: WorkspaceId, domain_id: str, purpose: Purpose = Purpose.PERSON
    ) -> dict[str, object]:
        key = await self._usable_key(workspace)
        async with self._recorded(workspace, key, "scan"):
            return await self.api.scan(workspace, key.secret, domain_id, purpose=purpose)

    async def allowance(self, workspace: WorkspaceId) -> Allowance | None:
        """Return what is left of the hour's requests, `None` without a key; raise StoreError."""
        try:
            key = await self.keys.stored(workspace)
        except (NoKeyError, UnreadableSecretError):
            return None
        return await self.api.allowance(workspace, key.secret)

    async def ready(self, workspace: WorkspaceId) -> None:
        """Raise NoKeyError or InvalidKeyError without a usable key; make no request."""
        await self._usable_key(workspace)

    async def probe_key(self, workspace: WorkspaceId, secret: str) -> Listing:
        """Return the domains of a key that is not in use; record nothing."""
        return await self.api.list_domains(workspace, secret)

    async def _usable_key(
        self, workspace: WorkspaceId, slot_at: datetime | None = None
    ) -> StoredKey:
        key = await self.keys.stored(workspace)
        if not self.keys.may_try(key, slot_at):
            if key.record.told_at is None:  # the notice may be on its way
                await self.on_refusal(workspace)
            raise InvalidKeyError("refused within the hour, and not replaced since")
        return key

    @asynccontextmanager
    async def _recorded(
        self, workspace: WorkspaceId, key: StoredKey, operation: str
    ) -> AsyncIterator[None]:
        """Record what the service says of `key` in the block."""
        try:
            yield
        except InvalidKeyError:
            if await self.keys.note_refused(workspace, key):
                await self.on_refusal(workspace)
            raise
        except InsufficientPermissionsError as error:
            await self.keys.note_lacking(workspace, key, operation)
            raise LackingScopeError(operation) from error
        await self.keys.note_accepted(workspace, key, operation)
