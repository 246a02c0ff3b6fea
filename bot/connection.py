"""A workspace's line to Domain Tracker: every call is made with that workspace's own key."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from bot.errors import BotError
from bot.keys import KeyDraft, KeyRecord, Keys, StoredKey
from bot.tracker.client import Tracker
from bot.tracker.errors import InsufficientPermissionsError, InvalidKeyError
from bot.tracker.models import Added, Listing, ScanResult
from bot.workspace import WorkspaceId

T = TypeVar("T")


class LackingScopeError(BotError):
    """The workspace's key works, but may not do `operation`: "list", "add" or "scan"."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        super().__init__(f"the key's scopes do not cover {operation}")


class TellsOfRefusal(Protocol):
    """Whoever tells the people concerned that the service refuses a key."""

    async def __call__(self, workspace: WorkspaceId, record: KeyRecord) -> None:
        """Tell them; never raise."""
        ...


class Connection:
    """Calls the service for workspaces, and remembers what the service says of their keys.

    A key that was refused as invalid is not sent again before somebody replaces it or asks
    for it to be checked. Every call may raise NoKeyError,
    LackingScopeError and any TrackerError.
    """

    def __init__(self, tracker: Tracker, keys: Keys, *, on_refusal: TellsOfRefusal) -> None:
        self._tracker = tracker
        self._keys = keys
        self._on_refusal = on_refusal

    async def list_domains(self, workspace: WorkspaceId) -> Listing:
        """Return the workspace's domains."""
        return await self._call(workspace, "list", self._tracker.list_domains)

    async def add_domain(
        self,
        workspace: WorkspaceId,
        domain: str,
        *,
        domain_type: str,
        tags: Sequence[str],
        folder: str | None,
    ) -> Added:
        """Add a domain."""
        return await self._call(
            workspace,
            "add",
            lambda key: self._tracker.add_domain(
                key, domain=domain, domain_type=domain_type, tags=tags, folder=folder
            ),
        )

    async def scan(self, workspace: WorkspaceId, domain_id: str) -> ScanResult:
        """Run a full scan, which may take two minutes."""
        return await self._call(workspace, "scan", lambda key: self._tracker.scan(key, domain_id))

    async def ready(self, workspace: WorkspaceId) -> None:
        """Return when the workspace has a key that was not refused; no request is made.

        Raises:
            NoKeyError, InvalidKeyError: it has not.
        """
        await self._usable_key(workspace)

    async def try_out(self, draft: KeyDraft) -> Listing:
        """Return what the service lists for a key that nobody has saved yet."""
        return await self._tracker.list_domains(draft.secret)

    async def check_again(self, workspace: WorkspaceId) -> Listing:
        """Ask the service once with the workspace's key, even if it was refused before."""
        key = await self._keys.stored(workspace)
        return await self._observed(workspace, key, "list", self._tracker.list_domains)

    async def _call(
        self, workspace: WorkspaceId, operation: str, call: Callable[[str], Awaitable[T]]
    ) -> T:
        key = await self._usable_key(workspace)
        return await self._observed(workspace, key, operation, call)

    async def _usable_key(self, workspace: WorkspaceId) -> StoredKey:
        key = await self._keys.stored(workspace)
        if key.record.refused_at:
            raise InvalidKeyError("refused before, and not replaced since")
        return key

    async def _observed(
        self,
        workspace: WorkspaceId,
        key: StoredKey,
        operation: str,
        call: Callable[[str], Awaitable[T]],
    ) -> T:
        try:
            answer = await call(key.secret)
        except InvalidKeyError:
            if await self._keys.note_refused(workspace, key):
                await self._on_refusal(workspace, key.record)
            raise
        except InsufficientPermissionsError as error:
            await self._keys.note_lacking(workspace, key, operation)
            raise LackingScopeError(operation) from error
        await self._keys.note_accepted(workspace, key, operation)
        return answer
