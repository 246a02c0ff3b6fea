"""Move the documents of an embedded store to a database, or go back."""

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.ops.export_file import Places
from bot.ops.output import OperatingError, counted, day, shown, some_of
from bot.ops.stores import (
    FORWARDING,
    DatabaseStore,
    FileStore,
    Forwarding,
    come_back,
    leave,
    roles,
    unopened,
)
from bot.store.documents import Document, Documents, StoreError, encode_value
from bot.store.encryption import CHECK_KEY, RingSource
from bot.store.postgres.migrations import migrate
from bot.store.postgres.snapshot import arriving
from bot.store.sqlite import Snapshot, read_pages
from bot.workspace import WorkspaceId

MARK = "meta/move"  # in the new house: what was moved there
# What belongs to a process or to the place itself: of no use elsewhere, or untrue there.
STAYS = (
    MARK,
    FORWARDING,
    "meta/check",  # what the store writes to see whether it works
    "meta/process/",  # who lives
    "meta/traces",  # that this file is to be wiped
)
# Kinds of a workspace's documents that are of the moment: who waited for the process that ended.
OF_THE_MOMENT = frozenset({"pending"})
OWN = "meta"


class MoveManifest:
    """How many documents there are of each kind, and a fingerprint of all that is in them.

    The fingerprint depends on the order: documents come by key.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._hash = hashlib.sha256()

    def add(self, documents: Iterable[Document]) -> None:
        """Take note of the next documents: keys, values, revisions and due moments."""
        for each in documents:
            due_at = each.due_at and each.due_at.isoformat()
            head = json.dumps([each.key, each.rev, due_at])
            self._hash.update(f"{head}\n{encode_value(each.value)}\n".encode())
            self.counts[kind_of(each.key)] += 1

    @property
    def count(self) -> int:
        """How many there are."""
        return self.counts.total()

    @property
    def fingerprint(self) -> str:
        """The same for the same documents only, and nobody can tell from it what they say."""
        return self._hash.hexdigest()


def moves(key: str) -> bool:
    """Return whether the document of that name comes along."""
    return not key.startswith(STAYS) and kind_of(key) not in OF_THE_MOMENT


def kind_of(key: str) -> str:
    """Return of which kind a document is: `digest`, or `meta` for the store's own."""
    home, *rest = key.split("/")
    try:
        WorkspaceId.parse(home)
    except ValueError:
        return home if home == OWN else "unknown"
    return rest[0] if rest else "unknown"


def compared(here: MoveManifest, there: MoveManifest) -> Iterator[str]:
    """Yield the counts of both sides as a table."""
    kinds = sorted({*here.counts, *there.counts})
    rows = [(kind, here.counts[kind], there.counts[kind]) for kind in kinds]
    rows = [("documents", here.count, there.count), *rows]
    width = max(len(kind) for kind, _, _ in rows)
    yield f"{'':<{width}} {'here':>12} {'there':>12}"
    yield from (f"{kind:<{width}} {ours:>12,} {theirs:>12,}" for kind, ours, theirs in rows)


NOTHING = "Nothing was moved."
Read = Callable[[], AsyncGenerator[Snapshot]]


class BulkImport(Protocol):
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


async def survey(read: Read, ring: RingSource) -> MoveManifest:
    """Return what there is to move.

    Raises:
        OperatingError: nothing; or something cannot be read; or the ring is not the store's.
        StoreError: the store fails.
    """
    cargo = MoveManifest()
    async with aclosing(read()) as pages:
        async for page in pages:
            _require_readable(page)
            _require_opened(page, ring)
            cargo.add(each for each in page.documents if moves(each.key))
    if not cargo.count:
        raise OperatingError(f"The store is empty: look at DATABASE_URL. {NOTHING}")
    return cargo


async def move_into(
    arrival: BulkImport, read: Read, here: MoveManifest, now: datetime, progress: Progress
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


def _moved_before(mark: Document, here: MoveManifest) -> Moved:
    at = datetime.fromisoformat(str(mark.value["at"]))
    if here.fingerprint == mark.value["print"]:
        return Moved(here.count, at=at)
    raise OperatingError(
        f"That database took in a store on {day(at)}, and this is another one, or a bot has"
        " written to this one since. Nothing was changed.",
        "To move this one, give `move` an empty database.",
    )


async def _require_free(arrival: BulkImport) -> None:
    if count := await arrival.count_of_workspaces():
        raise OperatingError(
            f"That database holds {counted(count, 'document')} already, and no move has put them"
            f" there. Give `move` an empty one. {NOTHING}"
        )


async def _carry(arrival: BulkImport, read: Read, here: MoveManifest, progress: Progress) -> None:
    done = told = 0
    async with aclosing(read()) as pages:
        async for page in pages:
            documents = [each for each in page.documents if moves(each.key)]
            await arrival.take_in(documents)
            done += len(documents)
            if done - told >= progress.every:
                told = done
                progress.tell(f"{done:,} of {counted(here.count, 'document')} …")


async def _weighed(arrival: BulkImport) -> MoveManifest:
    cargo = MoveManifest()
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


def moved_lines(moved: Moved, ring: RingSource, path: Path) -> Iterator[str]:
    """Yield it; `path` and `ring` are those of the store that was moved."""
    yield from moved.table
    things = counted(moved.count, "document")
    if moved.at:
        yield f"This store ({things}) was moved there on {day(moved.at)}. Nothing was changed."
    else:
        yield f"Moved {things}: both sides hold the same."
    yield "Now set DATABASE_URL to the new address and start the bot."
    if ring.key_file:
        file = str(ring.key_file.absolute())
        yield "PostgreSQL needs BOT_SECRET_KEYS too: set it to the one line that the key file"
        yield f"{shown(file)} holds, as it stands there. In a shell:"
        yield f'  export BOT_SECRET_KEYS="$(cat {shown(shlex.quote(file))})"'
    yield f"Keep {shown(str(path.absolute()))} as a backup: no bot starts on it any more."


def back_lines(forwarding: Forwarding | None, path: Path) -> Iterator[str]:
    """Yield what `move --back` says: `forwarding` is the note that it took away, if any."""
    if not forwarding:
        yield "This store has not moved. Nothing was changed."
        return
    place = shown(forwarding.place)
    yield f"A bot starts on {shown(str(path.absolute()))} again."
    yield f"What happened in {place} since {day(forwarding.at)} is not in it."
    yield "Stop every process on that database first, or digests come twice."


async def relocate(
    path: Path, target: DatabaseStore, *, setting: str | None, now: datetime, progress: Progress
) -> list[str]:
    """Move the store at `path` to `target`; return what to say of it.

    `setting` is BOT_SECRET_KEYS, `None` where it is not set. Begun again, it ends the same.

    Raises:
        OperatingError, StoreError: why nothing was moved. The tables may have been made.
        StoreLockedError: the bot is running.
    """
    store = FileStore(path)
    store.require_there()
    async with store.opened() as documents:  # to the end, so that no bot starts in between
        ring = store.ring_source(setting)
        here = await survey(lambda: read_pages(path), ring)
        await migrate(target.address, target.sets)
        await _require_still(target)
        async with arriving(target.address) as arrival:
            moved = await move_into(arrival, lambda: read_pages(path), here, now, progress)
        await _note(documents, Forwarding(target.address.place, moved.at or now))
    return [*moved_lines(moved, ring, path)]


async def back(path: Path) -> list[str]:
    """Let bots start on a file again whose store has moved; return what to say of it.

    Raises:
        OperatingError, StoreError: why not.
        StoreLockedError: somebody uses the file.
    """
    store = FileStore(path)
    store.require_there()
    async with store.opened() as documents:
        forwarding = await come_back(documents)
    return [*back_lines(forwarding, path)]


async def _note(documents: Documents, forwarding: Forwarding) -> None:
    try:
        await leave(documents, forwarding)
    except StoreError as error:
        raise OperatingError(
            "Everything is in the database, but the file could not be told so:"
            f" {shown(str(error), 300)}. Run `move` again before anybody starts a bot on it."
        ) from error


async def _require_still(target: DatabaseStore) -> None:
    if running := await target.living():
        raise OperatingError(
            f"A bot is running on that database: {roles(running)}. Stop it first. {NOTHING}"
        )
