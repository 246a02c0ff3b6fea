"""Find the sealed texts of a store, by the table of kinds of documents."""

from collections.abc import Iterable, Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from bot.ops.output import OperatingError, printable
from bot.process.workspace import workspace_of_key
from bot.store.documents import Document, UnreadableSecretError, kind_of
from bot.store.encryption import CHECK_KEY, KeyRing, RingSource, associated_data
from bot.store.kinds import KINDS
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore

Store = FileStore | DatabaseStore
SEALED = "sealed"  # the name of each field that holds one


@dataclass(frozen=True, slots=True)
class SealedText:
    """A sealed text at `path` in the document `key`.

    `about` is its associated data, `None` for an unknown kind.
    """

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

    def encrypt_again(self, ring: KeyRing) -> str:
        """Return the same secret, sealed under the first key; raise as above."""
        return ring.encrypt(self.opened(ring), self.about or "")


def sealed_in(document: Document) -> Iterator[SealedText]:
    key = document.key
    if key == CHECK_KEY:
        for name, text in document.value.items():
            yield SealedText(key, (name,), CHECK_KEY, str(text))
        return
    for path, text in _fields(document.value):
        yield SealedText(key, path, _about(key, path), str(text))


def unopened(documents: Iterable[Document], ring: KeyRing) -> Iterator[SealedText]:
    """Yield every sealed text that the ring does not decrypt."""
    for document in documents:
        for sealed in sealed_in(document):
            try:
                sealed.opened(ring)
            except UnreadableSecretError:
                yield sealed


def with_text(value: dict[str, Any], path: tuple[str, ...], text: str) -> dict[str, Any]:
    """Return a document's value with another text at that path."""
    name, *rest = path
    inner = with_text(value[name], tuple(rest), text) if rest else text
    return {**value, name: inner}


def _about(key: str, path: tuple[str, ...]) -> str | None:
    """Return the associated data of a sealed text, `None` for an unknown kind.

    What one person has typed is sealed as theirs; their id follows the kind in the key.
    """
    try:
        workspace, sealed_as = workspace_of_key(key), KINDS[kind_of(key)].sealed[path]
    except (ValueError, KeyError):  # no workspace, or no such kind or field
        return None
    person = key.split("/")[2:3]
    return associated_data(sealed_as, workspace, *person)


def _fields(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, child in value.items():
        if name == SEALED:
            yield (name,), child
        elif isinstance(child, dict):
            yield from (((name, *path), text) for path, text in _fields(child))


def no_keys_error(ring: RingSource, outcome: str) -> OperatingError:
    """Return the error for a store without keys; `outcome` is its last sentence."""
    return OperatingError(
        f"There are no keys: BOT_SECRET_KEYS is not set, and {ring.key_file} is missing. Put one"
        f" of them back. {outcome}"
    )


async def read_sealed(store: Store) -> list[Document]:
    """Return the documents that hold secrets; raise StoreError."""
    async with aclosing(store.documents()) as documents:
        return [each async for each in documents if any(sealed_in(each))]
