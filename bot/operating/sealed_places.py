"""Where the store holds sealed texts, and what each of them is sealed about. Pure.

Every sealed text stands in a field called `sealed`, except those by which the store knows its
ring. Whoever seals something of another kind adds a case to `_known`; a test sees to that.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from bot.operating.places import Places
from bot.operating.printing import shown
from bot.store.base import Document
from bot.store.errors import UnreadableSecretError
from bot.store.sealed import CHECK_KEY, VERSION, KeyRing, about
from bot.workspace import WorkspaceId

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
        return ring.unseal(self.text, self._belongs())

    def sealed_anew(self, ring: KeyRing) -> str:
        """Return the same secret, sealed for its place under the first key; raise as above."""
        return ring.seal(self.opened(ring), self._belongs())

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
            return "the API key", about("api-key", home)
        case ["key"], ("earlier", "sealed"):
            return "the earlier API key", about("api-key", home)
        case ["kept", user_id, _], ("sealed",):
            return f"a command that {user_id} typed", about("kept-command", home, user_id)
        case ["pending", name], ("sealed",):
            return "an answer that somebody waits for", about("pending-answer", home, name)
        case ["installation"], ("token", "sealed"):
            return "the bot token", about("bot-token", home)
        case ["installation"], ("refresh", "sealed"):
            return "the refresh token", about("refresh-token", home)
    return None


def _fields(value: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], object]]:
    for name, child in value.items():
        if name == FIELD:
            yield (name,), child
        elif isinstance(child, dict):
            yield from (((name, *path), text) for path, text in _fields(child))
