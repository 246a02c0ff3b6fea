"""Notify the managers of a key by direct message, one after the other, once each."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date, timedelta

import structlog

from bot.access.repository import Managers
from bot.blocks.message import Message
from bot.keys.key_pair import KeyPair, NoticeAttempt
from bot.keys.key_record import KeyNotice, KeyRecord, NoticeKind, StoredKey, due_notice
from bot.keys.repository import Keys
from bot.process.concurrency import Tasks, run_shielded
from bot.process.errors import BotError, warned
from bot.process.workspace import WorkspaceId
from bot.slack.errors import PersonUnreachableError, SlackError
from bot.slack.posting import Posting, retry_after
from bot.slack.usergroups import GroupPeople

logger = structlog.get_logger()
# A user group may have hundreds of people: this many get a notice, this many are looked up.
MAX_REACHED = 20
MAX_LOOKED_AT = 50
# Of the workspace's admins and owners, where all of those have left.
MAX_ADMINS = 5


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that one worker sends, and the attempt for which it has the lease."""

    notice: KeyNotice
    record: KeyRecord
    attempt: NoticeAttempt


@dataclass(frozen=True, slots=True)
class KeyClaims:
    """Hands out due notices, and records whom they have reached. May raise StoreError."""

    keys: Keys

    async def claim(self, workspace: WorkspaceId, *, lease: timedelta) -> Claim | None:
        """Return the due notice, for the caller alone until `lease` has passed.

        `None`: there is none, or another worker has it. An earlier key whose time is over is
        deleted too.
        """
        claims: list[Claim] = []

        def claimed(pair: KeyPair) -> KeyPair:
            now = self.keys.clock()
            claims.clear()
            pair = pair.without_expired(now)
            notice, telling = due_notice(pair.record, now), pair.telling
            if notice is None or (telling and telling.until > now):
                return pair
            if telling is None or telling.name != notice.name:
                telling = NoticeAttempt(notice.name, now)
            telling = replace(telling, until=now + lease)
            claims.append(Claim(notice, pair.record, telling))
            return replace(pair, telling=telling)

        await self.keys.change(workspace, claimed)
        return claims[0] if claims else None

    async def is_refusal_under_way(self, workspace: WorkspaceId) -> bool:
        """Return whether some worker sends the first notice of a refusal just now."""
        pair = await self.keys.pair(workspace)
        telling = pair.telling if pair else None
        is_first_try = telling and telling.name == NoticeKind.REFUSED.value and not telling.tries
        return bool(telling and is_first_try and telling.until > self.keys.clock())

    async def settle(
        self,
        workspace: WorkspaceId,
        claim: Claim,
        people: tuple[str, ...],
        wait: timedelta | None,
    ) -> None:
        """Record whom a notice has reached; it is sent for good, or again after `wait`."""

        def settled(pair: KeyPair) -> KeyPair:
            now, telling = self.keys.clock(), claim.attempt
            if pair.record.mark != claim.record.mark or pair.telling != telling:
                return pair  # the key was replaced in the meantime, or works again
            if wait is None:
                return pair.notified(claim.notice, now, people)
            again = replace(telling, until=now + wait, told=people, tries=telling.tries + 1)
            return replace(pair, telling=again)

        await self.keys.change(workspace, settled)


# The person whose request was refused waits: the answer says whether notices were sent.
TELL_WITHIN_S = 5.0
LOOK_AGAIN_AFTER_S = 0.2
# After that another worker takes over a notice: its own has died. Twenty messages take less.
LEASE = timedelta(minutes=5)
WORKERS = 5
Words = Callable[[KeyNotice, KeyRecord, date], Message]


@dataclass(frozen=True, slots=True)
class KeyNotices:
    """Notifies the managers, and who set the key, that it is refused, ends soon or is old.

    When all of them have left, admins and owners of the workspace are notified.
    Those who read of a refusal get another message when a key works again. `groups` looks up
    the people of named user groups. A notice that a crash has cut off is sent again to all.
    """

    messages: Posting
    claims: KeyClaims
    managers: Managers
    words: Words
    tasks: Tasks
    _: KW_ONLY
    groups: GroupPeople
    _workers: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(WORKERS))

    async def __call__(self, workspace: WorkspaceId, key: StoredKey) -> None:
        """Notify of a refused key, or wait for the worker that does; never raise.

        After a delay or failure `run_due` goes on.
        """
        said, shown = "not notified of a refused key yet", key.record.shown
        with warned(said, BotError, TimeoutError, key=shown):
            async with asyncio.timeout(TELL_WITHIN_S):
                await run_shielded(self.tasks, self._tell(workspace))
                # Perhaps by another process, which has no event for this one.
                while await self.claims.is_refusal_under_way(workspace):  # noqa: ASYNC110
                    await asyncio.sleep(LOOK_AGAIN_AFTER_S)

    async def run_due(self) -> None:
        """Start the due notices; they run on after this returns."""
        for workspace in await self.claims.keys.due():
            self.tasks.start(self._work(workspace))

    async def _work(self, workspace: WorkspaceId) -> None:
        log = structlog.contextvars.bound_contextvars(workspace=str(workspace))
        with log, warned("key notice", Exception):
            await self._tell(workspace)

    async def _tell(self, workspace: WorkspaceId) -> None:
        async with self._workers:
            claim = await self.claims.claim(workspace, lease=LEASE)
            if claim is None:
                return
            people, wait = await self._send(workspace, claim)
            if not people and wait is None:
                logger.error("no manager or admin left to notify", notice=claim.notice.name)
            await self.claims.settle(workspace, claim, people, wait)

    async def _send(
        self, workspace: WorkspaceId, claim: Claim
    ) -> tuple[tuple[str, ...], timedelta | None]:
        """Send a notice to twenty people at most, but not to whom earlier attempts reached.

        If it reaches none of them, it goes to five admins or owners of the workspace.

        Return all whom it has reached, and the wait until the next attempt if there is one.
        """
        message = self.words(claim.notice, claim.record, self.claims.keys.clock().date())
        tried, reached = set(claim.attempt.told), list(claim.attempt.told)

        async def send(user_id: str) -> None:
            tried.add(user_id)
            with self._passing_over(claim):
                await self.messages.send_dm(workspace, user_id, message)
                reached.append(user_id)

        try:
            async for user_id in self._people(workspace, claim):
                if len(reached) >= MAX_REACHED:
                    break
                if user_id not in tried:
                    await send(user_id)
            if not reached and claim.notice.kind is not NoticeKind.WORKS_AGAIN:
                for user_id in await self.groups.admins(workspace, MAX_ADMINS):
                    await send(user_id)
        except SlackError as error:
            return tuple(reached), retry_after(error, claim.attempt.tries)
        return tuple(reached), None

    async def _people(self, workspace: WorkspaceId, claim: Claim) -> AsyncIterator[str]:
        """Yield the people of a notice, some perhaps twice, those who were named first."""
        if claim.notice.kind is NoticeKind.WORKS_AGAIN:
            for user_id in claim.record.told:
                yield user_id
            return
        named = await self.managers.named(workspace)
        for user_id in (claim.record.set_by, *named.user_ids):
            yield user_id
        for group_id in named.group_ids:
            people: tuple[str, ...] = ()
            with self._passing_over(claim):
                people = await self.groups.people_in(workspace, group_id)
            for user_id in people[:MAX_LOOKED_AT]:
                is_fit = False
                with self._passing_over(claim):
                    is_fit = await self.groups.is_colleague(workspace, user_id)
                if is_fit:
                    yield user_id

    @contextmanager
    def _passing_over(self, claim: Claim) -> Iterator[None]:
        """Pass over a person or group for whom it is of no use to try again."""
        try:
            yield
        except PersonUnreachableError:
            pass  # they have left
        except SlackError as error:
            wait = retry_after(error, claim.attempt.tries)
            said = "could not send a notice about a key"
            logger.warning(said, error=repr(error), wait=str(wait))
            if wait is not None:
                raise
