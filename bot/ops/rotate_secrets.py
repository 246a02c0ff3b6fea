"""Encrypt everything at rest again, under the first key of the ring."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bot.ops.output import printable
from bot.ops.sealed_texts import SealedText, sealed_in, with_text
from bot.settings import NEW_KEY
from bot.store.documents import Document, Documents, UnreadableSecretError
from bot.store.encryption import CHECK_KEY, CHECK_TEXT, KeyRing, RingSource, check_key_ring


@dataclass(slots=True)
class Rotated:
    """The counts of secrets that were encrypted again, and that needed no change.

    `closed` could not be decrypted.
    """

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
        value = _encrypt_again(document, ring, rotated)
        if value != document.value:
            rev, due_at = document.rev, document.due_at
            await documents.put(document.key, value, due_at=due_at, if_rev=rev)
    if not rotated.closed:
        note = await documents.get(CHECK_KEY)
        first = {ring.names[0]: ring.encrypt(CHECK_TEXT, CHECK_KEY)}
        await documents.put(CHECK_KEY, first, if_rev=note.rev if note else 0)
    return rotated


def rotation_lines(rotated: Rotated, source: RingSource) -> Iterator[str]:
    """Yield what was done, and what the operator can do next."""
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


def _encrypt_again(document: Document, ring: KeyRing, counts: Rotated) -> dict[str, object]:
    value = document.value
    for sealed in sealed_in(document):
        try:
            text = sealed.encrypt_again(ring)
        except UnreadableSecretError:
            counts.closed.append(sealed)
            continue
        if sealed.key_name == ring.names[0]:
            counts.already += 1
        else:
            value = with_text(value, sealed.path, text)
            counts.again += 1
    return value
