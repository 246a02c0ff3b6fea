"""The id of a workspace, and the caller on whose behalf the bot works.

It travels with the context: what is awaited, and tasks that are started from it, work for the
same asker. Work that several people share is the first one's, in whose context it was begun:
https://docs.python.org/3/library/asyncio-task.html#asyncio.create_task
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum


@dataclass(frozen=True, slots=True, order=True)
class WorkspaceId:
    """One workspace, inside an Enterprise organisation or alone.

    `enterprise_id` is `None` outside an organisation. `str()` gives `E123.T456` or `-.T456`:
    no two workspaces share it, and none is a prefix of another's followed by `/`.
    """

    team_id: str
    enterprise_id: str | None = None

    def __str__(self) -> str:
        return f"{self.enterprise_id or '-'}.{self.team_id}"

    @classmethod
    def parse(cls, text: str) -> "WorkspaceId":
        """Return the workspace whose `str()` is `text`; raise ValueError when there is none."""
        enterprise_id, dot, team_id = text.partition(".")
        if not (enterprise_id and dot and team_id):
            raise ValueError("not a workspace")
        return cls(team_id, None if enterprise_id == "-" else enterprise_id)


class Kind(Enum):
    """What sort of asker it is."""

    PERSON = "person"
    DIGEST = "digest"  # the clock, for a channel's digests
    CHECK = "check"  # whether a key works
    STEP = "step"  # a workflow, which names no person
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Caller:
    """`subject_id` is the person's id, or that of the digests' channel; empty for the rest."""

    kind: Kind
    subject_id: str = ""


KEY_CHECK, STEP, OTHER = Caller(Kind.CHECK), Caller(Kind.STEP), Caller(Kind.OTHER)
_asking: ContextVar[tuple[WorkspaceId, Caller] | None] = ContextVar("asking", default=None)


def person(user_id: str) -> Caller:
    """Return the asker that a person is."""
    return Caller(Kind.PERSON, user_id)


def digests_of(channel_id: str) -> Caller:
    """Return the asker that the digests of a channel are."""
    return Caller(Kind.DIGEST, channel_id)


@contextmanager
def caller_context(workspace: WorkspaceId, asker: Caller) -> Iterator[None]:
    """Let everything inside the block be for `asker`."""
    before = _asking.set((workspace, asker))
    try:
        yield
    finally:
        _asking.reset(before)


def current_caller() -> tuple[WorkspaceId, Caller] | None:
    """Return the workspace and the caller that the bot works for now, or `None`."""
    return _asking.get()
