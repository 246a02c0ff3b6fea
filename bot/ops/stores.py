"""Open the store for the operator's commands: a file or a database."""

import asyncio
from collections import Counter
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from bot import admin
from bot.digests import repository
from bot.installations.models import KIND as INSTALLATION
from bot.ops.export_file import Histories, Holdings, Places, histories_of, holdings_of
from bot.ops.output import OperatingError, counted, day, shown, some_of
from bot.store.documents import (
    Document,
    Documents,
    StoreError,
    StoreLockedError,
    UnreadableSecretError,
)
from bot.store.encryption import (
    CHECK_KEY,
    VERSION,
    KeyRing,
    RingSource,
    associated_data,
    ring_source,
)
from bot.store.files import lock_file_of, lock_holder
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import MigrationSet
from bot.store.postgres.pool import Address
from bot.store.postgres.snapshot import read_database
from bot.store.sqlite import Snapshot, open_sqlite, read_snapshot
from bot.workspace import WorkspaceId

FORWARDING = "meta/moved"
MEND = (
    "set DATABASE_URL to that database. To go on with the file all the same, run"
    " `python -m bot move --back` first."
)


@dataclass(frozen=True, slots=True)
class Forwarding:
    """`place` tells people which database where, without user and password."""

    place: str
    at: datetime

    @property
    def told(self) -> str:
        """Return `was moved to … on …`."""
        return f"was moved to {shown(self.place)} on {day(self.at)}"


def forwarding_in(documents: Iterable[Document]) -> Forwarding | None:
    """Return the note among the documents, `None` when the store has not moved."""
    for each in documents:
        if each.key == FORWARDING:
            return Forwarding(each.value["to"], datetime.fromisoformat(each.value["at"]))
    return None


async def leave(documents: Documents, forwarding: Forwarding) -> None:
    """Write the note; raise StoreError."""
    value = {"v": 1, "to": forwarding.place, "at": forwarding.at.isoformat()}
    await documents.put(FORWARDING, value)


async def come_back(documents: Documents) -> Forwarding | None:
    """Take the note away and return it, `None` when there is none; raise StoreError."""
    note = await documents.get(FORWARDING)
    await documents.delete(FORWARDING)
    return forwarding_in([note] if note else [])


async def require_unmoved(documents: Documents) -> None:
    """Refuse a store that has moved.

    Raises:
        StoreError: it has, or it failed.
    """
    note = await documents.get(FORWARDING)
    if forwarding := forwarding_in([note] if note else []):
        raise StoreError(f"this store {forwarding.told}: {MEND}")


# The store's own documents have no workspace; their kind stands in the same place.
PROCESS = "process"
PREFIX = f"meta/{PROCESS}/"
# Each writes its document anew every five seconds.
WATCH_S = 7.0
ALL, WEB, WORKER = "all", "web", "worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process. `role` is `all`, `web`, `worker`, or `?` where it does not say.

    `keys` are the names of its keys at rest, `None` where it does not say.
    """

    role: str
    keys: tuple[str, ...] | None = None


async def living(
    read: Callable[[], Awaitable[Sequence[Document]]], watch: Callable[[], Awaitable[object]]
) -> list[Process]:
    """Return the processes whose documents change between two reads; `watch` is the time between.

    So no clock of theirs matters, and one that was killed is not taken for alive.
    """
    before = {each.key: each.rev for each in _of_processes(await read())}
    if not before:
        return []
    await watch()
    after = _of_processes(await read())
    return [_process(each.value) for each in after if before.get(each.key) != each.rev]


def roles(processes: Iterable[Process]) -> str:
    """Return `1 web, 2 worker`."""
    counts = Counter(each.role for each in processes)
    return ", ".join(f"{count:,} {role}" for role, count in sorted(counts.items()))


def _of_processes(documents: Iterable[Document]) -> list[Document]:
    return [each for each in documents if each.key.startswith(PREFIX)]


def _process(value: dict[str, Any]) -> Process:
    """Read what a process of whatever version shows: what it lacks is nobody's mistake."""
    role, keys = value.get("role"), value.get("keys")
    return Process(
        role=role if isinstance(role, str) and role in (ALL, WEB, WORKER) else "?",
        keys=tuple(map(str, keys)) if isinstance(keys, list) and keys else None,
    )


# Wiping the traces writes the whole file anew.
PATIENCE_S = 600.0


class FileStore:
    """See `Store`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def require_there(self) -> None:
        """See `Store.require_there`."""
        if not self.is_there():
            raise OperatingError(
                f"There is no store at {shown(str(self._path.absolute()))}: look at DATABASE_URL,"
                " and at the folder in which you are."
            )

    def is_there(self) -> bool:
        """See `Store.is_there`."""
        return self._path.exists()

    def require_writable(self) -> None:
        """See `Store.require_writable`."""
        lock = lock_file_of(self._path)
        holder = lock_holder(lock)
        if holder is not None:
            raise StoreLockedError(f"process {holder} holds {lock}")

    async def snapshot(
        self,
        *,
        kinds: Collection[str] | None = None,  # noqa: ARG002  # all is read anyway
        text: str | None = None,  # noqa: ARG002  # likewise
    ) -> Snapshot:
        """See `Store.snapshot`."""
        return await read_snapshot(self._path)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        """See `Store.opened`; raise StoreLockedError when another process has."""
        documents = await open_sqlite(self._path, timeout_s=PATIENCE_S)
        try:
            yield documents
        finally:
            await documents.close()

    async def living(self) -> Sequence[Process]:
        """See `Store.living`. Whoever has opened it is alone."""
        return ()

    def ring_source(self, setting: str | None) -> RingSource:
        """See `Store.ring_source`."""
        return ring_source(setting, self._path)


class DatabaseStore:
    """See `Store`. `sets` are the migrations without which nothing is written."""

    def __init__(
        self, address: Address, sets: Sequence[MigrationSet], *, watch_s: float = WATCH_S
    ) -> None:
        self.address = address
        self.sets = sets
        self._watch_s = watch_s

    def require_there(self) -> None:
        """See `Store.require_there`. Who reads it finds out."""

    def is_there(self) -> bool:
        """See `Store.is_there`."""
        return True

    def require_writable(self) -> None:
        """See `Store.require_writable`. Any number of processes may."""

    async def snapshot(
        self, *, kinds: Collection[str] | None = None, text: str | None = None
    ) -> Snapshot:
        """See `Store.snapshot`."""
        return await read_database(self.address, kinds=kinds, text=text)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        """See `Store.opened`; raise OutdatedSchemaError when it is not migrated."""
        documents = await open_postgres(self.address, sets=self.sets)
        try:
            yield documents
        finally:
            await documents.close()

    async def living(self) -> Sequence[Process]:
        """See `Store.living`. It takes some seconds where there are any, or were."""
        return await living(self._shown, lambda: asyncio.sleep(self._watch_s))

    async def _shown(self) -> Sequence[Document]:
        return (await self.snapshot(kinds={PROCESS})).documents

    def ring_source(self, setting: str | None) -> RingSource:
        """See `Store.ring_source`. There is no other than that of the setting."""
        return RingSource(KeyRing.parse(setting) if setting else None)


FIELD = "sealed"
# How a sealed text begins in the JSON of a document.
SEALED = f'"{VERSION}.'
RING_NOTE = "the note by which the store knows its keys"


@dataclass(frozen=True, slots=True)
class SealedText:
    """A sealed text, and the fields of the document `key` that lead to it.

    `thing` says what it is, to an operator. `about` is what it is sealed about; `None`: it is of
    a kind that is not known.
    """

    key: str
    path: tuple[str, ...]
    thing: str
    about: str | None
    text: str = field(repr=False)

    def place(self, places: Places) -> str:
        """Return what it is and whose: `the API key of Acme (T1)`."""
        try:
            return places.of(self.thing, WorkspaceId.parse(self.key.split("/")[0]))
        except ValueError:  # of no workspace
            return self.thing

    @property
    def key_name(self) -> str:
        """The name of the key that it is sealed with, empty when it does not say."""
        return f"{self.text}..".split(".")[1]

    def why_closed(self, ring: KeyRing) -> str:
        """Return in plain words why `ring` did not open it."""
        if self.about is None:
            return "of a kind that this version of the bot does not know"
        if self.key_name and self.key_name not in ring.names:
            return f"sealed with the key {shown(self.key_name, 40)}, which is missing"
        return "damaged, or moved there from another place"

    def opened(self, ring: KeyRing) -> str:
        """Return the secret.

        Raises:
            UnreadableSecretError: altered, moved, of an unknown kind, or its key is missing.
        """
        return ring.decrypt(self.text, self._belongs())

    def sealed_anew(self, ring: KeyRing) -> str:
        """Return the same secret, sealed for its place under the first key; raise as above."""
        return ring.encrypt(self.opened(ring), self._belongs())

    def _belongs(self) -> str:
        if self.about is None:
            raise UnreadableSecretError("of an unknown kind")
        return self.about


def sealed_in(document: Document) -> Iterator[SealedText]:
    """Yield every sealed text of a document."""
    key = document.key
    if key == CHECK_KEY:
        for name, text in document.value.items():
            yield SealedText(key, (name,), RING_NOTE, CHECK_KEY, str(text))
        return
    for path, text in _fields(document.value):
        thing = f"{key.partition('/')[2] or key} ({'.'.join(path)})"
        thing, belongs = _known(key, path) or (thing, None)
        yield SealedText(key, path, thing, belongs, str(text))


def unopened(documents: Iterable[Document], ring: KeyRing) -> Iterator[SealedText]:
    """Yield every sealed text that the ring does not open."""
    for document in documents:
        for sealed in sealed_in(document):
            try:
                sealed.opened(ring)
            except UnreadableSecretError:
                yield sealed


def with_text(value: dict[str, Any], path: tuple[str, ...], text: str) -> dict[str, Any]:
    """Return a document's value with another text at that place."""
    name, *rest = path
    inner = with_text(value[name], tuple(rest), text) if rest else text
    return {**value, name: inner}


def _known(key: str, path: tuple[str, ...]) -> tuple[str, str] | None:
    """Return what stands there, and what it is sealed about; `None`: nobody knows."""
    workspace, *place = key.split("/")
    try:
        home = WorkspaceId.parse(workspace)
    except ValueError:  # no workspace
        return None
    match place, path:
        case ["key"], ("sealed",):
            return "the API key", associated_data("api-key", home)
        case ["key"], ("earlier", "sealed"):
            return "the earlier API key", associated_data("api-key", home)
        case ["kept", user_id, _], ("sealed",):
            return f"a command that {user_id} typed", associated_data(
                "kept-command", home, user_id
            )
        case ["pending", name], ("sealed",):
            return "an answer that somebody waits for", associated_data(
                "pending-answer", home, name
            )
        case ["installation"], ("token", "sealed"):
            return "the bot token", associated_data("bot-token", home)
        case ["installation"], ("refresh", "sealed"):
            return "the refresh token", associated_data("refresh-token", home)
    return None


def _fields(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, child in value.items():
        if name == FIELD:
            yield (name,), child
        elif isinstance(child, dict):
            yield from (((name, *path), text) for path, text in _fields(child))


# The installations know the names of workspaces.
HELD = frozenset({repository.KIND, repository.RIGHTS, admin.KIND, INSTALLATION})
TOLD = frozenset({admin.HISTORY_KIND, INSTALLATION})


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
