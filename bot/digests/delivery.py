"""Deliver one run of a digest, from its claim to its end: collect, post, record."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

import structlog

from bot.digests import run_state
from bot.digests.alerts import fallen
from bot.digests.collector import Collected, Collector
from bot.digests.failure_policy import channel_failure, service_failure, slack_failure
from bot.digests.models import (
    Alert,
    Digest,
    FailureReason,
    LostClaimError,
    Mode,
    Notice,
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
from bot.slack import errors
from bot.slack.direct_messages import retry_after
from bot.store.documents import ForgottenError, StoreError, UnreadableSecretError
from bot.tracker.models import TimedOutError
from bot.tracker.rate_limit import Purpose
from bot.workspace import WorkspaceId, caller_context, digests_of, person

logger = structlog.get_logger()
Step = Callable[[Digest, datetime], Digest]
# Refusals that are not about this post: it is tried again in an hour.
LASTING = (errors.TokenRefusedError, errors.WorkspaceHeldError, errors.MissingScopeError)


class Poster(Protocol):
    """Posts messages to channels. Both methods raise SlackError."""

    async def acquire_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Wait until the channel may be posted to; nothing was posted when this raises."""
        ...

    async def post(self, workspace: WorkspaceId, channel_id: str, message: Message) -> str:
        """Post once; return the message's timestamp."""
        ...


@dataclass(frozen=True, slots=True)
class DigestRenderer:
    """Renders the messages of a digest: its post, its heartbeat, its announcement, an alert.

    An alert is rendered with its name: see `DigestRepository.alert`.
    """

    digest: Callable[[Post], Message]
    heartbeat: Callable[[Post], Message]
    announcement: Callable[[Digest], Message]
    alert: Callable[[Post, str], Message]


def after(error: errors.SlackError, token: str) -> Step:
    """Return the step that records Slack's error: the run waits, ends, or pauses its digest."""
    if isinstance(error, errors.ChannelClosedError):
        closed = channel_failure(error)
        return lambda each, now: run_state.closed(each, token, now, closed)
    if error.is_outcome_unknown:
        uncertain = Outcome.UNCERTAIN
        return lambda each, now: run_state.ended(each, token, now, uncertain, FailureReason.SLACK)
    if isinstance(error, errors.SlackRefusedError) and not isinstance(error, LASTING):
        logger.error("Slack refuses a digest", code=error.code)
        failed, why = Outcome.FAILED, FailureReason.INTERNAL
        return lambda each, now: run_state.ended(each, token, now, failed, why)
    trouble, wait = slack_failure(error)
    return lambda each, now: run_state.waiting(each, token, now, trouble, wait=wait)


def has_news(post: Post) -> bool:
    """Return whether the digest's mode asks for this post."""
    report, mode = post.report, post.digest.plan.mode
    if mode is Mode.ALWAYS:
        return True
    if not report.totals.count and not (report.before and report.before.count):
        return False  # nothing there, as before
    if post.digest.plan.is_alert:
        return bool(fallen(report))
    return has_changed(report) if mode is Mode.CHANGES else got_worse(report)


def heartbeat_due(digest: Digest) -> bool:
    """Return whether enough silent runs have passed for a heartbeat."""
    every = digest.plan.heartbeat_every
    return every is not None and digest.silent_runs >= every and not digest.plan.is_alert


# Waits between attempts to save a step, for a database that restarts.
STEP_AGAIN_AFTER_S = (0.5, 2.0)
# The same after the post. The claim ends a minute after the post began.
RECORD_AGAIN_AFTER_S = (*STEP_AGAIN_AFTER_S, 5.0, 10.0, 15.0)


def _named(words: Callable[[Post, str], Message], name: str, post: Post) -> Message:
    return words(post, name)


class Recording:
    """Saves the steps of runs. `sleep` takes seconds."""

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
        """Save a step, also in further attempts after these waits; return the digest after it.

        Raises:
            LostClaimError, UnknownDigestError: the run is no longer ours.
            StoreError: it is unknown whether the step was saved.
        """
        attempts: list[tuple[Digest, Digest]] = []

        def once(digest: Digest) -> Digest:
            try:
                done = step(digest, self._clock())
            except LostClaimError:  # an earlier attempt may have ended the run, its answer lost
                if any(_is_done(digest, *each) for each in attempts):
                    return digest
                raise
            attempts.append((digest, done))
            return done

        for wait_s in again_after_s:
            try:
                return await self._repository.change(workspace, digest_id, once)
            except ForgottenError:  # a forgotten workspace takes no more writes
                raise
            except StoreError as error:
                logger.warning("not recorded yet", error=repr(error))
                await self._sleep(wait_s)
        return await self._repository.change(workspace, digest_id, once)


def _is_done(digest: Digest, before: Digest, after: Digest) -> bool:
    """Return whether `digest` includes the step from `before` to `after`."""
    if ended := newly_ended(before, after):
        return _names(ended) <= _names(digest.past)
    return replace(digest, rev=after.rev) == after


def _names(runs: Iterable[PastRun]) -> set[tuple[Slot, Outcome, datetime]]:
    """Return the names of ended runs: no two have the same slot, outcome and moment."""
    return {(run.slot, run.outcome, run.at) for run in runs}


# With the 20 s that a turn may take this ends before the claim does.
COLLECT_WITHIN_S = 35.0


class Delivery:
    """Takes claimed runs to their ends. The outcome is recorded before anybody is notified."""

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

    async def announce(self, workspace: WorkspaceId, digest: Digest) -> None:
        """Announce a digest in its channel; raise SlackError."""
        await self._posts.acquire_turn(workspace, digest.plan.channel_id)
        message = self._words.announcement(digest)
        await self._posts.post(workspace, digest.plan.channel_id, message)

    async def announce_late(
        self, workspace: WorkspaceId, digest: Digest, notice: Notice
    ) -> timedelta | None:
        """Announce a digest that Slack did not let be announced before.

        Return when to try again; `None`: it was announced, or need not or cannot be.
        """
        since = digest.moved_at or digest.made_at
        is_known = any(run.outcome is Outcome.POSTED and run.at >= since for run in digest.past)
        if is_known or notice.channel_id != digest.plan.channel_id:
            return None
        try:
            await self.announce(workspace, digest)
        except errors.SlackError as error:
            logger.warning("not announced", error=repr(error), tries=notice.tries)
            return None if error.is_outcome_unknown else retry_after(error, notice.tries)
        return None

    async def deliver(self, workspace: WorkspaceId, digest: Digest, token: str) -> Digest:
        """Take the run that carries `token` to its end; return the digest after it.

        Raises:
            LostClaimError, UnknownDigestError: the run is no longer ours.
            StoreError: its outcome could not be recorded; the end of its claim settles it.
            BotError: the recorded reason for which it was not posted.
        """
        try:
            return await self._deliver(workspace, digest, token)
        except (LostClaimError, UnknownDigestError):
            await self._tidy_up(workspace, digest, token)
            raise
        except Exception as error:
            if not isinstance(error, BotError):  # a bug: notify now, not after the grace
                await self._step(
                    workspace, digest, lambda each, now: run_state.mark_failed(each, token, now)
                )
            raise

    async def _deliver(self, workspace: WorkspaceId, digest: Digest, token: str) -> Digest:
        run = run_state.own_run(digest, token)
        collected = await self._collect(workspace, digest, run)
        average = collected.post.report.totals.average
        is_alert = digest.plan.is_alert and not run.asked_by
        is_wanted = bool(run.asked_by) or has_news(collected.post)
        if is_wanted or (is_alert and collected.is_moved):
            await self._repository.keep_baseline(
                workspace, digest.digest_id, token, collected.baseline
            )
        if not is_wanted and not heartbeat_due(digest):
            baseline = token if is_alert and collected.is_moved else None
            silent = await self._step(
                workspace,
                digest,
                lambda each, now: run_state.mark_silent(
                    each, token, now, average=average, baseline=baseline
                ),
            )
            await self._forget_others(workspace, {token, digest.baseline}, silent)
            return silent
        post = replace(collected.post, asked_by_name=run.asked_by and run.asked_by_name)
        words = self._words.digest if is_wanted else self._words.heartbeat
        if is_alert:
            name = f"{digest.digest_id}/{token}"
            alert = Alert(channel_id=run.channel_id, hosts=fallen(post.report))
            await self._repository.keep_alert(workspace, name, alert, self._clock())
            words = partial(_named, self._words.alert, name)
        # A heartbeat leaves the baseline as it is: small changes add up.
        baseline = token if is_wanted else digest.baseline
        await self._post(workspace, digest, run, post, words, baseline)
        posted = await self._recording.record(
            workspace,
            digest.digest_id,
            lambda each, now: run_state.posted(each, token, now),
            again_after_s=RECORD_AGAIN_AFTER_S,
        )
        await self._forget_others(workspace, {token, digest.baseline}, posted)
        return posted

    async def _forget_others(
        self, workspace: WorkspaceId, names: set[str | None], digest: Digest
    ) -> None:
        for name in names - {digest.baseline}:
            await self._repository.forget_baseline(workspace, digest.digest_id, name)

    async def _collect(self, workspace: WorkspaceId, digest: Digest, run: Run) -> Collected:
        caller = person(run.asked_by) if run.asked_by else digests_of(run.channel_id)
        try:
            with caller_context(workspace, caller):
                return await self._collect_in_time(workspace, digest, run)
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

    async def _collect_in_time(
        self, workspace: WorkspaceId, digest: Digest, run: Run
    ) -> Collected:
        try:
            async with asyncio.timeout(self._collect_within_s):
                return await self._collector.collect(
                    workspace,
                    digest,
                    slot=None if run.is_extra else run.slot,
                    purpose=Purpose.PERSON if run.asked_by else Purpose.SCHEDULED,
                    newer_than=self._clock() if run.asked_by else None,
                )
        except TimeoutError as error:
            why = f"no list within {self._collect_within_s:g} s"
            raise TimedOutError(why, is_outcome_unknown=False) from error

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
            # Before the run is marked as posting: a process that dies here has posted nothing.
            await self._posts.acquire_turn(workspace, run.channel_id)
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
        except errors.SlackError as error:
            now = await self._step(workspace, digest, after(error, run.token))
            await self._forget_others(workspace, {run.token, digest.baseline}, now)
            raise

    async def _step(self, workspace: WorkspaceId, digest: Digest, step: Step) -> Digest:
        return await self._recording.record(workspace, digest.digest_id, step)

    async def _tidy_up(self, workspace: WorkspaceId, digest: Digest, token: str) -> None:
        with contextlib.suppress(UnknownDigestError):
            if (await self._repository.get(workspace, digest.digest_id)).baseline == token:
                return
        await self._repository.forget_baseline(workspace, digest.digest_id, token)
