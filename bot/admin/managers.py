"""Those whom a workspace's admins let manage the key and read what was done to it."""

from dataclasses import dataclass
from typing import Any

from bot.store.base import Document, Documents
from bot.workspace import WorkspaceId

KIND = "managers"
MAX_MANAGERS = 20
MAX_GROUPS = 5


@dataclass(frozen=True, slots=True)
class Named:
    """The ids of the people and user groups that were named, in the order in which they were.

    `rev` is the revision of that list, 0 when nobody ever was.
    """

    user_ids: tuple[str, ...] = ()
    group_ids: tuple[str, ...] = ()
    rev: int = 0

    @property
    def ids(self) -> tuple[str, ...]:
        """The people, then the groups."""
        return (*self.user_ids, *self.group_ids)


class Managers:
    """Who was named. Whether they may act is asked of Slack too: see `listeners/rights.py`.

    Every method may raise StoreError.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def named(self, workspace: WorkspaceId) -> Named:
        """Return the managers."""
        document = await self._documents.get(_place(workspace))
        return decode(document) if document else Named()

    async def name(self, workspace: WorkspaceId, named: Named) -> None:
        """Let these people and groups be the managers, and nobody else.

        Raises:
            ConflictError: others were named since `named.rev`; nothing was changed.
        """
        value = {
            "v": 1,
            "user_ids": list(named.user_ids[:MAX_MANAGERS]),
            "group_ids": list(named.group_ids[:MAX_GROUPS]),
        }
        await self._documents.put(_place(workspace), value, if_rev=named.rev)


def decode(document: Document) -> Named:
    """Return who is named in a document of this kind.

    Raises:
        LookupError, TypeError: it is none.
    """
    value: dict[str, Any] = dict(document.value)
    # Before there were groups the documents had none.
    return Named(tuple(value["user_ids"]), tuple(value.get("group_ids", ())), document.rev)


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
