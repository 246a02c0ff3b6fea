"""One document written, also when the answer of the database is lost on its way."""

from bot.store.base import Document
from bot.store.errors import ConflictError, ForgottenError, NoAnswerError
from bot.store.postgres.calls import Calls
from bot.store.postgres.errors import LostConnectionError
from bot.store.postgres.statements import GET_REV, PUT

# A database that has just been too late for a write is not waited for as long once more.
LOOKED_UP_WITHIN_S = 2.0


class Putting:
    """Writes a document on the condition of `Documents.put`. Every method raises StoreError.

    A revision is a random number: a writer who finds his own knows that he has written, and so
    his statement may be repeated as long as the document is the one that he wants to replace.
    """

    def __init__(self, calls: Calls, *, looked_up_within_s: float = LOOKED_UP_WITHIN_S) -> None:
        self._calls = calls
        self._looked_up_within_s = looked_up_within_s

    async def put(
        self, document: Document, value_json: str, if_rev: int | None, begins: str | None
    ) -> None:
        """Write it; `begins` is the prefix that is welcome again by that, `None` for none.

        Raises:
            ConflictError: the condition does not hold; nothing was changed.
            ForgottenError: it lies under a prefix that was forgotten.
            LostConnectionError, NoAnswerError: nobody knows whether it was written.
        """
        try:
            await self._write(document, value_json, if_rev, begins)
        except NoAnswerError:
            found = await self._rev(document.key, within_s=self._looked_up_within_s)
            if found != document.rev:
                raise
        except LostConnectionError:
            found = await self._rev(document.key)
            if found == document.rev:
                return
            if found != if_rev:  # somebody else was there, perhaps after us
                raise
            await self._write_again(document, value_json, if_rev, begins)

    async def _write_again(
        self, document: Document, value_json: str, if_rev: int | None, begins: str | None
    ) -> None:
        try:
            await self._write(document, value_json, if_rev, begins)
        except ConflictError:
            if await self._rev(document.key) != document.rev:  # else the first one was late
                raise LostConnectionError("the connection broke while writing") from None

    async def _write(
        self, document: Document, value_json: str, if_rev: int | None, begins: str | None
    ) -> None:
        arguments = (document.key, value_json, document.due_at, if_rev, document.rev, begins)
        ((outcome,),) = await self._calls.write(PUT, arguments)
        if outcome == "forgotten":
            raise ForgottenError("the app was removed from this workspace")
        if outcome == "conflict":
            raise ConflictError(f"{document.key} is not at revision {if_rev}")

    async def _rev(self, key: str, *, within_s: float | None = None) -> int:
        """Return the revision of what is there, 0 when nothing is."""
        rows = await self._calls.read(GET_REV, (key,), within_s=within_s)
        return int(rows[0][0]) if rows else 0
