"""Installations as they were read a little while ago: every request asks for one."""

import time
from collections.abc import Callable
from datetime import datetime

from cachetools import TTLCache

from bot.installations.installation import Installation
from bot.installations.shelf import InstallationShelf, Kept
from bot.single_flight import SingleFlight
from bot.workspace import WorkspaceId

# For a store that this process has to itself. Where others install, renew and forget meanwhile
# it is to be short: see `RecentInstallations`.
REMEMBERED_FOR_S = 60.0
MAX_REMEMBERED = 10_000


class RecentInstallations:
    """Reads each installation once in `for_s` seconds, for everybody; that there is none, too.

    What another process has written is known here so much later, unless Slack refuses the token
    (then `forget` comes), nothing was found, or it is written (then it is read): a request of a
    workspace that was forgotten meanwhile may be let in, with a token that Slack has revoked and
    a store that takes nothing in; a token that was renewed is good for hours more.

    Every method but `forget` raises what the shelf raises.
    """

    def __init__(
        self,
        shelf: InstallationShelf,
        *,
        clock_s: Callable[[], float] = time.monotonic,
        for_s: float = REMEMBERED_FOR_S,
    ) -> None:
        self._shelf = shelf
        self._known: TTLCache[WorkspaceId, Kept | None] = TTLCache(
            MAX_REMEMBERED, for_s, timer=clock_s
        )
        self._flights: SingleFlight[WorkspaceId, Kept | None] = SingleFlight()
        self._changes = 0

    async def get(self, home: WorkspaceId) -> Kept | None:
        """Return the installation as it was `for_s` seconds ago at most, `None` for none."""
        try:
            return self._known[home]
        except KeyError:
            return await self._flights.run(home, lambda: self._read(home))

    async def read(self, home: WorkspaceId) -> Kept | None:
        """Return the installation as it is now, `None` for none."""
        self.forget(home)
        return await self._read(home)

    async def put(
        self,
        installation: Installation,
        *,
        if_rev: int | None,
        refreshing_until: datetime | None = None,
        prove_at: datetime | None = None,
    ) -> Kept:
        """Keep an installation, as `InstallationShelf.put`; raise ConflictError as it does."""
        home = installation.home
        try:
            kept = await self._shelf.put(
                installation,
                if_rev=if_rev,
                refreshing_until=refreshing_until,
                prove_at=prove_at,
            )
        finally:
            self.forget(home)  # what was read while it was written
        self._known[home] = kept
        return kept

    def forget(self, home: WorkspaceId) -> None:
        """Let whoever asks next read anew."""
        self._changes += 1
        self._flights.forget(home)
        self._known.pop(home, None)

    async def _read(self, home: WorkspaceId) -> Kept | None:
        before = self._changes
        kept = await self._shelf.get(home)
        if before == self._changes:  # else it may be older than what is known by now
            self._known[home] = kept
        return kept
