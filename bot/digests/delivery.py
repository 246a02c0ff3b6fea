"""Deliver one run of a digest, from its claim to its end: collect, post, record."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import structlog

from bot.digests import run_state
from bot.digests.collector import Collected, Collector
from bot.digests.failure_policy import channel_failure, service_failure, slack_failure
from bot.digests.models import (
    Digest,
    FailureReason,
    LostClaimError,
    Mode,
    Outcome,
    PastRun,
    Run,
    UnknownDigestError,
)
from bot.digests.report import Post, got_worse, has_changed
from bot.digests.repository import DigestRepository
from bot.digests.run_state import newly_ended
from bot.digests.schedule import Slot
from bot.errors import BotError
from bot.message import Message
from bot.slack.errors import (
    ChannelClosedError,
    MissingScopeError,
    SlackError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.store.documents import ForgottenError, StoreError, UnreadableSecretError
from bot.tracker.models import TimedOutError
from bot.tracker.rate_limit import Purpose
from bot.workspace import WorkspaceId, caller_context, digests_of, person

logger = structlog.get_logger()
Step = Callable[[Digest, datetime], Digest]
# Refusals that say nothing of this post: it is tried again in an hour.
LASTING = (TokenRefusedError, WorkspaceHeldError, MissingScopeError)


class Poster(Protocol):
    """Whoever puts messages into channels. Both methods raise SlackError."""

    async def turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Wait until the channel may be posted to; nothing was posted when this raises."""
        ...

    async def post(self, workspace: WorkspaceId, channel_id: str, message: Message) -> str:
        """Post once; return the message's timestamp."""
        ...


@dataclass(frozen=True, slots=True)
class DigestRenderer:
    """How a digest is put into words, and its sign of life."""

    digest: Callable[[Post], Message]
    heartbeat: Callable[[Post], Message]


def after(error: SlackError, token: str) -> Step:
    """What becomes of the run after Slack's answer: waits, pauses, is uncertain or has failed."""
    if isinstance(error, ChannelClosedError):
        closed = channel_failure(error)
        return lambda each, now: run_state.closed(each, token, now, closed)
    if error.is_outcome_unknown:
        uncertain = Outcome.UNCERTAIN
        return lambda each, now: run_state.ended(each, token, now, uncertain, FailureReason.SLACK)
    if isinstance(error, SlackRefusedError) and not isinstance(error, LASTING):
        logger.error("Slack refuses a digest", code=error.code)
        return lambda each, now: run_state.ended(
            each, token, now, Outcome.FAILED, FailureReason.INTERNAL
        )
    trouble, wait = slack_failure(error)
    return lambda each, now: run_state.waiting(each, token, now, trouble, wait=wait)


def has_news(post: Post) -> bool:
    """Whether the digest's mode wants this post."""
    report, mode = post.report, post.digest.plan.mode
    if mode is Mode.ALWAYS:
        return True
    if not report.totals.count and not (report.before and report.before.count):
        return False  # nothing there, as before
    return has_changed(report) if mode is Mode.CHANGES else got_worse(report)


def heartbeat_due(digest: Digest) -> bool:
    """Whether so many silent runs have passed that a sign of life is due."""
    every = digest.plan.heartbeat_every
    return every is not None and digest.silent_runs >= every


# A database that starts again refuses what comes in that moment.
STEP_AGAIN_AFTER_S = (0.5, 2.0)
# So long that may take at worst. The claim ends a minute after the post began.
RECORD_AGAIN_AFTER_S = (*STEP_AGAIN_AFTER_S, 5.0, 10.0, 15.0)


class Recording:
    """Records steps. `sleep` waits so many seconds."""

    def __init__(
        self,
        repository: DigestRepository,
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]],
    ) -> None:
        self._repository = repository
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
        return await self._repository.change(
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


# With the 20 s that a turn may take this ends before the claim does.
COLLECT_WITHIN_S = 35.0


class Delivery:
    """Takes claimed runs to their ends. What becomes of a run is recorded before it is told."""

    def __init__(
        self,
        repository: DigestRepository,
        collector: Collector,
        posts: Poster,
        words: DigestRenderer,
        *,
        clock: Callable[[], datetime],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
        collect_within_s: float = COLLECT_WITHIN_S,
    ) -> None:
        self._repository = repository
        self._collector = collector
        self._posts = posts
        self._words = words
        self._clock = clock
        self._recording = Recording(repository, clock=clock, sleep=sleep)
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
            await self._step(
                workspace, digest, lambda each, now: run_state.mark_failed(each, token, now)
            )
            raise

    async def _deliver(
        self, workspace: WorkspaceId, digest: Digest, token: str, asked_by_name: str | None
    ) -> Digest:
        run = run_state.own_run(digest, token)
        collected = await self._collected(workspace, digest, run)
        average = collected.post.report.totals.average
        is_wanted = bool(run.asked_by) or has_news(collected.post)
        if not is_wanted and not heartbeat_due(digest):
            return await self._step(
                workspace,
                digest,
                lambda each, now: run_state.mark_silent(each, token, now, average=average),
            )
        if is_wanted:
            await self._repository.keep_baseline(
                workspace, digest.digest_id, token, collected.baseline
            )
        post = replace(collected.post, asked_by_name=asked_by_name)
        words = self._words.digest if is_wanted else self._words.heartbeat
        # A sign of life is not what the next one is compared with: small changes add up.
        baseline = token if is_wanted else digest.baseline
        await self._post(workspace, digest, run, post, words, baseline)
        posted = await self._recorded(workspace, digest, token)
        for name in {token, digest.baseline} - {posted.baseline}:
            await self._repository.forget_baseline(workspace, digest.digest_id, name)
        return posted

    async def _collected(self, workspace: WorkspaceId, digest: Digest, run: Run) -> Collected:
        asker = person(run.asked_by) if run.asked_by else digests_of(run.channel_id)
        try:
            with caller_context(workspace, asker):
                return await self._collected_in_time(workspace, digest, run)
        except BotError as error:
            if isinstance(error, StoreError) and not isinstance(error, UnreadableSecretError):
                raise
            trouble, wait = service_failure(error)
            await self._step(
                workspace,
                digest,
                lambda each, now: run_state.waiting(each, run.token, now, trouble, wait=wait),
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
                lambda each, now: run_state.posting(
                    each, run.token, now, baseline=baseline, average=average
                ),
            )
            await self._posts.post(workspace, run.channel_id, message)
        except SlackError as error:
            await self._step(workspace, digest, after(error, run.token))
            await self._repository.forget_baseline(workspace, digest.digest_id, run.token)
            raise

    async def _recorded(self, workspace: WorkspaceId, digest: Digest, token: str) -> Digest:
        """Record that it was posted: what nobody knew of would be uncertain."""
        return await self._recording.record(
            workspace,
            digest.digest_id,
            lambda each, now: run_state.posted(each, token, now),
            again_after_s=RECORD_AGAIN_AFTER_S,
        )

    async def _step(self, workspace: WorkspaceId, digest: Digest, step: Step) -> Digest:
        return await self._recording.record(workspace, digest.digest_id, step)

    async def _tidy_up(self, workspace: WorkspaceId, digest: Digest, token: str) -> None:
        """Forget what was kept for the run of that token, unless the digest compares with it."""
        with contextlib.suppress(UnknownDigestError):
            if (await self._repository.get(workspace, digest.digest_id)).baseline == token:
                return
        await self._repository.forget_baseline(workspace, digest.digest_id, token)
