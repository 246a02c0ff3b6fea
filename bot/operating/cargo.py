"""What moves house, counted and weighed, so that both sides can be compared. Pure."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator

from bot.operating.forwarding import FORWARDING
from bot.store.base import Document
from bot.store.rows import encode_value
from bot.workspace import WorkspaceId

MARK = "meta/move"  # in the new house: what was moved there
# What belongs to a process or to the place itself: of no use elsewhere, or untrue there.
STAYS = (
    MARK,
    FORWARDING,
    "meta/check",  # what the store writes to see whether it works
    "meta/process/",  # who lives
    "meta/traces",  # that this file is to be wiped
)
# Kinds of a workspace's documents that are of the moment: who waited for the process that ended.
OF_THE_MOMENT = frozenset({"pending"})
OWN = "meta"


class Cargo:
    """How many documents there are of each kind, and a fingerprint of all that is in them.

    The fingerprint depends on the order: documents come by key.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._hash = hashlib.sha256()

    def add(self, documents: Iterable[Document]) -> None:
        """Take note of the next documents: keys, values, revisions and due moments."""
        for each in documents:
            due_at = each.due_at and each.due_at.isoformat()
            head = json.dumps([each.key, each.rev, due_at])
            self._hash.update(f"{head}\n{encode_value(each.value)}\n".encode())
            self.counts[kind_of(each.key)] += 1

    @property
    def count(self) -> int:
        """How many there are."""
        return self.counts.total()

    @property
    def fingerprint(self) -> str:
        """The same for the same documents only, and nobody can tell from it what they say."""
        return self._hash.hexdigest()


def moves(key: str) -> bool:
    """Return whether the document of that name comes along."""
    return not key.startswith(STAYS) and kind_of(key) not in OF_THE_MOMENT


def kind_of(key: str) -> str:
    """Return of which kind a document is: `digest`, or `meta` for the store's own."""
    home, *rest = key.split("/")
    try:
        WorkspaceId.parse(home)
    except ValueError:
        return home if home == OWN else "unknown"
    return rest[0] if rest else "unknown"


def compared(here: Cargo, there: Cargo) -> Iterator[str]:
    """Yield the counts of both sides as a table."""
    kinds = sorted({*here.counts, *there.counts})
    rows = [(kind, here.counts[kind], there.counts[kind]) for kind in kinds]
    rows = [("documents", here.count, there.count), *rows]
    width = max(len(kind) for kind, _, _ in rows)
    yield f"{'':<{width}} {'here':>12} {'there':>12}"
    yield from (f"{kind:<{width}} {ours:>12,} {theirs:>12,}" for kind, ours, theirs in rows)
