"""One run of a digest, from its claim to its end: collect, post, record."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

import structlog

from bot.digests import ledger
from bot.digests.collection import Collected, Collector
from bot.digests.digest import Digest, Mode, Outcome, Run, Trouble
from bot.digests.post import Post
from bot.digests.report import got_worse, has_changed
from bot.digests.shelf import Shelf
from bot.digests.troubles import channel_trouble, service_trouble, slack_trouble
from bot.errors import BotError
from bot.message import Message
from bot.slack.errors import (
    ChannelClosedError,
    SlackError,
    SlackRefusedError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.store.errors import StoreError, UnreadableSecretError
from bot.tracker.budget import Purpose
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

Step = Callable[[Digest, datetime], Digest]


class Posts(Protocol):
    """Whoever puts messages into channels. Both methods raise SlackError."""

    async def turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Wait until the channel may be posted to; nothing was posted when this raises."""
        ...

    async def post(self, workspace: WorkspaceId, channel_id: str, message: Message) -> str:
        """Post once; return the message's timestamp."""
        ...


@dataclass(frozen=True, slots=True)
class Words:
    """How a digest is put into words, and its sign of life."""

    digest: Callable[[Post], Message]
    heartbeat: Callable[[Post], Message]


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
    ) -> None:
        self._shelf = shelf
        self._collector = collector
        self._posts = posts
        self._words = words
        self._clock = clock

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
            LostClaimError, UnknownDigestError: it is no longer wanted here; nothing was posted.
            StoreError: what became of it could not be recorded; the end of its claim settles it.
            BotError: what kept it from being posted, which is recorded.
        """
        run = ledger.own_run(digest, token)
        collected = await self._collected(workspace, digest, run)
        post = replace(collected.post, asked_by_name=asked_by_name)
        average = post.report.totals.average
        baseline: str | None
        if run.asked_by or _has_news(post):
            baseline = await self._shelf.keep_baseline(workspace, digest, collected.baseline)
            message = await asyncio.to_thread(self._words.digest, post)
        elif _owes_heartbeat(digest):
            baseline = digest.baseline
            message = self._words.heartbeat(post)
        else:
            return await self._step(
                workspace,
                digest,
                lambda each, now: ledger.quiet(each, token, now, average=average),
            )
        await self._post(workspace, digest, token, message, baseline, average)
        return await self._step(
            workspace, digest, lambda each, now: ledger.posted(each, token, now)
        )

    async def _collected(self, workspace: WorkspaceId, digest: Digest, run: Run) -> Collected:
        slot = None if run.is_extra else run.slot
        purpose = Purpose.PERSON if run.asked_by else Purpose.SCHEDULED
        try:
            return await self._collector.collect(workspace, digest, slot=slot, purpose=purpose)
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

    async def _post(
        self,
        workspace: WorkspaceId,
        digest: Digest,
        token: str,
        message: Message,
        baseline: str | None,
        average: float | None,
    ) -> None:
        channel_id = digest.plan.channel_id
        try:
            # Before it is noted as posting: whoever dies in the queue has posted nothing.
            await self._posts.turn(workspace, channel_id)
            await self._step(
                workspace,
                digest,
                lambda each, now: ledger.posting(
                    each, token, now, baseline=baseline, average=average
                ),
            )
            await self._posts.post(workspace, channel_id, message)
        except SlackError as error:
            await self._step(workspace, digest, _after(error, token))
            raise

    async def _step(self, workspace: WorkspaceId, digest: Digest, step: Step) -> Digest:
        return await self._shelf.change(
            workspace, digest.digest_id, lambda each: step(each, self._clock())
        )


def _after(error: SlackError, token: str) -> Step:
    """What becomes of the run after Slack's answer: waits, pauses, is uncertain or has failed."""
    if isinstance(error, ChannelClosedError):
        closed = channel_trouble(error)
        return lambda each, now: ledger.closed(each, token, now, closed)
    if error.is_outcome_unknown:
        uncertain = Outcome.UNCERTAIN
        return lambda each, now: ledger.ended(each, token, now, uncertain, Trouble.SLACK)
    lasts = isinstance(error, TokenRefusedError | WorkspaceHeldError)
    if isinstance(error, SlackRefusedError) and not lasts:
        logger.error("Slack refuses a digest", code=error.code)
        return lambda each, now: ledger.ended(each, token, now, Outcome.FAILED, Trouble.OURS)
    trouble, wait = slack_trouble(error)
    return lambda each, now: ledger.waiting(each, token, now, trouble, wait=wait)


def _has_news(post: Post) -> bool:
    """Whether the digest's mode wants this post. An empty one is posted once, then no more."""
    report, mode = post.report, post.digest.plan.mode
    if report.before is None:
        return True
    if mode is Mode.ALWAYS:
        return bool(report.totals.count or report.before.count)
    return has_changed(report) if mode is Mode.CHANGES else got_worse(report)


def _owes_heartbeat(digest: Digest) -> bool:
    every = digest.plan.heartbeat_every
    return every is not None and digest.silent_runs >= every
