"""Encrypt everything at rest again, under the first key of the ring."""

import contextlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from bot.ops.export_file import Places, places_of
from bot.ops.output import OperatingError, counted, shown
from bot.ops.stores import Process, SealedText, roles, sealed_in, with_text
from bot.store.documents import (
    ConflictError,
    Document,
    Documents,
    StoreError,
    UnreadableSecretError,
)
from bot.store.encryption import CHECK_KEY, CHECK_TEXT, KeyRing, RingSource, check_key_ring
from bot.store.sqlite import Snapshot

NEW_KEY = (
    "  python -c 'import base64, secrets;"
    ' print("k2:" + base64.b64encode(secrets.token_bytes(32)).decode())\''
)


@dataclass(slots=True)
class Rotated:
    """How many sealed texts were sealed anew, and how many were so already.

    `closed` are those that could not be opened, `unreadable` the keys of documents that could
    not be read.
    """

    anew: int = 0
    already: int = 0
    closed: list[SealedText] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    @property
    def failures(self) -> int:
        """How many things were left as they are."""
        return len(self.closed) + len(self.unreadable)


def require_shared(ring: KeyRing, note: Document | None, running: Sequence[Process]) -> None:
    """Make sure that whoever runs seals with the new key already, and so opens what this seals.

    `note` is that by which the store knows its keys: who starts adds its first one.

    Raises:
        OperatingError: some process has surely not.
    """
    first = ring.names[0]
    is_noted = note is not None and first in note.value
    lacking = [each for each in running if each.keys and each.keys[0] != first]
    if running and (lacking or not is_noted):
        raise OperatingError(
            f"A bot is running ({roles(running)}) that does not seal with {shown(first)} yet. Give"
            " every process the new BOT_SECRET_KEYS and start it again; then run this."
            " Nothing was changed."
        )


async def rotate(documents: Documents, keys: Iterable[str], ring: KeyRing) -> Rotated:
    """Seal anew what stands under `keys`, document by document; begun again, it goes on.

    At the end the store forgets the earlier keys of the ring, unless something still needs them.

    Raises:
        WrongKeyRingError: the ring is not that of the store; nothing was changed.
        StoreError: the store failed; what was sealed anew stays so.
    """
    await check_key_ring(documents, ring)  # from here on the store asks for the new key as well
    rotated = Rotated()
    for key in keys:
        if key != CHECK_KEY:
            await _rotate_one(documents, key, ring, rotated)
    if not rotated.failures:
        await _forget_earlier_keys(documents, ring)
    return rotated


async def rotate_all(
    look: Callable[[], Awaitable[Snapshot]], documents: Documents, ring: KeyRing
) -> tuple[Rotated, Places]:
    """Seal anew whatever is sealed in the store; return that, and the names of its places.

    `look` finds at least what is sealed, and the installations.

    Raises:
        OperatingError: somebody seals with an old key at this moment.
        WrongKeyRingError, StoreError: as `rotate` does.
    """
    snapshot = await look()
    rotated = await rotate(documents, snapshot.keys, ring)
    again = await look()
    late = [
        sealed
        for document in again.documents
        for sealed in sealed_in(document)
        if sealed.key_name != ring.names[0]
    ]
    if late and not rotated.failures:
        raise OperatingError(
            f"{counted(len(late), 'secret')} came in the meantime, sealed with an old key: a"
            " process runs that does not have the new one. Give it the new BOT_SECRET_KEYS, start"
            " it again, and run this again. Until then keep the old keys."
        )
    return rotated, places_of(snapshot.documents)


def rotation_lines(rotated: Rotated, source: RingSource) -> Iterator[str]:
    """Yield what was done, and what is left to do for whoever runs the bot."""
    names = source.ring.names if source.ring else ()
    yield (
        f"{rotated.anew:,} sealed anew under {names[0]}, {rotated.already:,} were so already,"
        f" {rotated.failures:,} could not be opened."
    )
    if len(names) > 1 and not rotated.failures:
        others = ", ".join(names[1:])
        yield f"{shown(source.name)} can do without {others} now; backups made earlier cannot."
    if source.key_file and len(names) == 1:
        yield "There is no new key to seal with. To change to one, make it with"
        yield NEW_KEY
        yield f"and set BOT_SECRET_KEYS to it, a comma, and what {shown(str(source.key_file))}"
        yield "holds (the new one first). Then run this again."


def failure_lines(rotated: Rotated, ring: KeyRing, places: Places) -> Iterator[str]:
    """Yield what could not be sealed anew, by its place and without its content."""
    for key in rotated.unreadable:
        yield f"{places.document(key)}: the document cannot be read"
    for sealed in rotated.closed:
        yield f"{sealed.place(places)}: {sealed.why_closed(ring)}"


async def _forget_earlier_keys(documents: Documents, ring: KeyRing) -> None:
    note = await documents.get(CHECK_KEY)
    first = {ring.names[0]: ring.encrypt(CHECK_TEXT, CHECK_KEY)}
    await documents.put(CHECK_KEY, first, if_rev=note.rev if note else 0)


async def _rotate_one(documents: Documents, key: str, ring: KeyRing, rotated: Rotated) -> None:
    """Seal one document's texts anew, as often as somebody changes it meanwhile."""
    while True:
        try:
            document = await documents.get(key)
        except StoreError:
            rotated.unreadable.append(key)
            return
        if document is None:
            return
        one = Rotated()
        changed = _sealed_anew(document, ring, one)
        with contextlib.suppress(ConflictError):
            if one.anew:
                await documents.put(key, changed, due_at=document.due_at, if_rev=document.rev)
            rotated.anew += one.anew
            rotated.already += one.already
            rotated.closed += one.closed
            return


def _sealed_anew(document: Document, ring: KeyRing, counts: Rotated) -> dict[str, object]:
    value = document.value
    for sealed in sealed_in(document):
        try:
            anew = sealed.sealed_anew(ring)
        except UnreadableSecretError:
            counts.closed.append(sealed)
            continue
        if sealed.key_name == ring.names[0]:
            counts.already += 1
        else:
            value = with_text(value, sealed.path, anew)
            counts.anew += 1
    return value
