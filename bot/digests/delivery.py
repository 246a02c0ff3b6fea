"""Deliver one run of a digest to its end: collect, post, record."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import structlog

from bot.blocks.message import Message
from bot.digests import run_state
from bot.digests.alert_card import AlertCard
from bot.digests.alert_cards import drawn, note_look, shown_by
from bot.digests.alert_life import alert_of, placed
from bot.digests.baseline import pack
from bot.digests.collector import Collected, Collector
from bot.digests.models import Digest, GuestError, Mode, Outcome, Run, UnknownAlertError
from bot.digests.report import WORSE, Post, fallen, got_worse, has_changed, without
from bot.digests.repository import DigestRepository
from bot.digests.views.changes import with_news
from bot.digests.views.post import digest_message, heartbeat_message
from bot.domains.csv_file import file_name
from bot.keys.failures import FailureReason, of_service, service_failure
from bot.process.clock import Clock
from bot.process.concurrency import compute
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack import errors
from bot.slack.posting import Posting
from bot.store.documents import StoreError
from bot.tracker.models import TimedOutError
from bot.tracker.rate_limit import Purpose

logger = structlog.get_logger()
T = TypeVar("T")
# Waits between attempts to save a step, for a database that restarts.
STEP_AGAIN_AFTER_S = (0.5, 2.0)
# The same after the post, which is uncertain a minute after it began.
RECORD_AGAIN_AFTER_S = (*STEP_AGAIN_AFTER_S, 5.0, 10.0, 15.0)
# With the 20 s that a turn may take this ends before `Send now` counts as dead.
COLLECT_WITHIN_S = 35.0
# For refusals that are not about this post.
HOLD = timedelta(hours=1)
_OF_CHANNEL = {
    "is_archived": FailureReason.ARCHIVED,
    "not_in_channel": FailureReason.NOT_IN_CHANNEL,
    "channel_not_found": FailureReason.NOT_FOUND,
}


def has_news(post: Post) -> bool:
    report, mode = post.report, post.digest.plan.mode
    if mode is Mode.ALWAYS:
        return True
    if not report.totals.count and not (report.before and report.before.count):
        return False  # nothing there, as before
    if post.digest.plan.is_alert:
        return bool(fallen(report))
    return has_changed(report) if mode is Mode.CHANGES else got_worse(report)


def heartbeat_due(digest: Digest) -> bool:
    every = digest.plan.heartbeat_every
    return every is not None and digest.silent_runs >= every and not digest.plan.is_alert


def after_refusal(error: errors.SlackError) -> Callable[..., Digest]:
    """Return the step that records Slack's error: the run waits, ends, or pauses its digest."""
    if isinstance(error, errors.ChannelClosedError):
        trouble = _OF_CHANNEL.get(error.code, FailureReason.RESTRICTED)
        return partial(run_state.pause_for_channel, trouble=trouble)
    if isinstance(error, errors.SlackRateLimitedError):
        wait = timedelta(seconds=max(1.0, error.retry_after_s))
        return partial(run_state.postpone, trouble=FailureReason.SLACK, wait=wait)
    if isinstance(error, errors.TokenRefusedError):
        return partial(run_state.postpone, trouble=FailureReason.UNINSTALLED, wait=HOLD)
    if isinstance(error, errors.MissingScopeError):
        return partial(run_state.postpone, trouble=FailureReason.PERMISSION, wait=HOLD)
    if error.is_outcome_unknown:
        outcome, trouble = Outcome.UNCERTAIN, FailureReason.SLACK
    elif isinstance(error, errors.SlackRefusedError):
        logger.error("Slack refuses a digest", code=error.code)
        outcome, trouble = Outcome.FAILED, FailureReason.INTERNAL
    else:
        return partial(run_state.postpone, trouble=FailureReason.SLACK)
    return partial(run_state.mark_ended, outcome=outcome, trouble=trouble)


@dataclass(frozen=True, slots=True)
class Delivery:
    """Takes runs to their ends. The outcome is recorded before anybody is notified."""

    repository: DigestRepository
    collector: Collector
    posting: Posting
    _: KW_ONLY
    clock: Clock
    draw: Callable[[Post], Message] = digest_message
    draw_heartbeat: Callable[[Post], Message] = heartbeat_message
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    collect_within_s: float = COLLECT_WITHIN_S

    async def deliver(self, workspace: WorkspaceId, digest: Digest, token: str) -> Digest:
        """Take the run that carries `token` to its end; return the digest after it.

        It is stored first when it begins to post. That decides between two processes. Raise
        LostClaimError or UnknownDigestError (the run is no longer ours), StoreError (its outcome
        is not recorded: it stays due, or is uncertain soon) or the reason why nothing was posted.
        """
        try:
            return await self._deliver(workspace, digest, token)
        except BotError:
            raise
        except Exception:  # a bug: notify now, not after the grace
            await self._step(workspace, digest, run_state.mark_crashed)
            raise

    async def _deliver(self, workspace: WorkspaceId, digest: Digest, token: str) -> Digest:
        run = run_state.own_run(digest, token)
        await self._require_reader(workspace, digest)
        collected = await self._collect(workspace, digest, run)
        average = collected.post.report.totals.average
        is_look = digest.plan.is_alert and not run.asked_by
        is_wanted = bool(run.asked_by) or has_news(collected.post)
        # A heartbeat leaves the baseline as it is: small changes add up.
        is_kept = is_wanted or (is_look and collected.is_moved)
        baseline = pack(collected.baseline) if is_kept else ""
        post = replace(collected.post, asked_by_name=run.asked_by and run.asked_by_name)
        if is_look:  # what falls further is told in the thread of its card
            told = await note_look(self.repository, workspace, digest, collected.look)
            post = replace(post, report=without(post.report, told, WORSE))
            is_wanted = has_news(post)
        if not is_wanted and not heartbeat_due(digest):
            quiet = run_state.mark_quiet
            return await self._step(workspace, digest, quiet, average=average, baseline=baseline)
        draw = self.draw if is_wanted else self.draw_heartbeat
        draw_post = None if is_look else draw
        digest, ts = await self._post(workspace, digest, run, post, draw_post, baseline)
        digest = await self._step(
            workspace, digest, run_state.mark_posted, again_after_s=RECORD_AGAIN_AFTER_S
        )
        if collected.file and is_wanted:
            with log_and_suppress("the list did not follow as a file", BotError):
                name = file_name(digest.plan.filter_text, self.clock())
                await self.posting.send_file(workspace, run.channel_id, ts, name, collected.file)
        return digest

    async def _collect(self, workspace: WorkspaceId, digest: Digest, run: Run) -> Collected:
        failure: BotError
        try:
            async with asyncio.timeout(self.collect_within_s):
                return await self.collector.collect(
                    workspace,
                    digest,
                    slot=None if run.is_extra else run.slot,
                    purpose=Purpose.PERSON if run.asked_by else Purpose.SCHEDULED,
                    newer_than=self.clock() if run.asked_by else None,
                )
        except BotError as error:
            failure = of_service(error)
        except TimeoutError:
            why = f"no list within {self.collect_within_s:g} s"
            failure = TimedOutError(why, is_outcome_unknown=False)
        trouble, wait = service_failure(failure)
        await self._step(workspace, digest, run_state.postpone, trouble=trouble, wait=wait)
        raise failure

    async def _post(
        self,
        workspace: WorkspaceId,
        digest: Digest,
        run: Run,
        post: Post,
        draw: Callable[[Post], Message] | None,
        baseline: str,
    ) -> tuple[Digest, str]:
        """Post; return the digest as it was recorded just before, and the post's `ts`.

        Without `draw` it is the first card of an alert.
        """
        average, name = post.report.totals.average, f"{digest.digest_id}/{run.token}"
        try:
            # Before the run is marked as posting: a process that dies here has posted nothing.
            await self.posting.acquire_turn(workspace, run.channel_id)
            post = replace(post, sent_at=self.clock())
            if draw is None:
                alert = alert_of(post, run.channel_id)
                await self.repository.keep_card(workspace, name, alert)
                card = drawn(name, alert, digest, post.sent_at)
                message = with_news(card, post.report, post.sent_at)
            else:
                message = await compute(post.report.totals.count, draw, post)
            posting = run_state.begin_posting
            digest = await self._step(
                workspace, digest, posting, baseline=baseline, average=average
            )
            ts = await self.posting.post(workspace, run.channel_id, message)
            if draw is None:
                await self._keep_place(workspace, name, alert, ts, shown_by(card))
        except errors.SlackError as error:
            await self._step(workspace, digest, after_refusal(error))
            raise
        return digest, ts

    async def _require_reader(self, workspace: WorkspaceId, digest: Digest) -> None:
        """Raise TokenRefusedError, as nothing is collected for a workspace without the app.

        Pause a person's own digest and raise GuestError, if they may not read it any more.
        """
        try:
            await self.posting.require_token(workspace)
            if not digest.plan.is_own:
                return
            person = await self.posting.member(workspace, digest.made_by)
        except errors.SlackError as error:
            again = partial(run_state.postpone, trouble=FailureReason.SLACK)  # nothing was posted
            step = again if error.is_outcome_unknown else after_refusal(error)
            await self._step(workspace, digest, step)
            raise
        if not person.is_colleague:
            await self._step(workspace, digest, run_state.pause_for_person)
            raise GuestError("its person has left, or is a guest")

    async def _keep_place(
        self, workspace: WorkspaceId, name: str, alert: AlertCard, ts: str, shown: str
    ) -> None:
        """Keep where the card of an alert is; without that it cannot be drawn again."""
        with log_and_suppress("the place of a card is not kept", StoreError, UnknownAlertError):
            now, change = self.clock(), self.repository.change_card
            await self._save(lambda: change(workspace, name, placed, alert, ts, shown, now))

    async def _step(
        self,
        workspace: WorkspaceId,
        digest: Digest,
        step: Callable[..., Digest],
        *,
        again_after_s: Sequence[float] = STEP_AGAIN_AFTER_S,
        **more: Any,
    ) -> Digest:
        """Save a step, also in further attempts after these waits; return the digest after it."""
        token = digest.run.token if digest.run else ""

        def once(each: Digest) -> Digest:
            now = self.clock()
            return step(run_state.take_up_again(each, digest, now, token), token, now, **more)

        save = self.repository.step
        return await self._save(lambda: save(workspace, digest, once), again_after_s)

    async def _save(
        self, save: Callable[[], Awaitable[T]], again_after_s: Sequence[float] = STEP_AGAIN_AFTER_S
    ) -> T:
        """Return the result of `save`, repeated after these waits while the store fails."""
        for wait_s in again_after_s:
            try:
                return await save()
            except StoreError as error:
                logger.warning("not recorded yet", error=repr(error))
                await self.sleep(wait_s)
        return await save()
