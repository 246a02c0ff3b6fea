"""For whom the bot works at this moment, so that what it costs can be told apart later.

It travels with the context: what is awaited, and tasks that are started meanwhile, work for the
same asker. Work that several people share is the first one's, in whose context it was begun:
https://docs.python.org/3/library/asyncio-task.html#asyncio.create_task
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum

from bot.workspace import WorkspaceId


class Kind(Enum):
    """What sort of asker it is."""

    PERSON = "person"
    DIGEST = "digest"  # the clock, for a channel's digests
    CHECK = "check"  # whether a key works, whoever wants to know
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Asker:
    """`subject_id` is the person's id, or that of the digests' channel; empty for the rest."""

    kind: Kind
    subject_id: str = ""


KEY_CHECK, OTHER = Asker(Kind.CHECK), Asker(Kind.OTHER)

_asking: ContextVar[tuple[WorkspaceId, Asker] | None] = ContextVar("asking", default=None)


def person(user_id: str) -> Asker:
    """Return the asker that a person is."""
    return Asker(Kind.PERSON, user_id)


def digests_of(channel_id: str) -> Asker:
    """Return the asker that the digests of a channel are."""
    return Asker(Kind.DIGEST, channel_id)


@contextmanager
def asking_as(workspace: WorkspaceId, asker: Asker) -> Iterator[None]:
    """Let everything inside the block be for `asker`."""
    before = _asking.set((workspace, asker))
    try:
        yield
    finally:
        _asking.reset(before)


def who_asks() -> tuple[WorkspaceId, Asker] | None:
    """Return for whom the bot works now, and where; `None`: for nobody in particular."""
    return _asking.get()
