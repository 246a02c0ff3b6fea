"""Where every workspace's keys are kept: one document each, due when something is to be done."""

from collections.abc import Callable

from bot.keys.record import OtherKeyError
from bot.keys.slots import KeySlots, decode_slots, encode_slots
from bot.store.base import Document, Documents
from bot.store.errors import ConflictError
from bot.workspace import WorkspaceId

KIND = "key"


class KeyShelf:
    """Reads and writes the documents, each as it is at that moment.

    Every method may raise StoreError.
    """

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    async def get(self, workspace: WorkspaceId) -> KeySlots | None:
        """Return the keys, or `None` when there is none."""
        document = await self._documents.get(_place(workspace))
        return decode_slots(document.value) if document else None

    async def change(self, workspace: WorkspaceId, change: Callable[[KeySlots], KeySlots]) -> bool:
        """Save what `change` makes of what is there now; say whether that changed anything."""
        while True:
            document = await self._documents.get(_place(workspace))
            if document is None:
                return False
            slots = decode_slots(document.value)
            changed = change(slots)
            if changed == slots and document.due_at == slots.due_at():
                return False
            try:
                await self._write(workspace, changed, document)
            except ConflictError:
                continue  # somebody else was faster: look again
            return changed != slots

    async def put(
        self, workspace: WorkspaceId, make: Callable[[KeySlots | None], KeySlots]
    ) -> KeySlots:
        """Save and return what `make` makes of what is there now, if anything.

        Whatever `make` raises is passed on.
        """
        while True:
            document = await self._documents.get(_place(workspace))
            made = make(decode_slots(document.value) if document else None)
            try:
                await self._write(workspace, made, document)
            except ConflictError:
                continue  # somebody else was faster: look again
            return made

    async def delete(self, workspace: WorkspaceId, mark: str | None = None) -> bool:
        """Forget both keys; say whether there was one.

        Raises:
            OtherKeyError: the key in use is not that of `mark`.
        """
        while True:
            document = await self._documents.get(_place(workspace))
            if document is None:
                return False
            if mark is not None and decode_slots(document.value).record.mark != mark:
                raise OtherKeyError("replaced meanwhile")
            try:
                return await self._documents.delete(_place(workspace), if_rev=document.rev)
            except ConflictError:
                continue  # a note was faster: look again

    async def _write(
        self, workspace: WorkspaceId, slots: KeySlots, document: Document | None
    ) -> None:
        await self._documents.put(
            _place(workspace),
            encode_slots(slots),
            due_at=slots.due_at(),
            if_rev=document.rev if document else 0,
        )


def is_of_keys(key: str) -> bool:
    """Return whether the document of that name is one of these."""
    return key.count("/") == 1 and key.endswith(f"/{KIND}")


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"
