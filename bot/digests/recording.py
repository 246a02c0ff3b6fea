"""The steps of a run, recorded in its digest: again while the store fails, and each once."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime

import structlog

from bot.digests.digest import Digest, Outcome, PastRun
from bot.digests.errors import LostClaimError
from bot.digests.ledger import newly_ended
from bot.digests.posting import Step
from bot.digests.schedule import Slot
from bot.digests.shelf import Shelf
from bot.store.errors import ForgottenError, StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

# A database that starts again refuses what comes in that moment.
STEP_AGAIN_AFTER_S = (0.5, 2.0)
# So long that may take at worst. The claim ends a minute after the post began.
RECORD_AGAIN_AFTER_S = (*STEP_AGAIN_AFTER_S, 5.0, 10.0, 15.0)


class Recording:
    """Records steps. `sleep` waits so many seconds."""

    def __init__(
        self,
        shelf: Shelf,
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._shelf = shelf
        self._clock = clock
        self._sleep = sleep

    async def record(
        self,
        workspace: WorkspaceId,
        digest_id: str,
        step: Step,
        *,
        again_after_s: Sequence[float] = STEP_AGAIN_AFTER_S,
    ) -> Digest:
        """Return the digest after it; a store that fails is asked again after these waits.

        Raises:
            LostClaimError, UnknownDigestError: the run is no longer ours.
            StoreError: nobody knows whether it was recorded.
        """
        once = _Once(step)
        for wait_s in again_after_s:
            try:
                return await self._try(workspace, digest_id, once)
            except ForgottenError:  # nothing will be recorded there any more
                raise
            except StoreError as error:
                logger.warning("not recorded yet", error=repr(error))
                await self._sleep(wait_s)
        return await self._try(workspace, digest_id, once)

    async def _try(self, workspace: WorkspaceId, digest_id: str, step: Step) -> Digest:
        return await self._shelf.change(
            workspace, digest_id, lambda each: step(each, self._clock())
        )


class _Once:
    """A step that finds itself done when only the answer of the store was lost.

    Then the run is no longer under way, which otherwise means that it was taken away.
    """

    def __init__(self, step: Step) -> None:
        self._step = step
        self._tried: list[tuple[Digest, Digest]] = []

    def __call__(self, digest: Digest, now: datetime) -> Digest:
        try:
            done = self._step(digest, now)
        except LostClaimError:
            if any(_is_done(digest, *each) for each in self._tried):
                return digest
            raise
        self._tried.append((digest, done))
        return done


def _is_done(digest: Digest, before: Digest, after: Digest) -> bool:
    """Whether the step from `before` to `after` is in `digest`, whatever came later."""
    if ended := newly_ended(before, after):
        return set(map(_name, ended)) <= set(map(_name, digest.past))
    return replace(digest, rev=after.rev) == after


def _name(run: PastRun) -> tuple[Slot, Outcome, datetime]:
    """What a run that has ended is known by: at that moment nobody else has recorded the same."""
    return run.slot, run.outcome, run.at
