"""Share the rate limit and the usage of each key between processes."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from weakref import WeakValueDictionary

import structlog
from cachetools import LRUCache, TTLCache

from bot.api_keys.models import NoKeyError
from bot.api_keys.repository import Keys
from bot.concurrency import BoundedWait, SingleFlight, Tasks
from bot.slack.posting import OwnHolds
from bot.store.documents import (
    ConflictError,
    Document,
    Documents,
    StoreError,
    UnreadableSecretError,
)
from bot.tracker import usage
from bot.tracker.models import RateLimitedError
from bot.tracker.rate_limit import (
    NEVER,
    WINDOW_S,
    BudgetState,
    RateLimiter,
    RateLimitState,
    fingerprint,
    state_of,
)
from bot.tracker.usage import Usage, UsageCounter, UsageSample
from bot.workspace import Caller, Kind, WorkspaceId, current_caller


@dataclass(frozen=True, slots=True)
class Allowance:
    """The state of a key's allowance, and who used it."""

    budget: BudgetState
    usage: Usage


async def _alone(_workspace: WorkspaceId) -> None:
    """There are no other processes to learn of."""


class QuotaService:
    """Looks them up. `refresh` learns what other processes know; it never raises."""

    def __init__(
        self,
        keys: Keys,
        budget: RateLimiter,
        meter: UsageCounter,
        *,
        refresh: Callable[[WorkspaceId], Awaitable[object]] = _alone,
    ) -> None:
        self._keys = keys
        self._budget = budget
        self._meter = meter
        self._refresh = refresh

    async def of(self, workspace: WorkspaceId) -> Allowance | None:
        """Return that of the workspace's key, `None` when it has none that can be read.

        Raises:
            StoreError: the store failed.
        """
        await self._refresh(workspace)
        try:
            key = await self._keys.stored(workspace)
        except (NoKeyError, UnreadableSecretError):
            return None
        known_as = fingerprint(key.secret)
        return Allowance(self._budget.state(known_as), self._meter.usage(workspace, known_as))


# The clock of all may be set meanwhile; what is less is the time between two looks.
MAX_DRIFT_S = 0.25


class Timeline:
    """Turns seconds that never go back, which mean nothing elsewhere, into UTC and back.

    Both ways by the same difference, so that what comes back is what went out.
    """

    def __init__(self, clock: Callable[[], datetime], seconds: Callable[[], float]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._ahead_s = self._look()

    def ahead_s(self) -> float:
        """Return by how much the seconds since 1970 are more than those of this process."""
        present = self._look()
        if abs(present - self._ahead_s) > MAX_DRIFT_S:
            self._ahead_s = present
        return self._ahead_s

    def now(self) -> datetime:
        """Return the present moment."""
        return self._clock()

    def _look(self) -> float:
        return self._clock().timestamp() - self._seconds()


def utc_text(since_1970_s: float) -> str:
    """Return a moment as documents have it, to the millisecond."""
    return datetime.fromtimestamp(since_1970_s, UTC).isoformat(timespec="milliseconds")


def since_1970_s(text: str) -> float:
    """Return the moment of a `utc_text`."""
    return datetime.fromisoformat(text).timestamp()


logger = structlog.get_logger()
KIND = "slack-hold"
READ_EVERY_S = 2.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
TRIES = 5


class SharedHolds:
    """`Holds` of all processes, in a document that ends with the wait.

    Before a post it is read at most every two seconds; a store that fails, or is slow, leaves this
    process to what it has met itself. `seconds` never go back.
    """

    def __init__(
        self,
        documents: Documents,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        seconds: Callable[[], float] = time.monotonic,
        answered_within_s: float = ANSWERED_WITHIN_S,
    ) -> None:
        self._documents = documents
        self._tasks = tasks
        self._clock = clock
        self._own = OwnHolds(clock=seconds)
        self._patience = BoundedWait(answered_within_s)
        self._is_read: TTLCache[WorkspaceId, bool] = TTLCache(
            MAX_REMEMBERED, READ_EVERY_S, timer=seconds
        )

    async def left_s(self, workspace: WorkspaceId) -> float:
        """See `Holds.left_s`."""
        left_s = await self._own.left_s(workspace)
        if left_s or workspace in self._is_read:
            return left_s
        try:
            until = (await self._patience.wait(self._stored(workspace)))[0]
        except (StoreError, TimeoutError) as error:
            logger.warning("Slack's waits are not asked for", error=repr(error))
            return 0.0
        finally:
            self._is_read[workspace] = True
        if until and (told_s := (until - self._clock()).total_seconds()) > 0:
            self._own.hold(workspace, told_s)
        return await self._own.left_s(workspace)

    def hold(self, workspace: WorkspaceId, seconds: float) -> None:
        """See `Holds.hold`."""
        self._own.hold(workspace, seconds)
        until = self._clock() + timedelta(seconds=seconds)
        self._tasks.start(self._tell(workspace, until))

    async def _tell(self, workspace: WorkspaceId, until: datetime) -> None:
        try:
            for _ in range(TRIES):
                if await self._patience.wait(self._write(workspace, until)):
                    return
        except (StoreError, TimeoutError) as error:
            logger.warning("Slack's wait is not told to others", error=repr(error))

    async def _write(self, workspace: WorkspaceId, until: datetime) -> bool:
        """Say whether so long a wait is stored now."""
        stored, rev = await self._stored(workspace)
        if stored and stored >= until:
            return True
        value = {"v": 1, "until": until.isoformat()}
        try:
            await self._documents.put(_place(workspace), value, due_at=until, if_rev=rev)
        except ConflictError:
            return False
        return True

    async def _stored(self, workspace: WorkspaceId) -> tuple[datetime | None, int]:
        document = await self._documents.get(_place(workspace))
        if document is None:
            return None, 0
        return datetime.fromisoformat(document.value["until"]), document.rev


def _place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{KIND}"


_MOMENTS = ("told_at", "highest_at", "blocked_until", "served_at", "probe_at", "settled_at")
_COUNTS = ("remaining", "highest", "rate_limits")
# While people have to wait for scheduled work, so often the others learn how much is left.
TOLD_AGAIN_S = 10.0
# A wait that is longer by less was only rounded.
SLACK_S = 0.05


def encode_account(account: RateLimitState) -> dict[str, Any]:
    """Return an account as JSON; `decode_account` reads it."""
    moments = {name: getattr(account, name) for name in _MOMENTS}
    value: dict[str, Any] = {
        name: utc_text(moment) for name, moment in moments.items() if moment != NEVER
    }
    return value | {name: count for name in _COUNTS if (count := getattr(account, name))}


def decode_account(value: Mapping[str, Any]) -> RateLimitState:
    """Return what was encoded."""
    moments = {name: since_1970_s(value[name]) for name in _MOMENTS if name in value}
    remaining = value.get("remaining", 0) if "told_at" in value else None
    return RateLimitState(
        **moments,
        remaining=remaining,
        highest=value.get("highest", 0),
        rate_limits=value.get("rate_limits", 0),
    )


def is_news(mine: RateLimitState, stored: RateLimitState, now: float) -> bool:
    """Return whether others, who know what is stored, would do something that they should not."""
    if mine.is_backing_off != stored.is_backing_off:
        return True
    if mine.is_backing_off and mine.blocked_until > stored.blocked_until + SLACK_S:
        return True
    if mine.refused_until <= now < stored.refused_until:
        return True
    here, there = state_of(mine, now), state_of(stored, now)
    if here.is_reserve_reached != there.is_reserve_reached:
        return True
    return here.is_reserve_reached and mine.told_at >= stored.told_at + TOLD_AGAIN_S


VERSION = 1


def encode_counted(
    counted: UsageSample, account: RateLimitState, ahead_s: float
) -> dict[str, Any]:
    """Return the document's value; `decode_counted` reads it. `ahead_s`: see `Timeline`."""
    return {
        "v": VERSION,
        "fingerprint": counted.fingerprint,
        "since": utc_text(counted.since + ahead_s),
        "minutes": {
            utc_text(began_at + ahead_s): {_text(asker): n for asker, n in counts.items()}
            for began_at, counts in counted.minutes.items()
        },
        "account": encode_account(account.moved(ahead_s)),
    }


def decode_counted(
    value: Mapping[str, Any], ahead_s: float
) -> tuple[UsageSample, RateLimitState] | None:
    """Return what was encoded, `None` when a newer version has done that."""
    if value.get("v") != VERSION:
        return None
    minutes = {
        since_1970_s(began_at) - ahead_s: {_asker(text): n for text, n in counts.items()}
        for began_at, counts in value["minutes"].items()
    }
    counted = UsageSample(value["fingerprint"], since_1970_s(value["since"]) - ahead_s, minutes)
    return counted, decode_account(value["account"]).moved(-ahead_s)


def _text(asker: Caller) -> str:
    return f"{asker.kind.value}:{asker.subject_id}"


def _asker(text: str) -> Caller:
    kind, _, subject_id = text.partition(":")
    return Caller(Kind(kind), subject_id)


SHARED_KIND = "budget"
# The key in use, the one before it, and what else was tried within the hour.
MAX_KEYS = 4


class AccountShelf:
    """Reads and writes them by the fingerprints of the keys; may raise StoreError.

    Outside moments are seconds of this process, as the timeline has them.
    """

    def __init__(self, documents: Documents, timeline: Timeline) -> None:
        self._documents = documents
        self._timeline = timeline

    async def get(self, workspace: WorkspaceId) -> tuple[dict[str, RateLimitState], int]:
        """Return the accounts and the document's revision, 0 for none."""
        document = await self._documents.get(_shelf_place(workspace))
        if document is None:
            return {}, 0
        if document.value.get("v") != VERSION:  # of a newer bot that runs beside this one
            return {}, document.rev
        ahead_s = self._timeline.ahead_s()
        keys = document.value["keys"].items()
        return {name: decode_account(each).moved(-ahead_s) for name, each in keys}, document.rev

    async def put(
        self, workspace: WorkspaceId, accounts: Mapping[str, RateLimitState], *, if_rev: int
    ) -> None:
        """Keep the accounts that were written last; raise ConflictError as `Documents.put`."""
        ahead_s = self._timeline.ahead_s()
        latest = sorted(accounts.items(), key=lambda each: _used_at(each[1]))[-MAX_KEYS:]
        keys = {name: encode_account(each.moved(ahead_s)) for name, each in latest}
        await self._documents.put(
            _shelf_place(workspace),
            {"v": VERSION, "keys": keys},
            due_at=self._timeline.now() + timedelta(seconds=WINDOW_S),
            if_rev=if_rev,
        )


def _used_at(account: RateLimitState) -> float:
    return max(account.told_at, account.served_at, account.probe_at, account.settled_at)


def _shelf_place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{SHARED_KIND}"


class SharedBudget:
    """Connects the `Budget` of this process with those of the others: a `Peers`.

    It works for the workspace of whoever asks (see `workspace.py`), and for nobody else. Before a
    request it reads at most every two seconds. It writes only what others have to know at once:
    that a wait begins or ends, that somebody goes ahead after it, and how much is left at the
    reserve. A store that fails, or is slow, leaves this process to what it knows itself.
    """

    def __init__(
        self,
        documents: Documents,
        budget: RateLimiter,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        answered_within_s: float = ANSWERED_WITHIN_S,
    ) -> None:
        self._timeline = Timeline(clock, budget.now)
        self._shelf = AccountShelf(documents, self._timeline)
        self._budget = budget
        self._tasks = tasks
        self._patience = BoundedWait(answered_within_s)
        self._is_read: TTLCache[WorkspaceId, bool] = TTLCache(
            MAX_REMEMBERED, READ_EVERY_S, timer=budget.now
        )
        self._stored: LRUCache[WorkspaceId, Mapping[str, RateLimitState]] = LRUCache(
            MAX_REMEMBERED
        )
        self._reading: SingleFlight[WorkspaceId, None] = SingleFlight()
        self._telling: set[tuple[WorkspaceId, str]] = set()

    async def learn(self) -> None:
        """See `Peers.learn`."""
        if (asked := current_caller()) and asked[0] not in self._is_read:
            workspace = asked[0]
            await self._reading.run(workspace, lambda: self.refresh(workspace))

    async def claim_probe(self, fingerprint: str) -> None:
        """See `Peers.claim_probe`."""
        if asked := current_caller():
            await self._try(self._claim(asked[0], fingerprint))

    def tell(self, fingerprint: str) -> None:
        """See `Peers.tell`."""
        if (asked := current_caller()) is None:
            return
        place = (asked[0], fingerprint)
        if place not in self._telling and self._is_news(*place):
            self._telling.add(place)
            self._tasks.start(self._tell(*place))

    async def refresh(self, workspace: WorkspaceId) -> None:
        """Learn what is known of a workspace's keys now, whenever that was done last."""
        await self._try(self._read(workspace))
        self._is_read[workspace] = True

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget what is known to be stored of a workspace."""
        self._is_read.pop(workspace, None)
        self._stored.pop(workspace, None)

    async def _try(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await self._patience.wait(work)
        except (StoreError, TimeoutError) as error:
            logger.warning("other processes are not asked about a key", error=repr(error))

    async def _read(self, workspace: WorkspaceId) -> None:
        accounts, _rev = await self._shelf.get(workspace)
        for name, account in accounts.items():
            self._budget.learn(name, account)
        self._stored[workspace] = accounts

    async def _claim(self, workspace: WorkspaceId, fingerprint: str) -> None:
        for _ in range(TRIES):
            accounts, rev = await self._shelf.get(workspace)
            now, mine = self._budget.now(), self._budget.account(fingerprint)
            theirs = accounts.get(fingerprint, RateLimitState()).as_of(now)
            without_mine = replace(mine, probe_at=NEVER).joined(theirs)
            if without_mine.refused_until > now:
                self._budget.learn(fingerprint, theirs)
                raise RateLimitedError(without_mine.refused_until - now, is_ours=True)
            if not without_mine.is_backing_off:  # somebody was served meanwhile
                self._budget.learn(fingerprint, theirs)
                return
            if await self._put(workspace, {**accounts, fingerprint: mine.joined(theirs)}, rev):
                return

    async def _tell(self, workspace: WorkspaceId, fingerprint: str) -> None:
        try:
            await self._try(self._write(workspace, fingerprint))
        finally:
            self._telling.discard((workspace, fingerprint))

    async def _write(self, workspace: WorkspaceId, fingerprint: str) -> None:
        for _ in range(TRIES):
            accounts, rev = await self._shelf.get(workspace)
            self._stored[workspace] = accounts
            if not self._is_news(workspace, fingerprint):
                return
            mine = self._budget.account(fingerprint)
            theirs = accounts.get(fingerprint, RateLimitState())
            await self._put(workspace, {**accounts, fingerprint: mine.joined(theirs)}, rev)

    async def _put(
        self, workspace: WorkspaceId, accounts: Mapping[str, RateLimitState], rev: int
    ) -> bool:
        try:
            await self._shelf.put(workspace, accounts, if_rev=rev)
        except ConflictError:
            return False
        self._stored[workspace] = accounts
        return True

    def _is_news(self, workspace: WorkspaceId, fingerprint: str) -> bool:
        stored = self._stored.get(workspace, {}).get(fingerprint, RateLimitState())
        return is_news(self._budget.account(fingerprint), stored, self._budget.now())


USAGE_KIND = "usage"
WRITTEN_EVERY_S = 30.0
WRITTEN_AT_ONCE = 4
# Processes times keys that one workspace had within an hour; of more the rest is not counted.
MAX_READ = 200
# A workspace, and the fingerprint of a key that it uses.
Place = tuple[WorkspaceId, str]


class SharedUsage:
    """Keeps the counts of this process for an hour where the others, and its successor, read them.

    One document for each key that was used, with what the service has told of it. It is written
    at once, and what comes within 30 s after that by a later `tick`. Without the store each
    process counts for itself.
    """

    def __init__(
        self,
        documents: Documents,
        budget: RateLimiter,
        meter: UsageCounter,
        tasks: Tasks,
        *,
        clock: Callable[[], datetime],
        answered_within_s: float,
    ) -> None:
        self._documents = documents
        self._budget = budget
        self._meter = meter
        self._tasks = tasks
        self._patience = BoundedWait(answered_within_s)
        self._process = secrets.token_hex(4)
        # The seconds of the budget are those of the meter.
        self._timeline = Timeline(clock, meter.now)
        self._changed: set[Place] = set()
        # An earlier write must not come after a later one, which has counted more.
        self._turns: WeakValueDictionary[Place, asyncio.Lock] = WeakValueDictionary()
        self._is_written: TTLCache[Place, bool] = TTLCache(
            MAX_REMEMBERED, WRITTEN_EVERY_S, timer=meter.now
        )

    def count_present(self, fingerprint: str) -> None:
        """See `Meter.count_present`."""
        self._meter.count_present(fingerprint)
        if asked := current_caller():
            place = (asked[0], fingerprint)
            self._changed.add(place)
            if place not in self._is_written:
                self._begin({place})

    async def tick(self) -> None:
        """Begin to write what has changed and was not written for a while; this never waits."""
        self._begin({place for place in self._changed if place not in self._is_written})

    def stop(self) -> None:
        """Begin to write what has changed now."""
        self._begin(self._changed.copy())

    async def refresh(self, workspace: WorkspaceId) -> None:
        """Learn what the other processes have counted and were told; never raises."""
        prefix = f"{_usage_place(workspace)}/"
        try:
            documents = await self._patience.wait(
                self._documents.list_prefix(prefix, limit=MAX_READ)
            )
        except (StoreError, TimeoutError) as error:
            logger.warning("only what this process has used is counted", error=repr(error))
            return
        own = f"{prefix}{self._process}."
        self._learn(workspace, [each for each in documents if not each.key.startswith(own)])

    def _begin(self, places: set[Place]) -> None:
        self._changed -= places
        self._is_written.update(dict.fromkeys(places, True))
        if places:
            self._tasks.start(self._write_all(places))

    def _learn(self, workspace: WorkspaceId, documents: list[Document]) -> None:
        now, ahead_s = self._timeline.now(), self._timeline.ahead_s()
        others = []
        for document in documents:
            is_over = document.due_at is not None and document.due_at <= now
            known = None if is_over else decode_counted(document.value, ahead_s)
            if known:
                others.append(known[0])
                self._budget.learn(known[0].fingerprint, known[1])
        self._meter.learn(workspace, others)

    async def _write_all(self, changed: set[Place]) -> None:
        """Write some of it at once; what the store does not take is tried with the next."""
        writers = min(WRITTEN_AT_ONCE, len(changed))
        await asyncio.gather(*(self._write_some(changed) for _ in range(writers)))
        self._changed |= changed

    async def _write_some(self, changed: set[Place]) -> None:
        while changed:
            place = changed.pop()
            try:
                await self._patience.wait(self._write(*place))
            except (StoreError, TimeoutError) as error:
                logger.warning("what was used is not told to others", error=repr(error))
                return

    async def _write(self, workspace: WorkspaceId, fingerprint: str) -> None:
        async with self._turns.setdefault((workspace, fingerprint), asyncio.Lock()):
            await self._write_present(workspace, fingerprint)

    async def _write_present(self, workspace: WorkspaceId, fingerprint: str) -> None:
        counted = self._meter.counted(workspace, fingerprint)
        if not counted.minutes:
            return
        account = self._budget.account(fingerprint)
        await self._documents.put(
            f"{_usage_place(workspace)}/{self._process}.{fingerprint}",
            encode_counted(counted, account, self._timeline.ahead_s()),
            due_at=self._timeline.now() + timedelta(seconds=usage.WINDOW_S),
        )


def _usage_place(workspace: WorkspaceId) -> str:
    return f"{workspace}/{USAGE_KIND}"


# Others, who look at what is due, should not find much of this in front of theirs.
LOOK_AT = 20_000
AT_MOST = 4_000


async def forget_expired(documents: Documents, now: datetime) -> int:
    """Delete what was not written for an hour, at most 4,000 documents; return how many.

    In a database that takes a few seconds.

    Raises:
        StoreError: the store failed.
    """
    due = await documents.due_keys(now, limit=LOOK_AT)
    ours = [key for key in due if key.split("/")[1:2] in ([SHARED_KIND], [USAGE_KIND], [KIND])]
    deleted = [await _delete_if_due(documents, key, now) for key in ours[:AT_MOST]]
    return sum(deleted)


async def _delete_if_due(documents: Documents, key: str, now: datetime) -> bool:
    document = await documents.get(key)
    if document is None or document.due_at is None or document.due_at > now:
        return False
    with suppress(ConflictError):  # written anew at this moment
        return await documents.delete(key, if_rev=document.rev)
    return False


@dataclass(frozen=True, slots=True)
class SharedAllowances:
    """`budget` is for the client (its `peers`), `usage.count_present` too (its `on_sent`)."""

    budget: SharedBudget
    usage: SharedUsage

    async def refresh(self, workspace: WorkspaceId) -> None:
        """Learn what the others know, before somebody looks at it; never raises."""
        await asyncio.gather(self.budget.refresh(workspace), self.usage.refresh(workspace))

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget a workspace, which the meter has to forget too."""
        self.budget.forget(workspace)


def share_allowances(
    documents: Documents,
    budget: RateLimiter,
    meter: UsageCounter,
    tasks: Tasks,
    *,
    clock: Callable[[], datetime],
    answered_within_s: float = ANSWERED_WITHIN_S,
) -> SharedAllowances:
    """Connect them through a store, for which nobody waits longer than `answered_within_s`.

    The clocks of `budget` and `meter` are the same.
    """
    within_s = answered_within_s
    return SharedAllowances(
        SharedBudget(documents, budget, tasks, clock=clock, answered_within_s=within_s),
        SharedUsage(documents, budget, meter, tasks, clock=clock, answered_within_s=within_s),
    )
