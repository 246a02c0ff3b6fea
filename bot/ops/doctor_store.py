"""Check the store, beside running bots and without changing it."""

import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import disk_usage

from bot.ops.output import Finding, failure, ok, shown, some_names, warning
from bot.ops.stores import (
    DatabaseStore,
    FileStore,
    SealedText,
    read_sealed,
    sealed_in,
    unopened,
    workspace_names,
)
from bot.store.documents import Document, StoreError
from bot.store.encryption import RingSource
from bot.store.files import lock_file_of, lock_holder, may_write
from bot.store.postgres.migrations import missing
from bot.store.postgres.pool import open_pool
from bot.store.postgres.snapshot import Facts, read_facts, refused_write
from bot.store.snapshot import Page
from bot.views.text import plural

STORE, RING, DISK = "DATABASE_URL", "BOT_SECRET_KEYS", "disk"
RESTORE = "stop the bot and put a backup in its place."
# Where DYNO is set: https://devcenter.heroku.com/articles/dynos#ephemeral-filesystem.
DISK_IS_WIPED = warning(
    DISK,
    "Heroku empties the disk of a dyno at least once a day: keys and digests are lost then",
    "Use PostgreSQL or a disk that lasts. Keep what `python -m bot backup` writes.",
)
SAME_USER = (
    "Give the file and its folder to the user that runs the bot, and run this as that user."
)


# The log that SQLite writes before the file grows to 4 MB: https://sqlite.org/wal.html#avoiding_excessively_large_wal_files
LEAST_FREE = 10_000_000


async def check_store(
    store: FileStore, *, free_bytes: Callable[[Path], int] = lambda folder: disk_usage(folder).free
) -> tuple[list[Finding], Page | None]:
    """Return how the file is, and its documents; `None` when it cannot be read."""
    try:
        holder = lock_holder(lock_file_of(store.path))
        if not store.path.exists():
            if holder is not None:
                said = f"{store.place} is gone, and process {shown(holder)} uses it"
                return [failure(STORE, said, f"If it is lost, {RESTORE}")], None
            return [_new_store_finding(store)], Page()
        snapshot = await read_sealed(store)
        free = free_bytes(store.path.resolve().parent)
    except (StoreError, OSError) as error:
        mend = f"{SAME_USER} If it is damaged: {RESTORE}"
        return [failure(STORE, shown(str(error)), mend)], None
    found = [_store_finding(store, snapshot, holder)]
    if free < LEAST_FREE:
        said = f"the disk of {store.place} has {free / 1e6:.1f} MB left"
        found.insert(0, failure(DISK, said, "Free some: a full disk takes no writes."))
    return found, snapshot


def ring_finding(source: RingSource, documents: Sequence[Document]) -> Finding:
    """Return whether the ring opens everything that is sealed, and which of its keys do."""
    sealed = [each for document in documents for each in sealed_in(document)]
    needed = ", ".join(sorted({shown(each.key_name, 40) for each in sealed})) or "none"
    if source.ring is None:
        return _without_ring(source, sealed, needed)
    if closed := list(unopened(documents, source.ring)):
        known_names = workspace_names(documents)
        said = [
            f"{known_names.document(each.key, each.thing)}: {each.why_closed(source.ring)}"
            for each in closed
        ]
        mend = f"The store needs the keys named {needed}. Put the missing or earlier one back."
        return failure(RING, f"{shown(source.name)} does not open {some_names(said)}", mend)
    spare = [name for name in source.ring.names[1:] if name not in {s.key_name for s in sealed}]
    if not sealed:
        return ok(RING, f"{shown(source.name)} is there; nothing is sealed yet")
    them = f"all {len(sealed):,} secrets" if len(sealed) > 1 else "the only secret"
    opens = f"{shown(source.name)} decrypts {them}"
    unused = f"; no longer needed: {', '.join(spare)}" if spare else ""
    return ok(RING, f"{opens}; keys in use: {needed}{unused}")


def _unreadable_finding(where: str, snapshot: Page) -> Finding:
    known_names = workspace_names(snapshot.documents)
    names = [known_names.document(key) for key in snapshot.unreadable]
    said = f"{where} holds what cannot be read: {some_names(names)}"
    return failure(STORE, said, f"Use the version of the bot that wrote it, or {RESTORE}")


def _store_finding(store: FileStore, snapshot: Page, holder: str | None) -> Finding:
    path, where = store.path, store.place
    if snapshot.unreadable:
        return _unreadable_finding(where, snapshot)
    if not (may_write(path) and may_write(path.resolve().parent)):
        return failure(STORE, f"{where} cannot be written to by this user", SAME_USER)
    used = f"used by process {shown(holder)}" if holder is not None else "not used by any process"
    return ok(STORE, f"{where} is whole, {plural(snapshot.count, 'document')}, {used}")


def _new_store_finding(store: FileStore) -> Finding:
    """Return whether a store can be made: make a file in the folder that is there, and remove it.

    Root may write everywhere, says the system, also to `/proc`.
    """
    folder = next(each for each in store.path.absolute().parents if each.exists())
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError:
        said = f"{store.place} cannot be made, as {shown(str(folder))} cannot be written to"
        mend = "Give that folder to the user that runs the bot, or choose another."
        return failure(STORE, said, mend)
    return ok(STORE, f"{store.place} is not there yet; the bot makes it when it starts")


def _without_ring(source: RingSource, sealed: Sequence[SealedText], needed: str) -> Finding:
    if not sealed:
        return ok(RING, f"not set: the bot makes {shown(str(source.key_file))} when it starts")
    mend = f"Put it back, or set {RING} to a ring with the keys named {needed}."
    return failure(RING, f"not set, and there is no file {shown(str(source.key_file))}", mend)


MAKE_WRITABLE = "Give it more disk, or end what makes it read-only."
REACH = "Check DATABASE_URL, the network in between, and the server."
# Older ones get no corrections any more: https://www.postgresql.org/support/versioning/
OLDEST_SUPPORTED = 14
# A command reads several times before it answers, and Slack waits for three seconds.
SLOW_READ_S = 0.05


async def check_database(store: DatabaseStore) -> tuple[list[Finding], Page | None]:
    """Return how the database is, and what is sealed in it; `None` when it cannot be read."""
    where = shown(store.address.place)
    try:
        async with await open_pool(store.address) as pool:
            if steps := await missing(pool, store.sets):
                said = f"{where} lacks {plural(len(steps), 'step')} of its schema"
                return [failure(STORE, said, "Run `python -m bot migrate`.")], None
            facts, refusal = await read_facts(pool), await refused_write(pool)
            snapshot = await read_sealed(store)
    except StoreError as error:
        return [failure(STORE, shown(str(error), 400), REACH)], None
    said = f"{where} takes no writes ({shown(refusal, 200)})"
    return [
        *([failure(STORE, said, MAKE_WRITABLE)] if refusal else []),
        _unreadable_finding(where, snapshot)
        if snapshot.unreadable
        else database_finding(where, facts),
    ], snapshot


def database_finding(where: str, facts: Facts) -> Finding:
    said = (
        f"{where} answers in {facts.read_s * 1000:.1f} ms; PostgreSQL {shown(facts.version, 20)},"
        f" {plural(facts.documents, 'document')}, its schema is up to date"
    )
    major = re.match(r"\d+", facts.version)
    if major and int(major[0]) < OLDEST_SUPPORTED:
        mend = f"This version gets no more fixes. Upgrade to {OLDEST_SUPPORTED} or newer."
        return warning(STORE, said, mend)
    if facts.read_s > SLOW_READ_S:
        mend = "That is slow. Run the bot close to the database."
        return warning(STORE, said, mend)
    return ok(STORE, said)
