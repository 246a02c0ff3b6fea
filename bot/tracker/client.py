"""The client of Domain Tracker's API: each policy of a call is a step of `TrackerClient._call`."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

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
from bot.tracker.http import CONNECT_S, Call, scan_path, send
from bot.tracker.models import (
    Listing,
    NewDomain,
    NoResultError,
    RateLimitedError,
    TimedOutError,
    TrackerError,
    UnavailableError,
)
from bot.tracker.rate_limit import Allowance, Purpose, fingerprint
from bot.tracker.shared_limits import SharedLimits
from bot.tracker.slots import Slots

# The limits of a whole call with all attempts.
LIST_S, ADD_S, SCAN_S = 30.0, 30.0, 120.0
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
OnCall = Callable[[str, str, float], object]


async def foreign_status(http: httpx.AsyncClient, base_url: str, limit_s: float) -> int | None:
    """Return the status with which something else answers at the service's address, or `None`.

    Raise TrackerError when nothing answers within `limit_s` at each step.
    """
    call = Call(key=NOT_A_KEY, deadline_s=limit_s)
    request = call.request(http, base_url.rstrip("/"), connect_s=limit_s)
    reply = await send(http, request)
    # Not by the status: a proxy of something else may answer 401 or 403 too.
    return None if refusal_in_text(reply.body.decode(errors="replace")) else reply.status


def outcome_of(error: BaseException | None) -> str:
    """Return a call's outcome in one word: "ok" for `None`; "broken" is a bug of the bot."""
    if error is None:
        return "ok"
    if isinstance(error, asyncio.CancelledError):
        return "cut_off"
    return error.outcome if isinstance(error, TrackerError) else "broken"


class TrackerClient:
    """The API of Domain Tracker over HTTP; its `base_url` may have any path. See `decoding.py`.

    The caller owns `http` (see `tracker_http`). `limits` are of all keys. A GET is repeated when
    the service was not reached, dropped the connection or answered 502, 503 or 504; a POST never
    is. Each call is logged in one line, without the key or the reply, and counted by `on_call`.
    """

    def __init__(
        self, http: httpx.AsyncClient, *, base_url: str, limits: SharedLimits, on_call: OnCall
    ) -> None:
        self._http = http
        self._base_url = base_url.rstrip("/")
        self._limits = limits
        self._on_call = on_call
        self._under_way: set[asyncio.Task[Any]] = set()
        self._slots = Slots()

    async def allowance(self, workspace: WorkspaceId, key: str) -> Allowance:
        return await self._limits.state(workspace, fingerprint(key))

    async def list_domains(
        self, workspace: WorkspaceId, key: str, *, purpose: Purpose = Purpose.PERSON
    ) -> Listing:
        call = Call(key=key, deadline_s=LIST_S)
        return await self._call(workspace, purpose, call, decode_listing)

    async def add_domain(self, workspace: WorkspaceId, key: str, new: NewDomain) -> None:
        sent: dict[str, object] = {"domain": new.host, "domainType": new.domain_type}
        if new.tags:
            sent["tags"] = new.tags
        if new.folder:
            sent["folder"] = new.folder
        call = Call(key=key, deadline_s=ADD_S, sent=sent)
        await self._call(workspace, Purpose.PERSON, call, decode_added)

    async def scan(
        self,
        workspace: WorkspaceId,
        key: str,
        domain_id: str,
        *,
        purpose: Purpose = Purpose.PERSON,
    ) -> dict[str, object]:
        path, sent = scan_path(domain_id), {"action": "full_scan"}
        call = Call(key=key, deadline_s=SCAN_S, path=path, sent=sent, is_scan=True)
        return await self._call(workspace, purpose, call, decode_scan)

    def cut_off(self) -> None:
        """Cancel the tasks with a call under way, which would end as if the service failed."""
        for task in self._under_way:
            task.cancel()

    def scans_ahead(self, workspace: WorkspaceId) -> int:
        """Return how many scans have to end before a new one of a workspace begins."""
        return self._slots.scans.ahead(workspace)

    async def _call(
        self, workspace: WorkspaceId, purpose: Purpose, call: Call, decode: Decode[T]
    ) -> T:
        """Return the decoded answer of a call: the log, the hour, a slot, the time, attempts."""
        key_id = fingerprint(call.key)
        with self._logged(call, purpose):
            await self._limits.before_request(workspace, key_id)
            self._limits.limiter.check(key_id, purpose)
            is_bulk = purpose is Purpose.BULK
            async with self._slots.acquire(workspace, is_scan=call.is_scan, gives_way=is_bulk):
                self._limits.limiter.check_wait(key_id)
                try:
                    async with asyncio.timeout(call.deadline_s):
                        async for attempt in stamina.retry_context(
                            _is_worth_repeating,
                            attempts=1 if call.is_write else ATTEMPTS,
                            timeout=RETRY_WITHIN_S,
                            wait_initial=RETRY_WAIT_S,
                            wait_jitter=RETRY_WAIT_S,
                        ):
                            with attempt:
                                answer = await self._send(call, key_id, decode)
                except TimeoutError as error:
                    raise TimedOutError(
                        f"no answer within {call.deadline_s:g} s", is_outcome_unknown=call.is_write
                    ) from error
                finally:
                    self._limits.after_request(workspace, key_id)
        return answer

    @contextmanager
    def _logged(self, call: Call, purpose: Purpose) -> Iterator[None]:
        """Log and count the call in the block when it ends; until then `cut_off` cancels it."""
        began, task = seconds_now(), asyncio.current_task()
        failure: BaseException | None = None
        if task:
            self._under_way.add(task)
        try:
            yield
        except BaseException as error:
            failure = error
            raise
        finally:
            if task:
                self._under_way.discard(task)
            took_s, outcome = seconds_now() - began, outcome_of(failure)
            self._on_call(call.operation, outcome, took_s)
            facts = {"purpose": purpose.value, "outcome": outcome, "took_s": round(took_s, 3)}
            logger.info("service call", operation=call.operation, **facts)

    async def _send(self, call: Call, key_id: str, decode: Decode[T]) -> T:
        """Send the request once; let the rate limiter learn from the reply."""
        limiter = self._limits.limiter
        request = call.request(self._http, self._base_url, connect_s=CONNECT_S)
        try:
            reply = await send(self._http, request)
            if (remaining := requests_remaining(reply.headers)) is not None:
                limiter.record_remaining(key_id, remaining)
            # The service may have repeated the key.
            body = reply.body.replace(call.key.encode(), b"[hidden]")
            if len(body) > THREAD_BYTES:
                answer = await asyncio.to_thread(decode, reply.status, body)
            else:
                answer = decode(reply.status, body)
        except RateLimitedError:
            wait_s = limiter.record_rate_limit(key_id, retry_after_s(reply.headers))
            raise RateLimitedError(wait_s) from None
        except NoResultError as error:
            error.is_outcome_unknown = error.is_outcome_unknown and call.is_write
            raise
        limiter.record_success(key_id)
        return answer


def _is_worth_repeating(error: Exception) -> bool:
    is_late = isinstance(error, TimedOutError)
    return isinstance(error, UnavailableError) and not is_late and error.status in TRANSIENT
