"""Find the sealed texts of a store, by the table of kinds of documents; seal them again."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from bot.ops.output import OperatingError, printable
from bot.process.workspace import workspace_of_key
from bot.settings import NEW_KEY
from bot.store.documents import Document, Documents, UnreadableSecretError, kind_of
from bot.store.encryption import (
    CHECK_KEY,
    CHECK_TEXT,
    KeyRing,
    RingSource,
    associated_data,
    check_key_ring,
)
from bot.store.kinds import KINDS
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore

Store = FileStore | DatabaseStore
SEALED = "sealed"  # the name of each field that holds one


@dataclass(frozen=True, slots=True)
class SealedText:
    """One of a document; `about` is its associated data, `None` for an unknown kind."""

    key: str
    path: tuple[str, ...]
    about: str | None
    text: str = field(repr=False)

    @property
    def key_name(self) -> str:
        """The name of the key that it is sealed with, empty when it does not say."""
        return f"{self.text}..".split(".")[1]

    def why_closed(self, ring: KeyRing) -> str:
        """Return where it is, as `-.T1/key (earlier.sealed)`, and why `ring` did not open it."""
        if self.about is None:
            why = "of a kind that this version of the bot does not know"
        elif self.key_name and self.key_name not in ring.names:
            why = f"sealed with the key {printable(self.key_name, 40)}, which is missing"
        else:
            why = "damaged, or moved there from another document"
        return f"{self.key} ({'.'.join(self.path)}): {why}"

    def opened(self, ring: KeyRing) -> str:
        """Return the secret; UnreadableSecretError: it cannot be opened."""
        if self.about is None:
            raise UnreadableSecretError("of an unknown kind")
        return ring.decrypt(self.text, self.about)


def sealed_in(document: Document) -> Iterator[SealedText]:
    key = document.key
    if key == CHECK_KEY:
        for name, text in document.value.items():
            yield SealedText(key, (name,), CHECK_KEY, str(text))
        return
    for path, text in _fields(document.value):
        yield SealedText(key, path, _about(key, path), str(text))


def unopened(documents: Iterable[Document], ring: KeyRing) -> Iterator[SealedText]:
    for document in documents:
        for sealed in sealed_in(document):
            try:
                sealed.opened(ring)
            except UnreadableSecretError:
                yield sealed


def with_text(value: dict[str, Any], path: tuple[str, ...], text: str) -> dict[str, Any]:
    name, *rest = path
    inner = with_text(value[name], tuple(rest), text) if rest else text
    return {**value, name: inner}


def _about(key: str, path: tuple[str, ...]) -> str | None:
    try:
        workspace, sealed_as = workspace_of_key(key), KINDS[kind_of(key)].sealed[path]
    except (ValueError, KeyError):  # no workspace, or no such kind or field
        return None
    person = key.split("/")[2:3]  # what one person has typed is sealed as theirs
    return associated_data(sealed_as, workspace, *person)


def _fields(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, child in value.items():
        if name == SEALED:
            yield (name,), child
        elif isinstance(child, dict):
            yield from (((name, *path), text) for path, text in _fields(child))


def require_ring(source: RingSource, outcome: str) -> KeyRing:
    """Return the ring; `outcome` is the last sentence of the OperatingError for none."""
    if source.ring is None:
        raise OperatingError(
            f"There are no keys: BOT_SECRET_KEYS is not set, and {source.key_file} is missing."
            f" Put one of them back. {outcome}"
        )
    return source.ring


async def read_sealed(store: Store) -> list[Document]:
    """Return the documents that hold secrets; raise StoreError."""
    async with aclosing(store.documents()) as documents:
        return [each async for each in documents if any(sealed_in(each))]


@dataclass(slots=True)
class Rotated:
    """How many secrets were sealed again, or needed no change, and which do not open."""

    again: int = 0
    already: int = 0
    closed: list[SealedText] = field(default_factory=list)


async def rotate(documents: Documents, kept: Sequence[Document], ring: KeyRing) -> Rotated:
    """Encrypt what is in `kept` again, one by one; after a failure, a repeat goes on.

    At the end the store's note forgets the earlier keys, unless something still needs them.
    WrongKeyRingError: the ring is not that of the store; nothing was changed.
    """
    await check_key_ring(documents, ring)  # from here on the store asks for the new key as well
    rotated = Rotated()
    for document in kept:
        if document.key == CHECK_KEY:
            continue
        value = document.value
        for sealed in sealed_in(document):
            try:
                text = sealed.opened(ring)
            except UnreadableSecretError:
                rotated.closed.append(sealed)
                continue
            if sealed.key_name == ring.names[0]:
                rotated.already += 1
            else:
                rotated.again += 1
                value = with_text(value, sealed.path, ring.encrypt(text, sealed.about or ""))
        if value != document.value:
            rev, due_at = document.rev, document.due_at
            await documents.put(document.key, value, due_at=due_at, if_rev=rev)
    if not rotated.closed:
        note = await documents.get(CHECK_KEY)
        first = {ring.names[0]: ring.encrypt(CHECK_TEXT, CHECK_KEY)}
        await documents.put(CHECK_KEY, first, if_rev=note.rev if note else 0)
    return rotated


def rotation_lines(rotated: Rotated, source: RingSource) -> Iterator[str]:
    names = source.ring.names if source.ring else ()
    yield (
        f"{rotated.again:,} sealed again under {names[0]}, {rotated.already:,} were so already,"
        f" {len(rotated.closed):,} could not be opened."
    )
    if len(names) > 1 and not rotated.closed:
        others = ", ".join(names[1:])
        yield f"{printable(source.name)} no longer needs {others}. Earlier backups still do."
    if source.key_file and len(names) == 1:
        yield "There is no new key. To make one, run"
        yield f"  {NEW_KEY.replace('k1', 'k2')}"
        yield "Then set BOT_SECRET_KEYS to the new key, a comma, and the line in"
        yield f"{printable(str(source.key_file))}. Then run this again."
