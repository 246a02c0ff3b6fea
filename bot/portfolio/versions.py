"""Which list of a workspace's domains is the latest, for all processes that keep one."""

from dataclasses import dataclass
from typing import Protocol

import structlog

from bot.patience import Patience
from bot.store.base import Documents
from bot.store.errors import StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# A list that is a minute old is better than no answer: see `Portfolio`.
ASKED_WITHIN_S = 1.0
KIND = "list"


@dataclass(frozen=True, slots=True)
class Version:
    """Another number than before: another account's list, or a change of the domains."""

    account: int = 0
    change: int = 0


class Versions(Protocol):
    """Tells every process that keeps a list when there is a newer one. Never raises."""

    async def current(self, workspace: WorkspaceId) -> Version | None:
        """Return the version as it is now, `None` when nobody can tell."""
        ...

    async def change(self, workspace: WorkspaceId) -> None:
        """Let every list be outdated that was begun before this moment, in every process."""
        ...

    async def disown(self, workspace: WorkspaceId) -> None:
        """Likewise, and let no process show an older one any more: it may be another account's."""
        ...


class OnlyHere:
    """For a process that has the store to itself: nobody else changes anything."""

    async def current(self, workspace: WorkspaceId) -> Version | None:  # noqa: ARG002  # the port's
        """See `Versions.current`."""
        return Version()

    async def change(self, workspace: WorkspaceId) -> None:
        """See `Versions.change`."""

    async def disown(self, workspace: WorkspaceId) -> None:
        """See `Versions.disown`."""


class StoredVersions:
    """Two documents of each workspace, of which only the revisions count.

    A revision that was there once does not come again, also after a deletion: so two who write
    at the same moment need no compare-and-set, and what went with its workspace is no old one.
    """

    def __init__(self, documents: Documents, *, asked_within_s: float = ASKED_WITHIN_S) -> None:
        self._documents = documents
        self._patience = Patience(asked_within_s)

    async def current(self, workspace: WorkspaceId) -> Version | None:
        """See `Versions.current`."""

        async def read() -> Version:
            found = await self._documents.list_prefix(f"{workspace}/{KIND}/")
            revs = {document.key: document.rev for document in found}
            return Version(
                account=revs.get(_place(workspace, "account"), 0),
                change=revs.get(_place(workspace, "change"), 0),
            )

        try:
            return await self._patience.wait(read())
        except (StoreError, TimeoutError) as error:
            logger.warning("it is not known whether a list is the latest", error=repr(error))
            return None

    async def change(self, workspace: WorkspaceId) -> None:
        """See `Versions.change`."""
        await self._write(_place(workspace, "change"))

    async def disown(self, workspace: WorkspaceId) -> None:
        """See `Versions.disown`."""
        await self._write(_place(workspace, "account"))

    async def _write(self, place: str) -> None:
        async def write() -> None:
            await self._documents.put(place, {"v": 1})

        try:
            await self._patience.wait(write())
        except (StoreError, TimeoutError) as error:
            logger.warning("other processes may keep an older list", error=repr(error))


def _place(workspace: WorkspaceId, what: str) -> str:
    return f"{workspace}/{KIND}/{what}"
