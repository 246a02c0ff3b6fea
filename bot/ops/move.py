"""Move the documents of an embedded store to a database, or go back."""

import hashlib
import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import aclosing
from datetime import datetime
from pathlib import Path

from bot.ops.export_file import WorkspaceNames
from bot.ops.output import OperatingError, day, shown, some_of
from bot.ops.stores import (
    DatabaseStore,
    FileStore,
    Forwarding,
    forwarding_in,
    no_keys_error,
    roles,
    unopened,
)
from bot.store.documents import FORWARDING, Document, StoreError, encode_value
from bot.store.encryption import CHECK_KEY, RingSource
from bot.store.postgres.migrations import migrate
from bot.store.postgres.snapshot import PostgresImport, import_transaction
from bot.store.snapshot import Snapshot, read_pages
from bot.views.text import plural
from bot.workspace import WorkspaceId

MARK = "meta/move"  # in the database: what was moved there
# The documents of a process or of the file itself. So are `pending` ones, of whatever workspace:
# answers that an ended process cannot give any more.
STAYS = (MARK, FORWARDING, "meta/check", "meta/process/", "meta/seen/", "meta/traces")
PENDING = "pending"
NOTHING = "Nothing was moved."


class MoveManifest:
    """The number of documents of each kind, and a fingerprint of all; add them in key order."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._hash = hashlib.sha256()

    def add(self, documents: Iterable[Document]) -> None:
        """Add documents: their keys, values, revisions and due moments."""
        for each in documents:
            head = json.dumps([each.key, each.rev, each.due_at and each.due_at.isoformat()])
            self._hash.update(f"{head}\n{encode_value(each.value)}\n".encode())
            self.counts[kind_of(each.key)] += 1

    @property
    def fingerprint(self) -> str:
        """The same for the same documents only; it tells nothing about their content."""
        return self._hash.hexdigest()


def moves(key: str) -> bool:
    return not key.startswith(STAYS) and kind_of(key) != PENDING


def kind_of(key: str) -> str:
    """Return the kind of a document: `digest`, or `meta` for the store's own."""
    home, *rest = key.split("/")
    try:
        WorkspaceId.parse(home)
    except ValueError:
        return home if home == "meta" else "unknown"
    return rest[0] if rest else "unknown"


def compared(here: MoveManifest, there: MoveManifest) -> Iterator[str]:
    """Yield the counts of both sides as a table."""
    kinds = sorted({*here.counts, *there.counts})
    rows = [(kind, here.counts[kind], there.counts[kind]) for kind in kinds]
    rows = [("documents", here.counts.total(), there.counts.total()), *rows]
    width = max(len(kind) for kind, _, _ in rows)
    yield f"{'':<{width}} {'here':>12} {'there':>12}"
    yield from (f"{kind:<{width}} {ours:>12,} {theirs:>12,}" for kind, ours, theirs in rows)


async def move_store(
    path: Path, target: DatabaseStore, *, setting: str | None, now: datetime
) -> list[str]:
    """Move the store at `path` to `target`; return the lines to print. A repeat is harmless.

    `setting` is BOT_SECRET_KEYS, `None` where it is not set. After an OperatingError or StoreError
    nothing was moved; the tables may have been made. StoreLockedError: the bot is running.
    """
    store = FileStore(path)
    store.require_there()
    # To the end, so that no bot starts in between.
    async with store.opened(even_moved=True) as documents:
        ring = store.ring_source(setting)
        here = await manifest_of(path, ring)
        await migrate(target.address, target.sets)
        if running := await target.running_processes():
            raise OperatingError(
                f"A bot is running on that database: {roles(running)}. Stop it first. {NOTHING}"
            )
        async with import_transaction(target.address) as importing:
            at = await _moved_before(importing, here)
            table = [] if at else await move_into(importing, path, here, now)
        try:
            note = Forwarding(target.address.place, at or now)
            await documents.put(FORWARDING, note.value)
        except StoreError as error:
            raise OperatingError(
                "Everything is in the database, but the file could not be marked as moved:"
                f" {shown(str(error), 300)}. Run `move` again before a bot starts on the file."
            ) from error
    return [*table, *_moved_lines(here, at, ring, store.place)]


async def allow_file_again(path: Path) -> list[str]:
    """Delete the note in a file whose store has moved; return the lines to print.

    StoreLockedError: a process uses the file.
    """
    store = FileStore(path)
    store.require_there()
    async with store.opened(even_moved=True) as documents:
        forwarding = forwarding_in([await documents.get(FORWARDING)])
        await documents.delete(FORWARDING)
    if not forwarding:
        return ["This store has not moved. Nothing was changed."]
    return [
        f"The bot can use {store.place} again.",
        f"It lacks what {shown(forwarding.place)} has recorded since {day(forwarding.at)}.",
        "Stop every process on that database first, or digests are posted twice.",
    ]


async def manifest_of(path: Path, ring: RingSource) -> MoveManifest:
    """Return what there is to move.

    OperatingError: the store is empty or partly unreadable, or the ring is not the store's.
    """
    manifest = MoveManifest()
    async with aclosing(read_pages(path)) as pages:
        async for page in pages:
            _require_usable(page, ring)
            manifest.add(each for each in page.documents if moves(each.key))
    if not manifest.counts:
        raise OperatingError(f"The store is empty. Check DATABASE_URL. {NOTHING}")
    return manifest


def _require_usable(page: Snapshot, ring: RingSource) -> None:
    """Require readable documents, and that the ring opens the note about the store's keys."""
    if page.unreadable:
        names = [WorkspaceNames().document(key) for key in page.unreadable]
        mend = f"Use the version of the bot that wrote it, or a backup. {NOTHING}"
        raise OperatingError("Part of the store cannot be read:", *some_of(names), mend)
    checks = [each for each in page.documents if each.key == CHECK_KEY]
    if checks and ring.ring is None:
        raise no_keys_error(ring, NOTHING)
    if ring.ring and (closed := [*unopened(checks, ring.ring)]):
        why = [f"  {each.why_closed(ring.ring)}" for each in closed]
        mend = f"Set the keys that the bot had. {NOTHING}"
        raise OperatingError(f"{shown(ring.name)} does not open the store:", *why, mend)


async def _moved_before(importing: PostgresImport, here: MoveManifest) -> datetime | None:
    """Return when exactly these documents moved there, `None` when the database is free.

    OperatingError: it is not free.
    """
    if mark := await importing.get(MARK):
        at = datetime.fromisoformat(str(mark.value["at"]))
        if here.fingerprint == mark.value["print"]:
            return at
        raise OperatingError(
            f"A store was moved into that database on {day(at)}. This is another store, or a bot"
            " has written to it since. Nothing was changed.",
            "To move this one, give `move` an empty database.",
        )
    if count := await importing.count_of_workspace_documents():
        raise OperatingError(
            f"That database already holds {plural(count, 'document')}, and not from a move."
            f" Give `move` an empty one. {NOTHING}"
        )
    return None


async def move_into(
    importing: PostgresImport, path: Path, here: MoveManifest, now: datetime
) -> list[str]:
    """Copy the store at `path` into a free database; return the counts of both sides.

    OperatingError: both sides differ: the transaction must not be committed.
    """
    await importing.delete_own()
    async with aclosing(read_pages(path)) as pages:
        async for page in pages:
            await importing.copy_in([each for each in page.documents if moves(each.key)])
    there = MoveManifest()
    async with aclosing(importing.pages()) as arrived:
        async for copied in arrived:
            there.add(copied.documents)
    if (here.counts, here.fingerprint) != (there.counts, there.fingerprint):
        raise OperatingError("The copy differs:", *compared(here, there), NOTHING)
    note = {
        "v": 1,
        "at": now.isoformat(),
        "documents": here.counts.total(),
        "print": here.fingerprint,
    }
    await importing.copy_in([Document(MARK, note, 1, None)])
    return [*compared(here, there)]


def _moved_lines(
    here: MoveManifest, at: datetime | None, ring: RingSource, place: str
) -> Iterator[str]:
    """Yield the outcome; `at`: the documents moved before, at that time."""
    things = plural(here.counts.total(), "document")
    if at:
        yield f"This store ({things}) was already moved on {day(at)}. Nothing was changed."
    else:
        yield f"Moved {things}: both sides hold the same."
    yield "Now set DATABASE_URL to the new address and start the bot."
    if ring.key_file:
        file = str(ring.key_file.absolute())
        yield "PostgreSQL needs BOT_SECRET_KEYS too. Set it to the line in the key file"
        yield f"{shown(file)}. In a shell:"
        yield f'  export BOT_SECRET_KEYS="$(cat {shown(shlex.quote(file))})"'
    yield f"Keep {place} as a backup. No bot starts on it any more."
