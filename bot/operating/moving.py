"""A SQLite store moved into a PostgreSQL database: all of it or nothing, and only once."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from bot.operating.cargo import MARK, Cargo, compared, moves
from bot.operating.errors import OperatingError
from bot.operating.places import Places
from bot.operating.printing import counted, day, shown, some_of
from bot.operating.sealed_places import unopened
from bot.store.base import Document
from bot.store.key_file import RingSource
from bot.store.sealed import CHECK_KEY
from bot.store.snapshot import Snapshot

NOTHING = "Nothing was moved."

Read = Callable[[], AsyncGenerator[Snapshot]]


class Arrival(Protocol):
    """The new database, in one step that happens wholly or not at all, with nobody else writing.

    Every method raises StoreError.
    """

    async def get(self, key: str) -> Document | None:
        """Return the document, or `None` when there is none."""
        ...

    async def count_of_workspaces(self) -> int:
        """Return how many documents there are that are not the store's own."""
        ...

    async def make_room(self) -> None:
        """Delete what the store has noted for itself, and whom it refuses to take in."""
        ...

    async def take_in(self, documents: Sequence[Document]) -> None:
        """Write new documents as they are, revisions and all."""
        ...

    def pages(self) -> AsyncGenerator[Sequence[Document]]:
        """Yield every document, in key order."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """Who gets a line after about so many documents."""

    tell: Callable[[str], object]
    every: int = 10_000


@dataclass(frozen=True, slots=True)
class Moved:
    """What has come to the database, both sides as a table; `at`: before now, and then."""

    count: int
    table: tuple[str, ...] = ()
    at: datetime | None = None


async def survey(read: Read, ring: RingSource) -> Cargo:
    """Return what there is to move.

    Raises:
        OperatingError: nothing; or something cannot be read; or the ring is not the store's.
        StoreError: the store fails.
    """
    cargo = Cargo()
    async with aclosing(read()) as pages:
        async for page in pages:
            _require_readable(page)
            _require_opened(page, ring)
            cargo.add(each for each in page.documents if moves(each.key))
    if not cargo.count:
        raise OperatingError(f"The store is empty: look at DATABASE_URL. {NOTHING}")
    return cargo


async def move_into(
    arrival: Arrival, read: Read, here: Cargo, now: datetime, progress: Progress
) -> Moved:
    """Bring what `read` yields (`here`: the survey of it) into the database.

    Raises:
        OperatingError: the database is not free, or both sides differ: the step must not happen.
        StoreError: one of the two fails.
    """
    if mark := await arrival.get(MARK):
        return _moved_before(mark, here)
    await _require_free(arrival)
    await arrival.make_room()
    await _carry(arrival, read, here, progress)
    there = await _weighed(arrival)
    if (here.counts, here.fingerprint) != (there.counts, there.fingerprint):
        raise OperatingError("What arrived is not what left:", *compared(here, there), NOTHING)
    note = {"v": 1, "at": now.isoformat(), "documents": here.count, "print": here.fingerprint}
    await arrival.take_in([Document(MARK, note, 1, None)])
    return Moved(here.count, tuple(compared(here, there)))


def _moved_before(mark: Document, here: Cargo) -> Moved:
    at = datetime.fromisoformat(str(mark.value["at"]))
    if here.fingerprint == mark.value["print"]:
        return Moved(here.count, at=at)
    raise OperatingError(
        f"That database took in a store on {day(at)}, and this is another one, or a bot has"
        " written to this one since. Nothing was changed.",
        "To move this one, give `move` an empty database.",
    )


async def _require_free(arrival: Arrival) -> None:
    if count := await arrival.count_of_workspaces():
        raise OperatingError(
            f"That database holds {counted(count, 'document')} already, and no move has put them"
            f" there. Give `move` an empty one. {NOTHING}"
        )


async def _carry(arrival: Arrival, read: Read, here: Cargo, progress: Progress) -> None:
    done = told = 0
    async with aclosing(read()) as pages:
        async for page in pages:
            documents = [each for each in page.documents if moves(each.key)]
            await arrival.take_in(documents)
            done += len(documents)
            if done - told >= progress.every:
                told = done
                progress.tell(f"{done:,} of {counted(here.count, 'document')} …")


async def _weighed(arrival: Arrival) -> Cargo:
    cargo = Cargo()
    async with aclosing(arrival.pages()) as pages:
        async for page in pages:
            cargo.add(page)
    return cargo


def _require_readable(page: Snapshot) -> None:
    if page.unreadable:
        names = [Places().document(key) for key in page.unreadable]
        raise OperatingError("The store holds what nobody can read:", *some_of(names), NOTHING)


def _require_opened(page: Snapshot, ring: RingSource) -> None:
    """Make sure that the ring opens the note by which the store knows its keys."""
    checks = [each for each in page.documents if each.key == CHECK_KEY]
    if not checks:
        return
    if ring.ring is None:
        raise OperatingError(
            f"There are no keys: BOT_SECRET_KEYS is not set, and {ring.key_file} is not there. Put"
            f" one of them back. {NOTHING}"
        )
    closed = [f"  {each.why_closed(ring.ring)}" for each in unopened(checks, ring.ring)]
    if closed:
        raise OperatingError(f"{shown(ring.name)} does not open the store:", *closed, NOTHING)
