"""The id of a workspace, and the caller on whose behalf the bot works.

The caller travels with the context: what is awaited, and tasks that are started from it, have the
same caller. Work that several people share has the first one, in whose context it was begun:
https://docs.python.org/3/library/asyncio-task.html#asyncio.create_task
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

T = TypeVar("T")


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
    """The kind of a caller."""

    PERSON = "person"
    DIGEST = "digest"  # a channel's digests, on schedule
    CHECK = "check"  # whether a key works
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Caller:
    """`subject_id` is the person's id, or that of the digests' channel; empty for the rest."""

    kind: Kind
    subject_id: str = ""


KEY_CHECK, OTHER = Caller(Kind.CHECK), Caller(Kind.OTHER)
_current: ContextVar[tuple[WorkspaceId, Caller] | None] = ContextVar("caller", default=None)


def person(user_id: str) -> Caller:
    return Caller(Kind.PERSON, user_id)


def digests_of(channel_id: str) -> Caller:
    return Caller(Kind.DIGEST, channel_id)


@contextmanager
def bound(variable: ContextVar[Any], value: T) -> Iterator[T]:
    """Set a variable inside the block, also for tasks that begin there."""
    before = variable.set(value)
    try:
        yield value
    finally:
        variable.reset(before)


def caller_context(workspace: WorkspaceId, caller: Caller) -> AbstractContextManager[object]:
    """Let everything inside the block have this caller."""
    return bound(_current, (workspace, caller))


def current_caller() -> tuple[WorkspaceId, Caller] | None:
    """Return the workspace and the caller of the present work, or `None`."""
    return _current.get()
