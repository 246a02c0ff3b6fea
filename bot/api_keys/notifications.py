"""Notify the managers of a key by direct message, one after the other, once each."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from datetime import date, timedelta

import structlog

from bot.admin import Managers
from bot.api_keys.key_pair import KeyPair, NoticeAttempt, SentNotice
from bot.api_keys.key_record import KeyNotice, KeyRecord, NoticeKind, StoredKey
from bot.api_keys.repository import Keys
from bot.concurrency import SingleFlight, Tasks
from bot.errors import BotError, warned
from bot.message import Message
from bot.slack.errors import PersonUnreachableError, SlackError
from bot.slack.posting import DirectMessages, retry_after
from bot.slack.usergroups import GroupPeople
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# A user group may have hundreds of people: this many get a notice, this many are looked up.
MAX_REACHED = 20
MAX_LOOKED_AT = 50


@dataclass(frozen=True, slots=True)
class Claim:
    """A notice that one worker sends: its key, the people it has reached, earlier attempts.

    `outdated` are the sent notices that it edits.
    """

    notice: KeyNotice
    record: KeyRecord
    reached: tuple[str, ...]
    tries: int
    outdated: tuple[SentNotice, ...]


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
            notice, telling = pair.due_notice(now), pair.telling
            if notice is None or (telling and telling.until > now):
                return pair
            if telling is None or telling.name != notice.name:
                telling = NoticeAttempt(notice.name, now)
            outdated = pair.outdated_by(notice)
            claims.append(Claim(notice, pair.record, telling.told, telling.tries, outdated))
            return replace(pair, telling=replace(telling, until=now + lease))

        await self.keys.change(workspace, claimed)
        return claims[0] if claims else None

    async def settle(
        self,
        workspace: WorkspaceId,
        delivery: "NoticeDelivery",
        wait: timedelta | None = None,
    ) -> None:
        """Record whom a notice has reached; it is sent for good, or again after `wait`."""
        claim, people = delivery.claim, tuple(dict.fromkeys(delivery.notified))

        def settled(pair: KeyPair) -> KeyPair:
            now, telling, record = self.keys.clock(), pair.telling, pair.record
            sent = tuple(each for each in pair.sent if each not in delivery.edited)
            pair = replace(pair, sent=(*sent, *delivery.sent))
            if record.mark != claim.record.mark:
                return pair  # the key was replaced in the meantime: what was sent is to be edited
            if telling is None or telling.name != claim.notice.name:
                is_healed = claim.notice.kind is NoticeKind.REFUSED and not record.refused_at
                return replace(pair, record=replace(record, told=people)) if is_healed else pair
            if wait is None:
                return pair.notified(claim.notice, now, people)
            tries = telling.tries + 1
            again = replace(telling, until=now + wait, told=people, tries=tries)
            return replace(pair, telling=again)

        await self.keys.change(workspace, settled)


@dataclass(slots=True)
class NoticeDelivery:
    """Sends a notice to each person once, to twenty at most in all attempts.

    `notified` are the people whom it has reached, `edited` the earlier notices it replaced.
    """

    messages: DirectMessages
    workspace: WorkspaceId
    claim: Claim
    message: Message
    notified: list[str] = field(init=False)
    sent: list[SentNotice] = field(default_factory=list, init=False)
    edited: list[SentNotice] = field(default_factory=list, init=False)
    _tried: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self._tried, self.notified = set(self.claim.reached), [*self.claim.reached]

    async def tell(self, user_ids: Iterable[str]) -> timedelta | None:
        """Send the notice to those without it; return the wait until the next attempt, if any."""
        for user_id in self._left(user_ids):
            self._tried.add(user_id)
            try:
                sent = await self.messages.send_dm(self.workspace, user_id, self.message)
            except PersonUnreachableError:
                continue  # they have left
            except SlackError as error:
                if wait := self._wait(error):
                    return wait
                continue  # this person cannot be reached, others may be
            self.notified.append(user_id)
            notice, mark = self.claim.notice, self.claim.record.mark
            if notice.kind is not NoticeKind.WORKS_AGAIN:
                self.sent.append(SentNotice(notice.name, mark, user_id, sent))
        return None

    async def edit(self) -> timedelta | None:
        """Replace the outdated notices by this one; return as `tell` does."""
        for each in self.claim.outdated:
            try:
                await self.messages.edit_dm(self.workspace, each.message, self.message)
            except SlackError as error:
                if wait := self._wait(error):
                    return wait
                continue  # it was deleted
            self._tried.add(each.user_id)
            self.notified.append(each.user_id)
            self.edited.append(each)
        return None

    async def tell_group(self, groups: GroupPeople, group_id: str) -> timedelta | None:
        """Send the notice to the people of a group who may be managers; return as `tell` does."""
        if len(self.notified) >= MAX_REACHED:
            return None
        try:
            people = await groups.people_in(self.workspace, group_id)
            fit = [
                user_id
                for user_id in [*self._left(people)][:MAX_LOOKED_AT]
                if await groups.is_colleague(self.workspace, user_id)
            ]
        except SlackError as error:
            return self._wait(error)
        return await self.tell(fit)

    def _left(self, user_ids: Iterable[str]) -> Iterable[str]:
        for user_id in dict.fromkeys(user_ids):
            if user_id not in self._tried and len(self.notified) < MAX_REACHED:
                yield user_id

    def _wait(self, error: SlackError) -> timedelta | None:
        wait = retry_after(error, self.claim.tries)
        logger.warning("could not send a notice about a key", error=repr(error), wait=str(wait))
        return wait


@dataclass(frozen=True, slots=True)
class ManagerNotifier:
    """Notifies new managers, once and in the background; a message that fails is only logged.

    `words` makes the message from the id of the person who named them.
    """

    messages: DirectMessages
    words: Callable[[str], Message]
    tasks: Tasks

    def tell(self, workspace: WorkspaceId, user_ids: Sequence[str], *, by: str) -> None:
        """Start to notify those who were named just now, except `by`."""
        if others := [user_id for user_id in user_ids if user_id != by]:
            self.tasks.start(self._tell(workspace, others, by))

    async def _tell(self, workspace: WorkspaceId, user_ids: Sequence[str], by: str) -> None:
        message = self.words(by)
        for user_id in user_ids:
            with warned("a new manager was not notified", SlackError, who=user_id):
                await self.messages.send_dm(workspace, user_id, message)


# The person whose request was refused waits: the answer says whether notices were sent.
TELL_WITHIN_S = 5.0
# After that another worker takes over a notice: its own has died. Twenty messages take less.
LEASE = timedelta(minutes=5)
WORKERS = 5
Words = Callable[[KeyNotice, KeyRecord, date], Message]


@dataclass(frozen=True, slots=True)
class KeyNotices:
    """Notifies the managers, and who set the key, that it is refused, ends soon or is old.

    Those who read of a refusal read in that message when the key works again, or was replaced; if
    it is gone, in another one. A reminder about a replaced key says so, too.

    `groups` looks up the people of named user groups. Each notice reaches each of them once; one
    that a crash has cut off is sent again to all.
    """

    messages: DirectMessages
    claims: KeyClaims
    managers: Managers
    words: Words
    tasks: Tasks
    _: KW_ONLY
    groups: GroupPeople
    _workers: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(WORKERS))
    _flights: SingleFlight[WorkspaceId, None] = field(default_factory=SingleFlight)

    async def __call__(self, workspace: WorkspaceId, key: StoredKey) -> None:
        """Notify of a refused key; never raise. After a delay or failure `run_due` goes on."""
        said, shown = "not notified of a refused key yet", key.record.shown
        with warned(said, BotError, TimeoutError, key=shown):
            async with asyncio.timeout(TELL_WITHIN_S):
                await self._flights.run(workspace, lambda: self._tell(workspace))

    async def run_due(self) -> None:
        """Start the due notices that are not under way; they run on after this returns."""
        for workspace in await self.claims.keys.due():
            if not self._flights.is_under_way(workspace):
                self.tasks.start(self._work(workspace))

    async def _work(self, workspace: WorkspaceId) -> None:
        log = structlog.contextvars.bound_contextvars(workspace=str(workspace))
        with log, warned("key notice", Exception):
            await self._flights.run(workspace, lambda: self._tell(workspace))

    async def _tell(self, workspace: WorkspaceId) -> None:
        async with self._workers:
            claim = await self.claims.claim(workspace, lease=LEASE)
            if claim is None:
                return
            message = self.words(claim.notice, claim.record, self.claims.keys.clock().date())
            delivery = NoticeDelivery(self.messages, workspace, claim, message)
            wait: timedelta | None = LEASE
            try:
                wait = await self._send(workspace, claim, delivery)
            finally:  # whatever fails: who has it does not get it again
                await self.claims.settle(workspace, delivery, wait)

    async def _send(
        self, workspace: WorkspaceId, claim: Claim, delivery: NoticeDelivery
    ) -> timedelta | None:
        if claim.notice.kind is NoticeKind.REPLACED:
            return await delivery.edit()
        if claim.notice.kind is NoticeKind.WORKS_AGAIN:
            return await delivery.edit() or await delivery.tell(claim.record.told)
        named = await self.managers.named(workspace)
        wait = await delivery.tell((claim.record.set_by, *named.user_ids))
        for group_id in named.group_ids:
            if wait is None:
                wait = await delivery.tell_group(self.groups, group_id)
        if not delivery.notified:
            logger.error("no manager left to notify", notice=claim.notice.name)
        return wait
