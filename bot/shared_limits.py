"""Share the rate limit and the usage of each key between processes.

Each key has one small document in its workspace: what the last reply said, until when to wait, and
the requests of the last hour by caller. The last writer wins, so two processes may each meet one
rate-limit error: docs/decisions/0016-rate-limits-of-an-api-key.md.
"""

import time
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

import structlog
from cachetools import TTLCache

from bot.api_keys.key_record import NoKeyError
from bot.api_keys.repository import Keys
from bot.concurrency import BoundedWait, Tasks
from bot.store.documents import (
    Document,
    Documents,
    StoreError,
    UnreadableSecretError,
    Write,
    update,
)
from bot.tracker.rate_limit import WINDOW_S, BudgetState, RateLimiter, RateLimitState, fingerprint
from bot.workspace import Caller, Kind, WorkspaceId, current_caller

T = TypeVar("T")
logger = structlog.get_logger()
LIMITS_KIND = "budget"
VERSION = 1
READ_EVERY_S = 2.0
ANSWERED_WITHIN_S = 1.0
MAX_REMEMBERED = 20_000
# One count for each five minutes, not one for each request.
BUCKET_S = 300.0
# A workspace, and the fingerprint of a key that it uses.
Place = tuple[WorkspaceId, str]
# Requests by the number of the five minutes and the caller.
Counts = Counter[tuple[int, Caller]]


@dataclass(frozen=True, slots=True)
class Usage:
    """The requests made with a key in the last `span_s` seconds: an hour, or since the start.

    `shares` are callers and their requests, the most first.
    """

    span_s: float = 0.0
    shares: tuple[tuple[Caller, int], ...] = ()

    @property
    def total(self) -> int:
        return sum(requests for _, requests in self.shares)


@dataclass(frozen=True, slots=True)
class Allowance:
    """The state of a key's allowance, and who used it."""

    budget: BudgetState
    usage: Usage


class QuotaService:
    """Counts requests by key and caller, and shares that and the budget with other processes.

    The document of a key is read before a request, at most every two seconds, and written after
    one, in the background. While the store fails or is slow, the process goes on with what it
    knows. `seconds` never go back.
    """

    def __init__(
        self,
        documents: Documents,
        keys: Keys,
        budget: RateLimiter,
        tasks: Tasks,
        *,
        seconds: Callable[[], float] = time.monotonic,
        answered_within_s: float = ANSWERED_WITHIN_S,
        on_sent: Callable[[], object] = lambda: None,
    ) -> None:
        self._documents = documents
        self._on_sent = on_sent
        self._keys = keys
        self._budget = budget
        self._tasks = tasks
        self._patience = BoundedWait(answered_within_s)
        self._started_at = budget.now()
        self._is_read = TTLCache[Place, bool](MAX_REMEMBERED, READ_EVERY_S, timer=seconds)
        self._stored = TTLCache[Place, Counts](MAX_REMEMBERED, WINDOW_S, timer=budget.now)
        self._new = TTLCache[Place, Counts](MAX_REMEMBERED, WINDOW_S, timer=budget.now)

    async def of(self, workspace: WorkspaceId) -> Allowance | None:
        """Return the allowance, `None` without a key that can be read; raise StoreError."""
        try:
            known_as = fingerprint((await self._keys.stored(workspace)).secret)
        except (NoKeyError, UnreadableSecretError):
            return None
        await self._ask(self._read((workspace, known_as)))
        return Allowance(self._budget.state(known_as), self.usage((workspace, known_as)))

    def count(self, fingerprint: str) -> None:
        """Count one request of the current caller, if there is one."""
        self._on_sent()
        if current := current_caller():
            bucket = int(self._budget.now() // BUCKET_S)
            place = (current[0], fingerprint)
            self._new[place] = self._new.get(place, Counts()) + Counts([(bucket, current[1])])

    async def before_request(self, fingerprint: str) -> None:
        """Learn what other processes have stored of a key; never raise."""
        current = current_caller()
        if current and (place := (current[0], fingerprint)) not in self._is_read:
            self._is_read[place] = True
            await self._ask(self._read(place))

    def after_request(self, fingerprint: str) -> None:
        """Begin to store what is known of a key, if a request was sent."""
        if (current := current_caller()) and (current[0], fingerprint) in self._new:
            self._tasks.start(self._ask(self._write((current[0], fingerprint))))

    def forget(self, workspace: WorkspaceId) -> None:
        """Forget everything of a workspace in this process."""
        for place in [each for each in (*self._new, *self._stored) if each[0] == workspace]:
            self._new.pop(place, None)
            self._stored.pop(place, None)

    async def _ask(self, work: Coroutine[Any, Any, object]) -> None:
        """Wait for the store; log it when it is slow or fails."""
        try:
            await self._patience.wait(work)
        except (StoreError, TimeoutError) as error:
            logger.warning("limits are not shared with other processes", error=repr(error))

    def usage(self, place: Place) -> Usage:
        """Return the usage of a key in the last hour, to five minutes."""
        counts = self._recent(self._stored.get(place, Counts()) + self._new.get(place, Counts()))
        totals = Counter[Caller]()
        for (_, caller), requests in counts.items():
            totals[caller] += requests
        since = min([self._started_at, *(bucket * BUCKET_S for bucket, _ in counts)])
        return Usage(min(WINDOW_S, self._budget.now() - since), tuple(totals.most_common()))

    def _recent(self, counts: Counts) -> Counts:
        oldest = (self._budget.now() - WINDOW_S) // BUCKET_S
        return Counts({used: n for used, n in counts.items() if used[0] > oldest})

    async def _write(self, place: Place) -> None:
        new = Counts()

        def added(document: Document | None) -> Write | None:
            nonlocal new
            self._learn(place, document)
            new = self._new.get(place, Counts())
            used = self._recent(self._stored.get(place, Counts()) + new)
            state = asdict(self._budget.known(place[1]))
            value = {"v": VERSION, "state": state, "used": _encode(used)}
            due_at = datetime.fromtimestamp(self._budget.now() + WINDOW_S, UTC)
            return Write(value, due_at) if new else None  # an earlier write has stored them

        self._learn(place, await update(self._documents, _document_key(*place), added))
        if left := self._new.pop(place, Counts()) - new:
            self._new[place] = left

    async def _read(self, place: Place) -> None:
        self._learn(place, await self._documents.get(_document_key(*place)))

    def _learn(self, place: Place, document: Document | None) -> None:
        if document and document.value.get("v") == VERSION:
            with suppress(AttributeError, LookupError, TypeError, ValueError):  # it is replaced
                self._budget.learn(place[1], RateLimitState(**document.value["state"]))
                self._stored[place] = _decode(document.value["used"])


def _document_key(workspace: WorkspaceId, fingerprint: str) -> str:
    return f"{workspace}/{LIMITS_KIND}/{fingerprint}"


def _encode(used: Counts) -> dict[str, dict[str, int]]:
    stored: dict[str, dict[str, int]] = {}
    for (bucket, caller), requests in used.items():
        stored.setdefault(str(bucket), {})[f"{caller.kind.value}:{caller.subject_id}"] = requests
    return stored


def _decode(used: Mapping[str, Mapping[str, int]]) -> Counts:
    return Counts(
        {
            (int(bucket), _caller(text)): n
            for bucket, some in used.items()
            for text, n in some.items()
        }
    )


def _caller(text: str) -> Caller:
    kind, _, subject_id = text.partition(":")
    return Caller(Kind(kind), subject_id)
