"""Do work once among all processes: the others wait for it and get its outcome."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

from bot.errors import warned
from bot.store.documents import ConflictError, Document, Documents, StoreError
from bot.tracker import models
from bot.tracker.models import ReserveReachedError, TooBusyError, TrackerError, UnavailableError
from bot.workspace import WorkspaceId

T = TypeVar("T")
KIND = "claim"
# Longer than a scan takes with its wait for a place, so a live process never loses its claim.
LASTS = timedelta(minutes=6)
LOOK_EVERY_S = 0.25
# Nothing was sent: another process may send it.
NOT_SHARED = (ReserveReachedError, TooBusyError)


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of several processes: a document for each work of the last minutes."""

    documents: Documents
    _: KW_ONLY
    process_id: str
    is_dead: Callable[[str], bool]
    clock: Callable[[], datetime]
    look_every_s: float = LOOK_EVERY_S

    async def run(
        self,
        workspace: WorkspaceId,
        name: str,
        work: Callable[[], Awaitable[T]],
        otherwise: Callable[[Any], Awaitable[T]],
        *,
        wish: object = None,
        on_repeat: Callable[[], Awaitable[None]] | None = None,
    ) -> T:
        """Return the result of `work`, unless another process does the same at this moment.

        Then wait for that one, and return what `otherwise` makes of its `wish`, any JSON. `name`
        says what is done, with which host. A process that dies loses its claim. `on_repeat` is
        awaited before `work` if the same was done, or begun and never ended, in the last minutes.

        Raises:
            TrackerError: as `work` does, in the other process too.
            StoreError: the work cannot be claimed; nothing was done.
        """
        key, has_waited = f"{workspace}/{KIND}/{name}", False
        while True:
            found = await self.documents.get(key)
            if found and "outcome" in found.value and has_waited:
                _raise_shared(found.value["outcome"])
                return await otherwise(found.value["wish"])
            if found and self._is_held(found):
                has_waited = True
                await asyncio.sleep(self.look_every_s)
            elif claim := await self._claim(key, wish, found):
                is_repeat = found is not None and found.value.get("outcome") is None
                return await self._do(claim, work, on_repeat if is_repeat else None)

    def _is_held(self, claim: Document) -> bool:
        is_over = "outcome" in claim.value or not claim.due_at or claim.due_at <= self.clock()
        return not is_over and not self.is_dead(claim.value["by"])

    async def _claim(self, key: str, wish: object, before: Document | None) -> Document | None:
        """Write a claim; return `None` if another process was faster."""
        value = {"v": 1, "by": self.process_id, "wish": wish}
        rev = before.rev if before else 0
        with suppress(ConflictError):
            return await self.documents.put(key, value, due_at=self.clock() + LASTS, if_rev=rev)
        return None

    async def _do(
        self,
        claim: Document,
        work: Callable[[], Awaitable[T]],
        first: Callable[[], Awaitable[None]] | None,
    ) -> T:
        try:
            if first:
                await first()
            result = await work()
        except Exception as error:
            await self._end(claim, error)
            raise
        except BaseException:  # cut off
            await self._end(claim, UnavailableError("cut off", is_outcome_unknown=True))
            raise
        await self._end(claim, None)
        return result

    async def _end(self, claim: Document, error: Exception | None) -> None:
        """Store the outcome; delete the claim after an error that others may not meet."""
        is_shared = isinstance(error, TrackerError) and not isinstance(error, NOT_SHARED)
        with warned("a claim could not be ended", StoreError):
            if error is None or is_shared:
                value = claim.value | {"outcome": _encode(error)}
                due_at = claim.due_at
                await self.documents.put(claim.key, value, due_at=due_at, if_rev=claim.rev)
            else:
                await self.documents.delete(claim.key, if_rev=claim.rev)


def _encode(error: Exception | None) -> dict[str, Any] | None:
    if error is None:
        return None
    return {"error": type(error).__name__, "text": str(error), "facts": vars(error)}


def _raise_shared(outcome: dict[str, Any] | None) -> None:
    if outcome is None:
        return
    kind: type[TrackerError] = getattr(models, outcome["error"], UnavailableError)
    error = kind.__new__(kind, outcome["text"])
    vars(error).update(outcome["facts"])
    raise error
