"""Everything of a workspace, or of an organisation's workspaces, deleted from store and memory."""

from collections.abc import Awaitable, Callable, Sequence

import structlog

from bot.installations.departure import Stamp, place_of, prefix_of, stamp_of
from bot.installations.installation import organisation
from bot.installations.shelf import is_installation
from bot.installations.traces import Traces
from bot.store.errors import ConflictError
from bot.store.forgotten import ErasableDocuments
from bot.workspace import WorkspaceId

logger = structlog.get_logger()


class Erasure:
    """Deletes, unless the app was installed anew. Every method may raise StoreError.

    `caches` empty what this process remembers of a workspace.
    """

    def __init__(
        self,
        documents: ErasableDocuments,
        traces: Traces,
        caches: Sequence[Callable[[WorkspaceId], object]],
    ) -> None:
        self._documents = documents
        self._traces = traces
        self._caches = caches

    async def stamp(self, home: WorkspaceId) -> Stamp:
        """Return what tells the installation of `home` from another one."""
        return stamp_of(home, await self._documents.get(place_of(home)))

    async def erase(
        self,
        home: WorkspaceId,
        stamp: Stamp,
        *,
        unless: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """Delete everything of `home`, of which nothing is written any more from now on.

        An installation that is saved meanwhile waits until this is over, and then stands alone.
        `unless` is asked when nothing is written any more: whether another process has learnt
        meanwhile that `home` is to stay.

        Raises:
            ConflictError: it is, or its installation is no longer that of `stamp`; nothing was
                deleted.
        """
        prefix = prefix_of(home)
        own = _own_homes(home, await self._documents.list_keys(prefix))
        async with self._documents.forgetting(prefix, but=map(prefix_of, own)):
            if (await self.stamp(home)).rev != stamp.rev or (unless and await unless()):
                await self._documents.welcome(prefix)
                raise ConflictError("installed anew, or granted, meanwhile")
            await self._delete(home, await self._documents.list_keys(prefix))
        logger.info("forgotten", home=str(home))

    def empty_caches(self, home: WorkspaceId) -> None:
        """Let this process remember nothing of `home`."""
        for empty in self._caches:
            empty(home)

    async def _delete(self, home: WorkspaceId, keys: Sequence[str]) -> None:
        """Delete what has these keys, but for workspaces with an own installation.

        The organisation itself comes last, so that what was cut off is done again.
        """
        own = _own_homes(home, keys)
        for each in own:  # it may have been made a moment ago
            await self._documents.welcome(prefix_of(each))
        doomed = {_home_of(key) for key in keys} - own
        if doomed:
            async with self._traces.left():
                for each in sorted(doomed, key=lambda each: (each == home, str(each))):
                    await self._documents.delete_prefix(f"{each}/")
        for each in doomed | {home}:
            self.empty_caches(each)


def _own_homes(home: WorkspaceId, keys: Sequence[str]) -> set[WorkspaceId]:
    """Return the workspaces of the organisation `home` that have installed the app themselves."""
    if not home.enterprise_id or home != organisation(home.enterprise_id):
        return set()
    return {_home_of(key) for key in keys if is_installation(key)} - {home}


def _home_of(key: str) -> WorkspaceId:
    return WorkspaceId.parse(key.partition("/")[0])
