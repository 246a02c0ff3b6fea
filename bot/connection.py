"""A workspace's line to Domain Tracker: every call is made with that workspace's own key."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import structlog

from bot.asking import KEY_CHECK, OTHER, asking_as, who_asks
from bot.errors import BotError
from bot.keys import Keys, NoKeyError, StoredKey
from bot.store.errors import StoreError
from bot.tracker.budget import Purpose
from bot.tracker.client import Tracker
from bot.tracker.errors import InsufficientPermissionsError, InvalidKeyError
from bot.tracker.models import Added, Listing, ScanResult
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

T = TypeVar("T")


class LackingScopeError(BotError):
    """The workspace's key works, but may not do `operation`: "list", "add" or "scan"."""

    def __init__(self, operation: str) -> None:
        self.operation = operation
        super().__init__(f"the key's scopes do not cover {operation}")


class TellsOfRefusal(Protocol):
    """Whoever tells the people concerned that the service refuses a key."""

    async def __call__(self, workspace: WorkspaceId, key: StoredKey) -> None:
        """Tell them; never raise."""
        ...


class Connection:
    """Calls the service for workspaces, and remembers what the service says of their keys.

    A key that was refused as invalid is not sent again before somebody replaces it or asks
    for it to be checked. Every call may raise NoKeyError,
    LackingScopeError, StoreError (the key cannot be read) and any TrackerError. While the
    service is asked, the context says for whom, and where (see `asking.py`).
    """

    def __init__(
        self,
        tracker: Tracker,
        keys: Keys,
        *,
        on_refusal: TellsOfRefusal,
    ) -> None:
        self._tracker = tracker
        self._keys = keys
        self._on_refusal = on_refusal

    async def list_domains(
        self, workspace: WorkspaceId, *, purpose: Purpose = Purpose.PERSON
    ) -> Listing:
        """Return the workspace's domains."""
        return await self._call(
            workspace, "list", lambda key: self._tracker.list_domains(key, purpose=purpose)
        )

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

    async def try_out(self, secret: str) -> Listing:
        """Return what the service lists for a key that is not in use; nothing is noted of it."""
        if (asked := who_asks()) is None:
            return await self._tracker.list_domains(secret)
        with asking_as(asked[0], KEY_CHECK):
            return await self._tracker.list_domains(secret)

    async def check_again(self, workspace: WorkspaceId) -> Listing:
        """Ask the service once with the workspace's key, even if it was refused before."""
        key = await self._keys.stored(workspace)
        with asking_as(workspace, KEY_CHECK):
            return await self._observed(workspace, key, "list", self._tracker.list_domains)

    async def _call(
        self, workspace: WorkspaceId, operation: str, call: Callable[[str], Awaitable[T]]
    ) -> T:
        key = await self._usable_key(workspace)
        try:
            return await self._observed(workspace, key, operation, call)
        except InvalidKeyError as refusal:
            # Replaced while the call was on its way: the refusal says nothing of the new key,
            # and a refused call has changed nothing.
            present = await self._replaced(workspace, key)
            if present is None:
                raise refusal from None
            return await self._observed(workspace, present, operation, call)

    async def _replaced(self, workspace: WorkspaceId, key: StoredKey) -> StoredKey | None:
        """The key that has taken the place of `key`, or `None`: none has, or none can be read."""
        try:
            present = await self._keys.stored(workspace)
        except (NoKeyError, StoreError):
            return None
        return None if present.sealed == key.sealed or present.record.refused_at else present

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
            answer = await self._asked(workspace, key.secret, call)
        except InvalidKeyError:
            if await _noted(self._keys.note_refused(workspace, key)):
                await self._on_refusal(workspace, key)
            raise
        except InsufficientPermissionsError as error:
            await _noted(self._keys.note_lacking(workspace, key, operation))
            raise LackingScopeError(operation) from error
        await _noted(self._keys.note_accepted(workspace, key, operation))
        return answer

    async def _asked(
        self, workspace: WorkspaceId, secret: str, call: Callable[[str], Awaitable[T]]
    ) -> T:
        """Call for whoever asks; somebody of another workspace is nobody in particular here."""
        home, asker = who_asks() or (workspace, OTHER)
        with asking_as(workspace, asker if home == workspace else OTHER):
            return await call(secret)


async def _noted(note: Awaitable[bool]) -> bool:
    """A note that the store does not take must not hide what the service has answered."""
    try:
        return await note
    except StoreError as error:
        logger.warning("could not note what the service says of a key", error=repr(error))
        return False
