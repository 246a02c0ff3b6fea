"""Where the store holds sealed texts, and what each of them is sealed about. Pure.

Every sealed text stands in a field called `sealed`, except those by which the store knows its
ring. Whoever seals something of another kind adds a line to `_about`; a test sees to that.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.store.base import Document
from bot.store.errors import UnreadableSecretError
from bot.store.sealed import CHECK_KEY, KeyRing, about
from bot.workspace import WorkspaceId

FIELD = "sealed"


@dataclass(frozen=True, slots=True)
class SealedText:
    """A sealed text, the fields that lead to it, and what it is sealed about (`None`: unknown)."""

    key: str
    path: tuple[str, ...]
    about: str | None
    text: str = field(repr=False)

    @property
    def place(self) -> str:
        """Where it stands, for an operator."""
        return f"{self.key} ({'.'.join(self.path)})"

    @property
    def key_name(self) -> str:
        """The name of the key that it is sealed with, empty when it does not say."""
        return f"{self.text}..".split(".")[1]

    def opened(self, ring: KeyRing) -> str:
        """Return the secret.

        Raises:
            UnreadableSecretError: altered, moved, of an unknown kind, or its key is missing.
        """
        return ring.unseal(self.text, self._known())

    def sealed_anew(self, ring: KeyRing) -> str:
        """Return the same secret, sealed for its place under the first key; raise as above."""
        return ring.seal(self.opened(ring), self._known())

    def _known(self) -> str:
        if self.about is None:
            raise UnreadableSecretError("of a kind that this version does not know")
        return self.about


def sealed_in(document: Document) -> Iterator[SealedText]:
    """Yield every sealed text of a document."""
    if document.key == CHECK_KEY:
        for name, text in document.value.items():
            yield SealedText(document.key, (name,), CHECK_KEY, str(text))
        return
    for path, text in _fields(document.value):
        yield SealedText(document.key, path, _about(document.key, path), str(text))


def unopened(documents: Iterable[Document], ring: KeyRing) -> Iterator[tuple[SealedText, str]]:
    """Yield every sealed text that the ring does not open, and why."""
    for document in documents:
        for sealed in sealed_in(document):
            try:
                sealed.opened(ring)
            except UnreadableSecretError as error:
                yield sealed, str(error)


def with_text(value: dict[str, Any], path: tuple[str, ...], text: str) -> dict[str, Any]:
    """Return a document's value with another text at that place."""
    name, *rest = path
    inner = with_text(value[name], tuple(rest), text) if rest else text
    return {**value, name: inner}


def _about(key: str, path: tuple[str, ...]) -> str | None:
    workspace, *place = key.split("/")
    try:
        match place, path:
            case ["key"], ("sealed",) | ("earlier", "sealed"):
                return about("api-key", WorkspaceId.parse(workspace))
            case ["kept", user_id, _], ("sealed",):
                return about("kept-command", WorkspaceId.parse(workspace), user_id)
    except ValueError:  # no workspace
        return None
    return None


def _fields(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, child in value.items():
        if name == FIELD:
            yield (name,), child
        elif isinstance(child, dict):
            yield from (((name, *path), text) for path, text in _fields(child))
