"""What an operator's command finds at the place of the store, without opening it for writing."""

from pathlib import Path

from bot.operating.document import Holdings, holdings_of
from bot.operating.errors import OperatingError
from bot.operating.history import Histories
from bot.operating.printing import counted, shown, some_of
from bot.store.errors import StoreLockedError
from bot.store.files import lock_file_of, lock_holder
from bot.store.snapshot import read_snapshot


async def read_holdings(path: Path) -> Holdings:
    """Return what the store holds, also beside a running bot.

    Raises:
        OperatingError: there is no store.
        StoreError: it cannot be read.
    """
    require_store(path)
    snapshot = await read_snapshot(path)
    holdings = holdings_of(snapshot.documents)
    holdings.unreadable += snapshot.unreadable
    return holdings


async def read_holdings_whole(path: Path) -> Holdings:
    """Return what the store holds, nothing when there is none yet.

    Raises:
        OperatingError: some of it cannot be read, so nobody can say what differs.
        StoreError: none of it can.
    """
    if not _is_there(path):
        return Holdings()
    holdings = await read_holdings(path)
    if holdings.unreadable:
        raise OperatingError(*unreadable_lines(holdings), "Nothing was imported.")
    return holdings


def require_store(path: Path) -> None:
    """Raise OperatingError when there is no store."""
    if not _is_there(path):
        raise OperatingError(
            f"There is no store at {shown(str(path.absolute()))}: look at DATABASE_URL, and at the"
            " folder in which you are."
        )


def require_stopped(path: Path) -> None:
    """Raise StoreLockedError when a process uses the store."""
    lock = lock_file_of(path)
    holder = lock_holder(lock)
    if holder is not None:
        raise StoreLockedError(f"process {holder} holds {lock}")


def unreadable_lines(found: Holdings | Histories) -> list[str]:
    """Return what is to be said of documents that nobody can read."""
    count = counted(len(found.unreadable), "document")
    names = [found.places.document(key) for key in found.unreadable]
    return [f"The store holds {count} that nobody can read:", *some_of(names)]


def _is_there(path: Path) -> bool:
    return path.exists()
