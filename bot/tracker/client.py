"""The client of Domain Tracker's API: rate-limited, logged, measured."""

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import httpx
import stamina
import structlog

from bot.process.clock import seconds_now
from bot.process.workspace import WorkspaceId
from bot.tracker.decoding import (
    decode_added,
    decode_listing,
    decode_scan,
    requests_remaining,
    retry_after_s,
)
from bot.tracker.error_messages import refusal_in_text
from bot.tracker.http import CONNECT_S, Call, Reply, scan_path, send
from bot.tracker.models import (
    Listing,
    NewDomain,
    RateLimitedError,
    ScanResult,
    TimedOutError,
    TrackerError,
    UnavailableError,
)
from bot.tracker.rate_limit import Purpose, RateLimiter
from bot.tracker.slots import Slots

# The limits of a whole call with all attempts, and of the wait for a place among the requests
# before that; a scan waits for one up to `SCAN_S`.
LIST_S, ADD_S, SCAN_S, SLOT_S = 30.0, 30.0, 120.0, 60.0
RETRY_WAIT_S = 0.25
# No key by form and length: service document, section 2.1.
NOT_A_KEY = "doctor"
T = TypeVar("T")
Decode = Callable[[int, bytes], T]
# A larger body, of more than 1,300 domains, would block the loop for over 3 ms.
THREAD_BYTES = 256 * 1024
TRANSIENT = {None, 502, 503, 504}
ATTEMPTS, RETRY_WITHIN_S = 3, 20.0
logger = structlog.get_logger()
# (operation, outcome, seconds): "list", "add" or "scan"; for the outcome see `outcome_of`.
Note = Callable[[str, str, float], object]


async def foreign_status(http: httpx.AsyncClient, base_url: str, limit_s: float) -> int | None:
    """Return the status with which something else answers at the address of the service.

    `None`: it is the service, by its message about an invalid key. Raise TrackerError when
    nothing answers within `limit_s` at each step.
    """
    call = Call(key=NOT_A_KEY, purpose=Purpose.PERSON, deadline_s=limit_s)
    request = call.request(http, base_url.rstrip("/"), connect_s=limit_s)
    reply = await send(http, request, is_write=False)
    # Not by the status: a proxy of something else may answer 401 or 403 too.
    return None if refusal_in_text(reply.body.decode(errors="replace")) else reply.status


def outcome_of(error: BaseException | None) -> str:
    """Return the outcome of a call in one word: "ok" for `None`.

    "broken" is a bug of the bot. "held_back" and "reserve_reached" were not sent.
    """
    if error is None:
        return "ok"
    if isinstance(error, asyncio.CancelledError):
        return "cut_off"
    return error.outcome if isinstance(error, TrackerError) else "broken"


class SharesLimits(Protocol):
    """Shares the rate limit of keys with other processes; neither method raises."""

    async def before_request(self, place: tuple[WorkspaceId, str]) -> None:
        """Learn what others know of the key with this fingerprint."""

    def after_request(self, place: tuple[WorkspaceId, str]) -> None:
        """Begin to share what is known of it."""


class TrackerClient:
    """The API of Domain Tracker over HTTP; its `base_url` may have any path. See `decoding.py`.

    The caller owns `http` (see `tracker_http`) and `budget`. `quotas` shares it
    with other processes, `None` where there are none. A GET is repeated when the service
    was not reached, dropped the connection or answered 502, 503 or 504; a POST never is.

    Each call is logged in one line, without the key or the reply, and counted by `note`.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        base_url: str,
        budget: RateLimiter,
        quotas: SharesLimits | None = None,
        note: Note = lambda _operation, _outcome, _took_s: None,
    ) -> None:
        self._http = http
        self._base_url = base_url.rstrip("/")
        self._budget = budget
        self._quotas = quotas
        self._note = note
        self._under_way: set[asyncio.Task[Any]] = set()
        self._slots = Slots(wait_s=SLOT_S, scan_wait_s=SCAN_S)
        # Not the decorator, which logs the arguments: one is the key.
        self._repeat = stamina.AsyncRetryingCaller(
            attempts=ATTEMPTS,
            timeout=RETRY_WITHIN_S,
            wait_initial=RETRY_WAIT_S,
            wait_jitter=RETRY_WAIT_S,
        )

    async def list_domains(
        self,
        key: str,
        *,
        workspace: WorkspaceId | None = None,
        purpose: Purpose = Purpose.PERSON,
    ) -> Listing:
        call = Call(key=key, purpose=purpose, deadline_s=LIST_S, workspace=workspace)
        return await self._answer(call, decode_listing)

    async def add_domain(
        self, key: str, new: NewDomain, *, workspace: WorkspaceId | None = None
    ) -> None:
        """Send a domain once. Without tags or folder these fields are not sent."""
        sent: dict[str, object] = {"domain": new.host, "domainType": new.domain_type}
        if new.tags:
            sent["tags"] = new.tags
        if new.folder:
            sent["folder"] = new.folder
        call = Call(
            key=key, purpose=Purpose.PERSON, deadline_s=ADD_S, sent=sent, workspace=workspace
        )
        await self._answer(call, decode_added)

    async def scan(
        self,
        key: str,
        domain_id: str,
        *,
        workspace: WorkspaceId | None = None,
        purpose: Purpose = Purpose.PERSON,
    ) -> ScanResult:
        call = Call(
            key=key,
            purpose=purpose,
            deadline_s=SCAN_S,
            path=scan_path(domain_id),
            sent={"action": "full_scan"},
            is_scan=True,
            workspace=workspace,
        )
        return await self._answer(call, decode_scan)

    def cut_off(self) -> None:
        """Cancel the tasks with a call under way, which would end as if the service failed."""
        for task in self._under_way:
            task.cancel()

    async def _answer(self, call: Call, decode: Decode[T]) -> T:
        """Return the decoded answer; log and count the call."""
        began = seconds_now()
        failure: BaseException | None = None
        if task := asyncio.current_task():
            self._under_way.add(task)
        try:
            return await self._allowed(call, decode)
        except BaseException as error:
            failure = error
            raise
        finally:
            if task:
                self._under_way.discard(task)
            took_s, outcome = seconds_now() - began, outcome_of(failure)
            self._note(call.operation, outcome, took_s)
            logger.info(
                "service call",
                operation=call.operation,
                purpose=call.purpose.value,
                outcome=outcome,
                took_s=round(took_s, 3),
            )

    def scans_ahead(self, workspace: WorkspaceId) -> int:
        """Return how many scans have to end before a new one of a workspace begins."""
        return self._slots.scans_ahead(str(workspace))

    async def _allowed(self, call: Call, decode: Decode[T]) -> T:
        """Return the decoded answer; raise when the rate limit allows no request now."""
        if self._quotas and call.workspace:
            await self._quotas.before_request((call.workspace, call.fingerprint))
        self._budget.check(call.fingerprint, call.purpose)
        owner = str(call.workspace or call.fingerprint)
        async with self._slots.acquire(owner, is_scan=call.is_scan):
            self._budget.check_wait(call.fingerprint)
            try:
                return await self._answer_in_time(call, decode)
            finally:
                if self._quotas and call.workspace:
                    self._quotas.after_request((call.workspace, call.fingerprint))

    async def _answer_in_time(self, call: Call, decode: Decode[T]) -> T:
        """Return the decoded answer within the call's limits."""
        try:
            async with asyncio.timeout(call.deadline_s):
                if call.is_write:
                    return await self._attempt(call, decode)
                return await self._repeat(_is_worth_repeating, self._attempt, call, decode)
        except TimeoutError as error:
            raise TimedOutError(
                f"no answer within {call.deadline_s:g} s", is_outcome_unknown=call.is_write
            ) from error

    async def _attempt(self, call: Call, decode: Decode[T]) -> T:
        """Send the request once; let the budget learn from the reply."""
        known_as = call.fingerprint
        request = call.request(self._http, self._base_url, connect_s=CONNECT_S)
        reply = await send(self._http, request, is_write=call.is_write)
        if (remaining := requests_remaining(reply.headers)) is not None:
            self._budget.record_remaining(known_as, remaining)
        try:
            answer = await _decoded(decode, reply, without=call.key)
        except RateLimitedError:
            wait_s = self._budget.record_rate_limit(known_as, retry_after_s(reply.headers))
            raise RateLimitedError(wait_s) from None
        self._budget.record_success(known_as)
        return answer


async def _decoded(decode: Decode[T], reply: Reply, *, without: str) -> T:
    """Decode a reply in which the service may have repeated the key."""
    body = reply.body.replace(without.encode(), b"[hidden]")
    if len(body) > THREAD_BYTES:
        return await asyncio.to_thread(decode, reply.status, body)
    return decode(reply.status, body)


def _is_worth_repeating(error: Exception) -> bool:
    is_late = isinstance(error, TimedOutError)
    return isinstance(error, UnavailableError) and not is_late and error.status in TRANSIENT
