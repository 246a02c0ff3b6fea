"""Run the digests that are due, a few at a time."""

import asyncio
import contextlib
import secrets
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import timedelta
from weakref import WeakValueDictionary

import structlog

from bot.blocks.message import Message
from bot.digests import models, run_state
from bot.digests.delivery import Delivery
from bot.digests.errors import owner_notice
from bot.digests.repository import DUE_AT_MOST, DigestRepository
from bot.keys.repository import Keys
from bot.process.clock import Clock
from bot.process.concurrency import Tasks
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.slack.errors import PersonUnreachableError, SlackError
from bot.slack.posting import retry_after
from bot.store.documents import ForgottenError, StoreError

logger = structlog.get_logger()
WORKERS = 20
# One workspace with a slow list or a hundred digests must leave workers to the others.
WORKERS_PER_WORKSPACE = 5
WAITING_PER_WORKSPACE = 100


@dataclass
class DigestWorker:
    """Runs due digests: all of them (`run_due`), or those that a queue names (`deliver`)."""

    repository: DigestRepository
    delivery: Delivery
    keys: Keys
    tasks: Tasks
    _: KW_ONLY
    clock: Clock
    words: Callable[[models.Digest, models.Notice], Message] = owner_notice

    def __post_init__(self) -> None:
        self._workers = asyncio.Semaphore(WORKERS)
        self._workspaces: WeakValueDictionary[WorkspaceId, asyncio.Semaphore] = (
            WeakValueDictionary()
        )
        self._under_way: defaultdict[WorkspaceId, set[str]] = defaultdict(set)

    async def run_due(self) -> None:
        """Start the due digests that are not under way; they run on after this returns."""
        for workspace, digest_id in await self.repository.due(self.clock(), limit=DUE_AT_MOST):
            if self.tasks.is_stopping:
                return
            under_way = self._under_way[workspace]
            if digest_id not in under_way and len(under_way) < WAITING_PER_WORKSPACE:
                self._start(workspace, digest_id)

    async def deliver(self, workspace: WorkspaceId, digest_ids: Sequence[str]) -> None:
        """Run all these digests to their end.

        StoreError: it failed at some of them. StoppedError: the bot stops, some were not begun.
        """
        under_way = self._under_way.get(workspace, set())
        new = [each for each in digest_ids if each not in under_way]
        for failure in await asyncio.gather(*(self._start(workspace, each) for each in new)):
            if failure:
                raise failure

    def _start(self, workspace: WorkspaceId, digest_id: str) -> "asyncio.Task[BotError | None]":
        self._under_way[workspace].add(digest_id)
        return self.tasks.start(self._work(workspace, digest_id))

    async def _work(self, workspace: WorkspaceId, digest_id: str) -> BotError | None:
        """Run a digest in its turn; return a StoreError or StoppedError: it runs again soon."""
        own = self._workspaces.setdefault(workspace, asyncio.Semaphore(WORKERS_PER_WORKSPACE))
        with structlog.contextvars.bound_contextvars(workspace=str(workspace), digest=digest_id):
            try:
                async with own, self._workers:
                    await self._run(workspace, digest_id)
            except (models.LostClaimError, models.UnknownDigestError, ForgottenError) as error:
                logger.info("not wanted any more", error=repr(error))
            except models.StoppedError as error:
                return error
            except BotError as error:
                logger.warning("digest", error=repr(error), cause=repr(error.__cause__))
                return error if isinstance(error, StoreError) else None
            except Exception:  # recorded already: the owner is notified in the next round
                logger.exception("unforeseen failure")
            finally:
                self._under_way[workspace].discard(digest_id)
                if not self._under_way[workspace]:
                    del self._under_way[workspace]
        return None

    async def _run(self, workspace: WorkspaceId, digest_id: str) -> None:
        if self.tasks.is_stopping:
            raise models.StoppedError("stopped before it was begun")
        token = secrets.token_hex(8)
        digest, notices = await self._settle(workspace, digest_id)
        taken = run_state.take_up(digest, self.clock(), token)
        trouble: BotError | None = None
        if taken.run and taken.run.token == token:
            try:
                after = await self.delivery.deliver(workspace, taken, token)
                logger.info("digest", outcome=after.past[-1].outcome.value)
            except BotError as error:
                trouble = error
        for notice in notices:  # about earlier runs, however this one ended
            await self._send(workspace, taken, notice)
        if trouble:
            raise trouble

    async def _settle(
        self, workspace: WorkspaceId, digest_id: str
    ) -> tuple[models.Digest, Sequence[models.Notice]]:
        """Store what the time alone did to a digest; return it, and the notices to send."""
        notices: Sequence[models.Notice] = ()

        def settle(digest: models.Digest) -> models.Digest:
            nonlocal notices
            now = self.clock()
            settled, notices = run_state.start_notices(run_state.settled(digest, now), now)
            return settled

        digest = await self.repository.get(workspace, digest_id)
        due_at = run_state.due_at(digest)
        if settle(digest) == digest and due_at and due_at <= self.clock():
            return digest, ()
        # Also where nothing is due: a queue had put off the document's own moment.
        return await self.repository.change(workspace, digest_id, settle), notices

    async def _send(
        self, workspace: WorkspaceId, digest: models.Digest, notice: models.Notice
    ) -> None:
        """Send a notice to the person `to`, or to the digest's maker.

        If they have left it goes to its last editor, or to who set the key.
        """
        message = self.words(digest, notice)
        wait: timedelta | None = None
        try:
            record = await self.keys.record(workspace)
            others = (digest.changed_by, record and record.set_by)
            owners = (digest.made_by, *(() if digest.plan.is_own else others))
            people = (notice.to,) if notice.to else owners
            for user_id in dict.fromkeys(each for each in people if each):
                with contextlib.suppress(PersonUnreachableError):  # they have left
                    await self.delivery.posting.send_dm(workspace, user_id, message)
                    break
            else:
                logger.error("no owner left to notify", notice=repr(notice))
        except SlackError as error:
            logger.warning("could not notify the owner", error=repr(error), tries=notice.tries)
            wait = retry_after(error, notice.tries)
        sent, now = run_state.after_sending, self.clock()
        with contextlib.suppress(models.UnknownDigestError):
            await self.repository.change(workspace, digest.digest_id, sent, notice, wait, now)
