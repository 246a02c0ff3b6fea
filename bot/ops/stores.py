"""Open the store for the operator's commands: a file or a database."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterable, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bot.installations.installation import KIND as INSTALLATION
from bot.ops.output import OperatingError, day, shown
from bot.store.documents import (
    FORWARDING,
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
from bot.store.files import held_by, lock_file_of, lock_holder
from bot.store.postgres.address import Address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import MigrationSet
from bot.store.postgres.snapshot import database_pages
from bot.store.snapshot import Snapshot, read_pages, whole
from bot.store.sqlite import open_sqlite
from bot.workspace import WorkspaceId

MEND = (
    "set DATABASE_URL to that database. To use the file again instead, run"
    " `python -m bot move --back` first."
)


@dataclass(frozen=True, slots=True)
class Forwarding:
    """The note in a moved store. `place` names the database, without user and password."""

    place: str
    at: datetime

    @property
    def value(self) -> dict[str, Any]:
        return {"v": 1, "to": self.place, "at": self.at.isoformat()}

    @property
    def text(self) -> str:
        """Return `was moved to … on …`."""
        return f"was moved to {shown(self.place)} on {day(self.at)}"


def forwarding_in(documents: Iterable[Document | None]) -> Forwarding | None:
    """Return the note among the documents, `None` when the store has not moved."""
    for each in documents:
        if each and each.key == FORWARDING:
            return Forwarding(each.value["to"], datetime.fromisoformat(each.value["at"]))
    return None


async def require_unmoved(documents: Documents) -> None:
    """Raise StoreError when the store has moved, or has failed."""
    if forwarding := forwarding_in([await documents.get(FORWARDING)]):
        raise StoreError(f"this store {forwarding.text}: {MEND}")


PROCESS = "process"
ALL, WEB, WORKER = "all", "web", "worker"
WATCH_S = 7.0  # each process writes its document every five seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A running process. `role` is `?`, and `keys` (at rest) `None`, where it does not say."""

    role: str
    keys: tuple[str, ...] | None = None


def _process(value: dict[str, Any]) -> Process:
    role, keys = value.get("role"), tuple(value.get("keys") or ())
    return Process(role=role if role in (ALL, WEB, WORKER) else "?", keys=keys or None)


def roles(processes: Iterable[Process]) -> str:
    """Return `1 web, 2 worker`."""
    counts = Counter(each.role for each in processes)
    return ", ".join(f"{count:,} {role}" for role, count in sorted(counts.items()))


class FileStore:
    """A store in an SQLite file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = shown(str(path.absolute()))

    def require_there(self) -> None:
        """Raise OperatingError when there is no store yet."""
        if not self.path.exists():
            raise OperatingError(
                f"There is no store at {self.place}. Check DATABASE_URL, and the folder"
                " you are in."
            )

    def require_writable(self) -> None:
        lock = lock_file_of(self.path)
        holder = lock_holder(lock)
        if holder is not None:
            raise StoreLockedError(held_by(holder, lock))

    async def pages(
        self, *, kinds: Collection[str], is_sealed_wanted: bool = False
    ) -> AsyncGenerator[Snapshot]:
        """Yield the documents of these kinds, and those with secrets if wanted, in key order.

        Also beside a running bot; it raises StoreError.
        """
        async with aclosing(read_pages(self.path)) as pages:
            async for page in pages:
                wanted = (
                    each
                    for each in page.documents
                    if _kind(each.key) in kinds or (is_sealed_wanted and any(sealed_in(each)))
                )
                yield replace(page, documents=tuple(wanted))

    @asynccontextmanager
    async def opened(self, *, even_moved: bool = False) -> AsyncIterator[Documents]:
        """Open it for writing; with `even_moved` also when it has moved.

        Raises:
            StoreLockedError: another process has opened it.
            StoreError: it fails, or has moved.
        """
        documents = await open_sqlite(self.path, timeout_s=600)  # a vacuum writes the whole file
        try:
            if not even_moved:
                await require_unmoved(documents)
            yield documents
        finally:
            await documents.close()

    async def running_processes(self) -> Sequence[Process]:
        """Return the processes beside which it is open: there can be none."""
        return ()

    def ring_source(self, setting: str | None) -> RingSource:
        """Return the keys of the setting or else the key file; raise WrongKeyRingError."""
        return ring_source(setting, self.path)


class DatabaseStore:
    """A store in PostgreSQL; `sets` are the migrations that writing needs. See `FileStore`."""

    def __init__(
        self, address: Address, sets: Sequence[MigrationSet], *, watch_s: float = WATCH_S
    ) -> None:
        self.address = address
        self.sets = sets
        self._watch_s = watch_s

    def require_there(self) -> None:
        """Do nothing: the first read fails when it is not there."""

    def require_writable(self) -> None:
        """Do nothing: any number of processes may write."""

    def pages(
        self, *, kinds: Collection[str], is_sealed_wanted: bool = False
    ) -> AsyncGenerator[Snapshot]:
        text = SEALED if is_sealed_wanted else None
        return database_pages(self.address, kinds=kinds, text=text)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Documents]:
        """Open it for writing; raise StoreError, an OutdatedSchemaError among them."""
        documents = await open_postgres(self.address, sets=self.sets)
        try:
            yield documents
        finally:
            await documents.close()

    async def running_processes(self) -> Sequence[Process]:
        """Return the processes whose documents change within some seconds.

        No clock is compared, and a killed process does not count.
        """
        before = {each.key: each.rev for each in await self._processes()}
        if before:
            await asyncio.sleep(self._watch_s)
        after = await self._processes() if before else []
        return [_process(each.value) for each in after if before.get(each.key) != each.rev]

    async def _processes(self) -> list[Document]:
        snapshot = await whole(self.pages(kinds={PROCESS}))
        return [each for each in snapshot.documents if each.key.startswith(f"meta/{PROCESS}/")]

    def ring_source(self, setting: str | None) -> RingSource:
        return RingSource(KeyRing.parse(setting) if setting else None)


Store = FileStore | DatabaseStore


FIELD = "sealed"
# How a sealed text begins in the JSON of a document.
SEALED = f'"{VERSION}.'
RING_NOTE = "the note by which the store knows its keys"


@dataclass(frozen=True, slots=True)
class SealedText:
    """A sealed text at `path` in the document `key`.

    `thing` names it for an operator. `about` is its associated data, `None` for an unknown kind.
    """

    key: str
    path: tuple[str, ...]
    thing: str
    about: str | None
    text: str = field(repr=False)

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
        """Return the secret; UnreadableSecretError: it cannot be opened."""
        if self.about is None:
            raise UnreadableSecretError("of an unknown kind")
        return ring.decrypt(self.text, self.about)

    def encrypt_again(self, ring: KeyRing) -> str:
        """Return the same secret, sealed under the first key; raise as above."""
        return ring.encrypt(self.opened(ring), self.about or "")


def sealed_in(document: Document) -> Iterator[SealedText]:
    key = document.key
    if key == CHECK_KEY:
        for name, text in document.value.items():
            yield SealedText(key, (name,), RING_NOTE, CHECK_KEY, str(text))
        return
    for path, text in _fields(document.value):
        unknown = f"{key.partition('/')[2] or key} ({'.'.join(path)})"
        thing, about = _known(key, path) or (unknown, None)
        yield SealedText(key, path, thing, about, str(text))


def unopened(documents: Iterable[Document], ring: KeyRing) -> Iterator[SealedText]:
    """Yield every sealed text that the ring does not decrypt."""
    for document in documents:
        for sealed in sealed_in(document):
            try:
                sealed.opened(ring)
            except UnreadableSecretError:
                yield sealed


def _kind(key: str) -> str:
    """Return the part of a document's key that follows the workspace: `digest`."""
    return f"{key}//".split("/")[1]


def with_text(value: dict[str, Any], path: tuple[str, ...], text: str) -> dict[str, Any]:
    """Return a document's value with another text at that place."""
    name, *rest = path
    inner = with_text(value[name], tuple(rest), text) if rest else text
    return {**value, name: inner}


# A kind of document, and where in it a sealed text is -> what it is, and what it is sealed as.
# Whom the two last are about is in the key of their document.
SEALED_AT = {
    ("key", "sealed"): ("the API key", "api-key"),
    ("key", "earlier", "sealed"): ("the earlier API key", "api-key"),
    ("installation", "token", "sealed"): ("the bot token", "bot-token"),
    ("installation", "refresh", "sealed"): ("the refresh token", "refresh-token"),
    ("kept", "sealed"): ("a command that {} typed", "kept-command"),
    ("pending", "sealed"): ("an answer that somebody waits for", "pending-answer"),
}


def _known(key: str, path: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the name of a sealed text and its associated data, `None` for an unknown kind."""
    workspace, *place = key.split("/")
    try:
        home = WorkspaceId.parse(workspace)
        thing, field_name = SEALED_AT[*place[:1], *path]
        whose = place[1:2]
        return thing.format(*whose), associated_data(field_name, home, *whose)
    except (ValueError, LookupError):  # no workspace, or no such place
        return None


def _fields(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, child in value.items():
        if name == FIELD:
            yield (name,), child
        elif isinstance(child, dict):
            yield from (((name, *path), text) for path, text in _fields(child))


def no_keys_error(ring: RingSource, outcome: str) -> OperatingError:
    """Return the error for a store without keys; `outcome` is its last sentence."""
    return OperatingError(
        f"There are no keys: BOT_SECRET_KEYS is not set, and {ring.key_file} is missing. Put one"
        f" of them back. {outcome}"
    )


async def read_sealed(store: Store) -> Snapshot:
    """Return installations, what holds secrets, and a `Forwarding`; raise StoreError."""
    kinds = {INSTALLATION, _kind(FORWARDING)}
    return await whole(store.pages(kinds=kinds, is_sealed_wanted=True))
