"""One run of a digest, from its claim to its end: collect, post, record."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime

from bot.asking import asking_as, digests_of, person
from bot.digests import ledger
from bot.digests.collection import Collected, Collector
from bot.digests.digest import Digest, Run
from bot.digests.errors import LostClaimError, UnknownDigestError
from bot.digests.post import Post
from bot.digests.posting import Posts, Step, Words, after, has_news, owes_heartbeat
from bot.digests.recording import RECORD_AGAIN_AFTER_S, Recording
from bot.digests.shelf import Shelf
from bot.digests.troubles import service_trouble
from bot.errors import BotError
from bot.message import Message
from bot.slack.errors import SlackError
from bot.store.errors import StoreError, UnreadableSecretError
from bot.tracker.budget import Purpose
from bot.tracker.errors import TimedOutError
from bot.workspace import WorkspaceId

# With the 20 s that a turn may take this ends before the claim does.
COLLECT_WITHIN_S = 35.0


class Delivery:
    """Takes claimed runs to their ends. What becomes of a run is recorded before it is told."""

    def __init__(
        self,
        shelf: Shelf,
        collector: Collector,
        posts: Posts,
        words: Words,
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        collect_within_s: float = COLLECT_WITHIN_S,
    ) -> None:
        self._shelf = shelf
        self._collector = collector
        self._posts = posts
        self._words = words
        self._clock = clock
        self._recording = Recording(shelf, clock=clock, sleep=sleep)
        self._collect_within_s = collect_within_s

    async def deliver(
        self,
        workspace: WorkspaceId,
        digest: Digest,
        token: str,
        *,
        asked_by_name: str | None = None,
    ) -> Digest:
        """Take the run that carries `token` to its end; return the digest after it.

        Raises:
            LostClaimError, UnknownDigestError: it is no longer wanted here.
            StoreError: what became of it could not be recorded; the end of its claim settles it.
            BotError: what kept it from being posted, which is recorded.
        """
        try:
            return await self._deliver(workspace, digest, token, asked_by_name)
        except (LostClaimError, UnknownDigestError):
            await self._tidy_up(workspace, digest, token)
            raise
        except BotError:
            raise
        except Exception:  # a mistake of ours: told at once, not when the grace is over
            await self._step(workspace, digest, lambda each, now: ledger.broken(each, token, now))
            raise

    async def _deliver(
        self, workspace: WorkspaceId, digest: Digest, token: str, asked_by_name: str | None
    ) -> Digest:
        run = ledger.own_run(digest, token)
        collected = await self._collected(workspace, digest, run)
        average = collected.post.report.totals.average
        is_wanted = bool(run.asked_by) or has_news(collected.post)
        if not is_wanted and not owes_heartbeat(digest):
            return await self._step(
                workspace,
                digest,
                lambda each, now: ledger.quiet(each, token, now, average=average),
            )
        if is_wanted:
            await self._shelf.keep_baseline(workspace, digest.digest_id, token, collected.baseline)
        post = replace(collected.post, asked_by_name=asked_by_name)
        words = self._words.digest if is_wanted else self._words.heartbeat
        # A sign of life is not what the next one is compared with: small changes add up.
        baseline = token if is_wanted else digest.baseline
        await self._post(workspace, digest, run, post, words, baseline)
        posted = await self._recorded(workspace, digest, token)
        for name in {token, digest.baseline} - {posted.baseline}:
            await self._shelf.forget_baseline(workspace, digest.digest_id, name)
        return posted

    async def _collected(self, workspace: WorkspaceId, digest: Digest, run: Run) -> Collected:
        asker = person(run.asked_by) if run.asked_by else digests_of(run.channel_id)
        try:
            with asking_as(workspace, asker):
                return await self._collected_in_time(workspace, digest, run)
        except BotError as error:
            if isinstance(error, StoreError) and not isinstance(error, UnreadableSecretError):
                raise
            trouble, wait = service_trouble(error)
            await self._step(
                workspace,
                digest,
                lambda each, now: ledger.waiting(each, run.token, now, trouble, wait=wait),
            )
            raise

    async def _collected_in_time(
        self, workspace: WorkspaceId, digest: Digest, run: Run
    ) -> Collected:
        slot = None if run.is_extra else run.slot
        purpose = Purpose.PERSON if run.asked_by else Purpose.SCHEDULED
        try:
            async with asyncio.timeout(self._collect_within_s):
                return await self._collector.collect(workspace, digest, slot=slot, purpose=purpose)
        except TimeoutError as error:
            told = f"no list within {self._collect_within_s:g} s"
            raise TimedOutError(told, is_outcome_unknown=False) from error

    async def _post(
        self,
        workspace: WorkspaceId,
        digest: Digest,
        run: Run,
        post: Post,
        words: Callable[[Post], Message],
        baseline: str | None,
    ) -> None:
        average = post.report.totals.average
        try:
            # Before it is noted as posting: whoever dies in the queue has posted nothing.
            await self._posts.turn(workspace, run.channel_id)
            post = replace(post, sent_at=self._clock())
            message = await self._collector.offload(words, post, size=post.report.totals.count)
            await self._step(
                workspace,
                digest,
                lambda each, now: ledger.posting(
                    each, run.token, now, baseline=baseline, average=average
                ),
            )
            await self._posts.post(workspace, run.channel_id, message)
        except SlackError as error:
            await self._step(workspace, digest, after(error, run.token))
            await self._shelf.forget_baseline(workspace, digest.digest_id, run.token)
            raise

    async def _recorded(self, workspace: WorkspaceId, digest: Digest, token: str) -> Digest:
        """Record that it was posted: what nobody knew of would be uncertain."""
        return await self._recording.record(
            workspace,
            digest.digest_id,
            lambda each, now: ledger.posted(each, token, now),
            again_after_s=RECORD_AGAIN_AFTER_S,
        )

    async def _step(self, workspace: WorkspaceId, digest: Digest, step: Step) -> Digest:
        return await self._recording.record(workspace, digest.digest_id, step)

    async def _tidy_up(self, workspace: WorkspaceId, digest: Digest, token: str) -> None:
        """Forget what was kept for the run of that token, unless the digest compares with it."""
        with contextlib.suppress(UnknownDigestError):
            if (await self._shelf.get(workspace, digest.digest_id)).baseline == token:
                return
        await self._shelf.forget_baseline(workspace, digest.digest_id, token)
