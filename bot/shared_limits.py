"""Share the rate limit and the usage of each key between processes.

Each key has one small document in its workspace: what the last reply said, until when to wait, and
the requests of the last hour by caller. The last writer wins, so two processes may each meet one
rate-limit error: docs/decisions/0028-one-document-of-limits.md.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import structlog
from cachetools import TTLCache

from bot import claims
from bot.api_keys.models import NoKeyError
from bot.api_keys.repository import Keys
from bot.concurrency import BoundedWait, Tasks
from bot.portfolio import add_many
from bot.slack.posting import LocalBackoff
from bot.store.documents import ConflictError, Documents, StoreError, UnreadableSecretError
from bot.tracker.rate_limit import WINDOW_S, BudgetState, RateLimiter, RateLimitState, fingerprint
from bot.tracker.usage import Counts, Place, Usage, UsageCounter
from bot.workspace import Caller, Kind, WorkspaceId, current_caller

T = TypeVar("T")
logger = structlog.get_logger()
LIMITS_KIND = "budget"
HOLD_KIND = "slack-hold"
# Version 0.1 kept usage in documents of its own.
EXPIRING_KINDS = {
    *(LIMITS_KIND, HOLD_KIND, claims.KIND, add_many.KIND),
    *("usage", "digest-alert"),
}
VERSION = 1
READ_EVERY_S = 2.0
WRITTEN_EVERY_S = 30.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
TRIES = 5


@dataclass(frozen=True, slots=True)
class Allowance:
    """The state of a key's allowance, and who used it."""

    budget: BudgetState
    usage: Usage


async def _no_refresh(_workspace: WorkspaceId, _fingerprint: str) -> None:
    """This process is the only one."""


class QuotaService:
    """Returns the allowance of a workspace's key. `refresh` reads the document; never raises."""

    def __init__(
        self,
        keys: Keys,
        budget: RateLimiter,
        meter: UsageCounter,
        *,
        refresh: Callable[[WorkspaceId, str], Awaitable[object]] = _no_refresh,
    ) -> None:
        self._keys = keys
        self._budget = budget
        self._meter = meter
        self._refresh = refresh

    async def of(self, workspace: WorkspaceId) -> Allowance | None:
        """Return the allowance, `None` when there is no key that can be read.

        Raises:
            StoreError: the store failed.
        """
        try:
            known_as = fingerprint((await self._keys.stored(workspace)).secret)
        except (NoKeyError, UnreadableSecretError):
            return None
        await self._refresh(workspace, known_as)
        return Allowance(self._budget.state(known_as), self._meter.usage(workspace, known_as))


async def _ask(patience: BoundedWait, work: Coroutine[Any, Any, T]) -> T | None:
    """Return what the store answers; log it, and return `None`, when it is slow or fails."""
    try:
        return await patience.wait(work)
    except (StoreError, TimeoutError) as error:
        logger.warning("limits are not shared with other processes", error=repr(error))
        return None


class SharedHolds(LocalBackoff):
    """The waits of all processes: for each a document that is due when Slack's wait ends.

    It is read before a post, at most every two seconds. `seconds` never go back.
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
        super().__init__(clock=seconds)
        self._patience = BoundedWait(answered_within_s)
        self._is_read = TTLCache[WorkspaceId, bool](MAX_REMEMBERED, READ_EVERY_S, timer=seconds)

    async def left_s(self, workspace: WorkspaceId) -> float:
        """See `LocalBackoff.left_s`."""
        left_s = await super().left_s(workspace)
        if left_s or workspace in self._is_read:
            return left_s
        document = await _ask(self._patience, self._documents.get(f"{workspace}/{HOLD_KIND}"))
        self._is_read[workspace] = True
        if document and document.due_at:
            super().hold(workspace, (document.due_at - self._clock()).total_seconds())
        return await super().left_s(workspace)

    def hold(self, workspace: WorkspaceId, seconds: float) -> None:
        """See `LocalBackoff.hold`."""
        super().hold(workspace, seconds)
        self._tasks.start(_ask(self._patience, self._write(workspace)))

    async def _write(self, workspace: WorkspaceId) -> None:
        until = self._clock() + timedelta(seconds=await super().left_s(workspace))
        await self._documents.put(f"{workspace}/{HOLD_KIND}", {"v": VERSION}, due_at=until)


class SharedLimits:
    """Reads and writes the document of each key that the current caller uses.

    It is read before a request, at most every two seconds, and written after one: at once when a
    wait or the reserve begins or ends, else at most every 30 s. While the store fails or is slow,
    the process goes on with what it knows. `seconds` never go back.
    """

    def __init__(
        self,
        documents: Documents,
        budget: RateLimiter,
        meter: UsageCounter,
        tasks: Tasks,
        *,
        seconds: Callable[[], float] = time.monotonic,
        answered_within_s: float = ANSWERED_WITHIN_S,
    ) -> None:
        self._documents = documents
        self._budget = budget
        self._meter = meter
        self._tasks = tasks
        self._patience = BoundedWait(answered_within_s)
        self._is_read = TTLCache[Place, bool](MAX_REMEMBERED, READ_EVERY_S, timer=seconds)
        self._written = TTLCache[Place, object](MAX_REMEMBERED, WRITTEN_EVERY_S, timer=seconds)
        self._changed: set[Place] = set()
        # A document is not read while it is written: its new counts would count twice.
        self._locks = WeakValueDictionary[Place, asyncio.Lock]()

    async def before_request(self, fingerprint: str) -> None:
        """Learn what other processes have stored of a key; never raise."""
        current = current_caller()
        if current and (place := (current[0], fingerprint)) not in self._is_read:
            self._is_read[place] = True
            await self.refresh(*place)

    def after_request(self, fingerprint: str) -> None:
        """Begin to store what is known of a key, now or with a later `tick`."""
        if current := current_caller():
            place = (current[0], fingerprint)
            self._changed.add(place)
            if self._written.get(place) != self._restraints(place):
                self._begin([place])

    async def refresh(self, workspace: WorkspaceId, fingerprint: str) -> None:
        """Learn what is stored of a key now; never raise."""
        await _ask(self._patience, self._learn((workspace, fingerprint)))

    async def tick(self) -> None:
        """Begin to store what has changed and was not stored for a while; never wait."""
        self._begin([place for place in self._changed if place not in self._written])

    def stop(self) -> None:
        """Begin to store what has changed."""
        self._begin([*self._changed])

    def _restraints(self, place: Place) -> object:
        """Return what other processes have to know at once."""
        is_reserve_reached = self._budget.state(place[1]).is_reserve_reached
        return self._budget.known(place[1]).blocked_until, is_reserve_reached

    def _begin(self, places: list[Place]) -> None:
        self._changed.difference_update(places)
        self._written.update({place: self._restraints(place) for place in places})
        if places:
            self._tasks.start(self._write_all(places))

    async def _write_all(self, places: list[Place]) -> None:
        for number, place in enumerate(places, start=1):
            if not await _ask(self._patience, self._write(place)):
                self._changed.update(places[number:])
                return

    async def _write(self, place: Place) -> bool:
        async with self._lock(place):
            for _ in range(TRIES):
                rev, new = await self._read(place), self._meter.new(place)
                used = self._meter.add_to_stored(place, new)
                state = asdict(self._budget.known(place[1]))
                with suppress(ConflictError):
                    await self._documents.put(
                        _document_key(*place),
                        {"v": VERSION, "state": state, "used": _encode(used)},
                        due_at=datetime.fromtimestamp(self._budget.now() + WINDOW_S, UTC),
                        if_rev=rev,
                    )
                    self._meter.note_stored(place, new, used)
                    return True
        return False

    async def _learn(self, place: Place) -> None:
        async with self._lock(place):
            await self._read(place)

    def _lock(self, place: Place) -> asyncio.Lock:
        return self._locks.setdefault(place, asyncio.Lock())

    async def _read(self, place: Place) -> int:
        """Learn what is stored; return the document's revision, 0 for none."""
        document = await self._documents.get(_document_key(*place))
        if document and document.value.get("v") == VERSION:
            self._budget.learn(place[1], RateLimitState(**document.value["state"]))
            self._meter.learn(place, _decode(document.value["used"]))
        return document.rev if document else 0


def _document_key(workspace: WorkspaceId, fingerprint: str) -> str:
    return f"{workspace}/{LIMITS_KIND}/{fingerprint}"


def _encode(used: Counts) -> dict[str, dict[str, int]]:
    return {
        str(bucket): {f"{caller.kind.value}:{caller.subject_id}": n for caller, n in some.items()}
        for bucket, some in used.items()
    }


def _decode(used: Mapping[str, Mapping[str, int]]) -> Counts:
    return {
        int(bucket): Counter({_caller(text): n for text, n in some.items()})
        for bucket, some in used.items()
    }


def _caller(text: str) -> Caller:
    kind, _, subject_id = text.partition(":")
    return Caller(Kind(kind), subject_id)


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
    deleted = 0
    for key in [each for each in due if EXPIRING_KINDS.intersection(each.split("/")[1:2])][
        :AT_MOST
    ]:
        document = await documents.get(key)
        if document and document.due_at and document.due_at <= now:
            with suppress(ConflictError):  # written again at this moment
                deleted += await documents.delete(key, if_rev=document.rev)
    return deleted
