"""Notify the managers of a key by direct message, one after the other, once each."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

import structlog

from bot.access.permissions import Permissions
from bot.keys.errors import key_notice
from bot.keys.key_record import (
    KeyNotice,
    KeyPair,
    KeyRecord,
    NoticeAttempt,
    NoticeKind,
    due_notice,
)
from bot.keys.repository import KIND, Keys
from bot.process.concurrency import run_shielded
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.errors import PersonUnreachableError, SlackError
from bot.slack.posting import Posting, retry_after
from bot.store.due_work import DueWork

logger = structlog.get_logger()
# Of the workspace's admins and owners, where all of those have left.
MAX_ADMINS = 5
# The person whose request was refused waits: the answer says whether notices were sent.
NOTIFIED_WITHIN_S = 5.0
ASKED_EVERY_S = 0.2
# After that another worker takes over a notice: its own has died. Twenty messages take less.
LEASE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that one worker sends, and the attempt for which it has the lease."""

    notice: KeyNotice
    record: KeyRecord
    attempt: NoticeAttempt


@dataclass(slots=True)
class KeyNotices(DueWork):
    """Notifies the managers, and who set the key, that it is refused, ends soon or is old.

    Those who read of a refusal get another message when a key works again. A notice that a crash
    has cut off is sent again to all.
    """

    kind = KIND
    at_once = 5
    posting: Posting
    keys: Keys
    permissions: Permissions

    async def __call__(self, workspace: WorkspaceId) -> None:
        """Notify of a refused key, or wait for the worker that does; never raise.

        After a delay or failure `run_due` goes on.
        """
        with log_and_suppress("not notified of a refused key yet", BotError, TimeoutError):
            async with asyncio.timeout(NOTIFIED_WITHIN_S):
                await run_shielded(self.tasks, self.work(workspace))
                while await self._is_refusal_under_way(workspace):  # noqa: ASYNC110  # another process has no event for this one
                    await asyncio.sleep(ASKED_EVERY_S)

    async def _is_refusal_under_way(self, workspace: WorkspaceId) -> bool:
        """Return whether some worker sends the first notice of a refusal just now."""
        pair = await self.keys.pair(workspace)
        attempt = pair.telling if pair else None
        is_refusal = attempt is not None and attempt.name == NoticeKind.REFUSED.value
        return bool(attempt and is_refusal and not attempt.tries and attempt.until > self.clock())

    async def work(self, workspace: WorkspaceId) -> None:
        if claim := await self.claim(workspace):
            people, wait = await self._send(workspace, claim)
            if not people and wait is None:
                logger.error("no manager or admin left to notify", notice=claim.notice.name)
            await self.settle(workspace, claim, people, wait)

    async def claim(self, workspace: WorkspaceId) -> Claim | None:
        """Return the due notice, for this worker alone during its lease, if no other has it.

        An earlier key whose time is over is deleted too. Raise StoreError.
        """
        claims: list[Claim] = []

        def claimed(pair: KeyPair) -> KeyPair:
            now = self.clock()
            claims.clear()
            pair = pair.without_expired(now)
            notice, telling = due_notice(pair.record, now), pair.telling
            if notice is None or (telling and telling.until > now):
                return pair
            if telling is None or telling.name != notice.name:
                telling = NoticeAttempt(notice.name, now)
            telling = replace(telling, until=now + LEASE)
            claims.append(Claim(notice, pair.record, telling))
            return replace(pair, telling=telling)

        await self.keys.change(workspace, claimed)
        return claims[0] if claims else None

    async def settle(
        self, workspace: WorkspaceId, claim: Claim, people: tuple[str, ...], wait: timedelta | None
    ) -> None:
        """Record whom a notice has reached: it is sent for good, or again after `wait`."""

        def settled(pair: KeyPair) -> KeyPair:
            now, telling = self.clock(), claim.attempt
            if pair.telling != telling:
                return pair  # the key was replaced in the meantime, or works again
            if wait is None:
                return pair.notified(claim.notice, now, people)
            again = replace(telling, until=now + wait, told=people, tries=telling.tries + 1)
            return replace(pair, telling=again)

        await self.keys.change(workspace, settled)

    async def _send(
        self, workspace: WorkspaceId, claim: Claim
    ) -> tuple[tuple[str, ...], timedelta | None]:
        """Send a notice to whom it has not reached; to five admins or owners if it reaches none.

        Return all whom it has reached, and the wait until the next attempt if there is one.
        """
        message = key_notice(claim.notice, claim.record, self.clock().date())
        reached = list(claim.attempt.told)

        async def send(people: Iterable[str]) -> None:
            for user_id in (each for each in people if each not in reached):
                try:
                    await self.posting.send_dm(workspace, user_id, message)
                    reached.append(user_id)
                except PersonUnreachableError:
                    pass  # they have left
                except SlackError as error:
                    logger.warning("could not send a notice about a key", error=repr(error))
                    if retry_after(error, claim.attempt.tries) is not None:
                        raise

        try:
            if claim.notice.kind is NoticeKind.WORKS_AGAIN:
                await send(claim.record.told)
            else:
                managers = await self.permissions.managers(workspace)
                await send(dict.fromkeys((claim.record.set_by, *managers)))
                if not reached:
                    await send(await self.posting.admins(workspace, MAX_ADMINS))
        except SlackError as error:
            return tuple(reached), retry_after(error, claim.attempt.tries)
        return tuple(reached), None
