"""Ask Domain Tracker over HTTP. Knows nothing of Slack, storage or the time of day."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

import httpx
import stamina

from bot.tracker.budget import Budget, Purpose
from bot.tracker.calls import Call, scan_path
from bot.tracker.decode import decode_added, decode_listing, decode_scan
from bot.tracker.errors import (
    RateLimitedError,
    TimedOutError,
    UnavailableError,
)
from bot.tracker.exchange import NOT_SENT, Reply, exchange, tracker_http
from bot.tracker.headers import requests_remaining, retry_after_s
from bot.tracker.limits import DEFAULT_LIMITS, Limits
from bot.tracker.models import Added, Listing, ScanResult
from bot.tracker.peers import Alone, Peers
from bot.tracker.slots import Slots

__all__ = ["Limits", "Purpose", "Tracker", "TrackerClient", "tracker_http"]

T = TypeVar("T")
Decode = Callable[[int, Mapping[str, str], bytes], T]

# A shorter "key" is no secret, and taking it out of replies would tear them.
MIN_SECRET_CHARS = 20
# A larger body, of more than 1,300 domains, takes over 3 ms in which nothing else would run.
THREAD_BYTES = 256 * 1024
TRANSIENT = {None, 502, 503, 504}


class Tracker(Protocol):
    """Whatever knows the domains of a key. Every method may raise any `TrackerError`."""

    async def list_domains(self, key: str, *, purpose: Purpose = Purpose.PERSON) -> Listing:
        """Return every domain of the key."""
        ...

    async def add_domain(
        self,
        key: str,
        *,
        domain: str,
        domain_type: str,
        tags: Sequence[str] = (),
        folder: str | None = None,
        purpose: Purpose = Purpose.PERSON,
    ) -> Added:
        """Add a domain, once. Look at the list when the error says that its outcome is unknown."""
        ...

    async def scan(
        self, key: str, domain_id: str, *, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        """Run a full scan, once, and return what it found; it may take two minutes."""
        ...


class TrackerClient:
    """A `Tracker` that asks the service at `base_url`, whose path may be anything.

    The caller owns `http` (see `tracker_http`) and `budget`, which `peers` connects with those of
    other processes. `on_sent` learns the fingerprint of the key of each request that may have
    reached the service, repetitions too. A GET is repeated when the service was not reached,
    dropped the connection or answered 502, 503 or 504; a POST never is.

    Raises:
        ValueError: `base_url` holds a user name, which httpx would send in place of the key.
    """

    def __init__(
        self,
        http: httpx.AsyncClient,
        *,
        base_url: str,
        budget: Budget,
        limits: Limits = DEFAULT_LIMITS,
        on_sent: Callable[[str], object] = lambda _fingerprint: None,
        peers: Peers | None = None,
    ) -> None:
        if httpx.URL(base_url).userinfo:
            raise ValueError("the address of the service must hold no user name")
        self._http = http
        self._base_url = base_url.rstrip("/")
        self._budget = budget
        self._limits = limits
        self._on_sent = on_sent
        self._peers = peers or Alone()
        self._slots = Slots(wait_s=limits.slot_s)
        # Not the decorator: it logs the arguments of what it repeats, and one is the key.
        self._repeat = stamina.AsyncRetryingCaller(
            attempts=limits.attempts,
            timeout=limits.retry_within_s,
            wait_initial=limits.retry_wait_s,
            wait_jitter=limits.retry_wait_s,
        )

    async def list_domains(self, key: str, *, purpose: Purpose = Purpose.PERSON) -> Listing:
        """See `Tracker.list_domains`."""
        call = Call(key=key, purpose=purpose, deadline_s=self._limits.list_s)
        return await self._answer(call, decode_listing)

    async def add_domain(
        self,
        key: str,
        *,
        domain: str,
        domain_type: str,
        tags: Sequence[str] = (),
        folder: str | None = None,
        purpose: Purpose = Purpose.PERSON,
    ) -> Added:
        """See `Tracker.add_domain`. Without tags or folder these fields are not sent."""
        sent: dict[str, object] = {"domain": domain, "domainType": domain_type}
        if tags:
            sent["tags"] = list(tags)
        if folder:
            sent["folder"] = folder
        call = Call(key=key, purpose=purpose, deadline_s=self._limits.add_s, sent=sent)
        return await self._answer(call, decode_added)

    async def scan(
        self, key: str, domain_id: str, *, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        """See `Tracker.scan`."""
        call = Call(
            key=key,
            purpose=purpose,
            deadline_s=self._limits.scan_s,
            path=scan_path(domain_id),
            sent={"action": "full_scan"},
            is_scan=True,
        )
        return await self._answer(call, decode_scan)

    async def _answer(self, call: Call, decode: Decode[T]) -> T:
        """Return the decoded answer, if the key may be used now here and in other processes."""
        await self._peers.learn()
        is_probe = self._budget.check(call.fingerprint, call.purpose)
        if is_probe:
            await self._peers.claim_probe(call.fingerprint)
        try:
            async with self._slots.taken(is_scan=call.is_scan):
                self._budget.check_wait(call.fingerprint)
                return await self._answer_in_time(call, decode)
        finally:
            if is_probe:
                self._budget.end_probe(call.fingerprint)
            self._peers.tell(call.fingerprint)

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
        """Send the request once; let the budget learn from what comes back."""
        known_as = call.fingerprint
        request = call.request(self._http, self._base_url, connect_s=self._limits.connect_s)
        reply = await self._sent(call, request)
        if (remaining := requests_remaining(reply.headers)) is not None:
            self._budget.saw_remaining(known_as, remaining)
        try:
            answer = await _decoded(decode, reply, without=call.key)
        except RateLimitedError:
            wait_s = self._budget.saw_rate_limit(known_as, retry_after_s(reply.headers))
            raise RateLimitedError(wait_s) from None
        self._budget.saw_success(known_as)
        return answer

    async def _sent(self, call: Call, request: httpx.Request) -> Reply:
        is_sent = True
        try:
            return await exchange(self._http, request, is_write=call.is_write)
        except UnavailableError as error:
            is_sent = not isinstance(error.__cause__, NOT_SENT)
            raise
        finally:
            if is_sent:
                self._on_sent(call.fingerprint)


async def _decoded(decode: Decode[T], reply: Reply, *, without: str) -> T:
    """Decode a reply in which the service may have repeated the key."""
    body = reply.body
    if len(without) >= MIN_SECRET_CHARS:
        body = body.replace(without.encode(), b"[hidden]")
    if len(body) > THREAD_BYTES:
        return await asyncio.to_thread(decode, reply.status, reply.headers, body)
    return decode(reply.status, reply.headers, body)


def _is_worth_repeating(error: Exception) -> bool:
    is_late = isinstance(error, TimedOutError)
    return isinstance(error, UnavailableError) and not is_late and error.status in TRANSIENT
