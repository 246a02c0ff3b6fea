"""Those whom a workspace's admins let manage the key and read what was done to it."""

from dataclasses import dataclass

from bot.store.base import Documents
from bot.workspace import WorkspaceId

KIND = "managers"
MAX_MANAGERS = 20


@dataclass(frozen=True, slots=True)
class Named:
    """The ids of those who were named, and the revision of that list (0: nobody ever was)."""

    user_ids: tuple[str, ...] = ()
    rev: int = 0


class Managers:
    """Who was named. Whether they may act is asked of Slack too: see `listeners/rights.py`.

    Every method may raise StoreError.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def named(self, workspace: WorkspaceId) -> Named:
        """Return the managers, in the order in which they were named."""
        document = await self._documents.get(_place(workspace))
        return Named(tuple(document.value["user_ids"]), document.rev) if document else Named()

    async def name(self, workspace: WorkspaceId, user_ids: tuple[str, ...], *, rev: int) -> None:
        """Let these people be the managers, and nobody else.

        Raises:
            ConflictError: others were named since `rev`; nothing was changed.
        """
        value = {"v": 1, "user_ids": list(user_ids[:MAX_MANAGERS])}
        await self._documents.put(_place(workspace), value, if_rev=rev)


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
