"""The note in the file of a store that has moved to a database: where to, and when.

No bot starts on such a file, or digests would come twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from bot.operating.printing import day, shown
from bot.store.base import Document, Documents
from bot.store.errors import StoreError

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
