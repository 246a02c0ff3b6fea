"""What an operator's command needs of the place of the store, whichever it is."""

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from bot.admin import audit, managers
from bot.digests import shelf
from bot.installations.shelf import KIND as INSTALLATION
from bot.operating.document import Holdings, holdings_of
from bot.operating.errors import OperatingError
from bot.operating.history import Histories, histories_of
from bot.operating.printing import counted, some_of
from bot.operating.processes import Process
from bot.operating.sealed_places import SEALED
from bot.store.base import Documents
from bot.store.key_file import RingSource
from bot.store.snapshot import Snapshot

# The installations know the names of workspaces.
HELD = frozenset({shelf.KIND, shelf.RIGHTS, managers.KIND, INSTALLATION})
TOLD = frozenset({audit.KIND, INSTALLATION})


class Store(Protocol):
    """Where the settings say that the store is. Every method may raise StoreError."""

    def require_there(self) -> None:
        """Raise OperatingError when there surely is none yet."""
        ...

    def is_there(self) -> bool:
        """Return whether there may be one."""
        ...

    def require_writable(self) -> None:
        """Raise StoreLockedError when a process uses a store that only one may write to."""
        ...

    async def snapshot(
        self, *, kinds: Collection[str] | None = None, text: str | None = None
    ) -> Snapshot:
        """Return what it holds at this moment, also beside running bots.

        At least what is of these kinds, and what holds `text` in its JSON; by default all.
        """
        ...

    def opened(self) -> AbstractAsyncContextManager[Documents]:
        """Open it for writing."""
        ...

    async def living(self) -> Sequence[Process]:
        """Return the processes beside which it would be written to."""
        ...

    def ring_source(self, setting: str | None) -> RingSource:
        """Return the keys of the setting, or those that the bot made by itself for this store.

        Raises:
            WrongKeyRingError: those are garbled.
        """
        ...


async def read_holdings(store: Store) -> Holdings:
    """Return what the store holds for `export`, also beside a running bot.

    Raises:
        OperatingError: there is no store.
        StoreError: it cannot be read.
    """
    store.require_there()
    snapshot = await store.snapshot(kinds=HELD)
    holdings = holdings_of(snapshot.documents)
    holdings.unreadable += snapshot.unreadable
    return holdings


async def read_holdings_whole(store: Store) -> Holdings:
    """Return what the store holds, nothing when there is none yet.

    Raises:
        OperatingError: some of it cannot be read, so nobody can say what differs.
        StoreError: none of it can.
    """
    if not store.is_there():
        return Holdings()
    holdings = await read_holdings(store)
    if holdings.unreadable:
        raise OperatingError(*unreadable_lines(holdings), "Nothing was imported.")
    return holdings


async def read_histories(store: Store) -> Histories:
    """Return the histories; raise as `read_holdings` does."""
    store.require_there()
    snapshot = await store.snapshot(kinds=TOLD)
    histories = histories_of(snapshot.documents)
    histories.unreadable += snapshot.unreadable
    return histories


async def read_sealed(store: Store) -> Snapshot:
    """Return what holds secrets, and the installations; raise StoreError."""
    return await store.snapshot(kinds={INSTALLATION}, text=SEALED)


def unreadable_lines(found: Holdings | Histories) -> list[str]:
    """Return what is to be said of documents that nobody can read."""
    count = counted(len(found.unreadable), "document")
    names = [found.places.document(key) for key in found.unreadable]
    return [f"The store holds {count} that nobody can read:", *some_of(names)]
