"""A tracker each call of which leaves one line in the log, and is measured."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import structlog

from bot.tracker.budget import Purpose
from bot.tracker.client import Tracker
from bot.tracker.errors import (
    InsufficientPermissionsError,
    InvalidKeyError,
    IpNotAllowedError,
    RateLimitedError,
    RejectedError,
    ReplyTooLargeError,
    ReserveReachedError,
    TimedOutError,
    UnavailableError,
    UnreadableReplyError,
)
from bot.tracker.models import Added, Listing, ScanResult

logger = structlog.get_logger()

T = TypeVar("T")

# (operation, outcome, seconds): "list", "add" or "scan"; for the outcome see `outcome_of`.
Note = Callable[[str, str, float], object]

# The first that fits counts: a time-out is an UnavailableError too.
_OUTCOMES: tuple[tuple[type[BaseException], str], ...] = (
    (InvalidKeyError, "invalid_key"),
    (InsufficientPermissionsError, "insufficient_scope"),
    (IpNotAllowedError, "ip_not_allowed"),
    (RateLimitedError, "rate_limited"),
    (ReserveReachedError, "reserve_reached"),
    (RejectedError, "rejected"),
    (UnreadableReplyError, "unreadable"),
    (ReplyTooLargeError, "too_large"),
    (TimedOutError, "timed_out"),
    (UnavailableError, "unavailable"),
    (asyncio.CancelledError, "cut_off"),
)


def outcome_of(error: BaseException | None) -> str:
    """Return in one word how a call has ended: "ok" for `None`.

    "broken" is what is no TrackerError: a mistake of ours. "held_back" and "reserve_reached"
    were not sent at all, by our own rules.
    """
    if error is None:
        return "ok"
    if isinstance(error, RateLimitedError) and error.is_ours:
        return "held_back"
    return next((word for kind, word in _OUTCOMES if isinstance(error, kind)), "broken")


class MeasuredTracker:
    """A `Tracker` that logs and measures each call of another one, and changes nothing else.

    The line carries what the context is bound to: the request of whoever asked, or the digest.
    A list that several wait for is logged with whoever asked first. It holds neither the key nor
    anything of the reply.
    """

    def __init__(self, wrapped: Tracker, note: Note) -> None:
        self._wrapped = wrapped
        self._note = note
        self._under_way: set[asyncio.Task[Any]] = set()

    def cut_off(self) -> None:
        """Cancel the tasks whose calls are under way: nobody waits for them any more.

        Else they would end with the line to the service, and look as if that had failed.
        """
        for task in self._under_way:
            task.cancel()

    async def list_domains(self, key: str, *, purpose: Purpose = Purpose.PERSON) -> Listing:
        """See `Tracker.list_domains`."""
        return await self._measured(
            "list", purpose, self._wrapped.list_domains(key, purpose=purpose)
        )

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
        """See `Tracker.add_domain`."""
        call = self._wrapped.add_domain(
            key, domain=domain, domain_type=domain_type, tags=tags, folder=folder, purpose=purpose
        )
        return await self._measured("add", purpose, call)

    async def scan(
        self, key: str, domain_id: str, *, purpose: Purpose = Purpose.PERSON
    ) -> ScanResult:
        """See `Tracker.scan`."""
        return await self._measured(
            "scan", purpose, self._wrapped.scan(key, domain_id, purpose=purpose)
        )

    async def _measured(self, operation: str, purpose: Purpose, call: Awaitable[T]) -> T:
        began = time.perf_counter()
        failure: BaseException | None = None
        if task := asyncio.current_task():
            self._under_way.add(task)
        try:
            return await call
        except BaseException as error:
            failure = error
            raise
        finally:
            if task:
                self._under_way.discard(task)
            took_s, outcome = time.perf_counter() - began, outcome_of(failure)
            self._note(operation, outcome, took_s)
            logger.info(
                "service call",
                operation=operation,
                purpose=purpose.value,
                outcome=outcome,
                took_s=round(took_s, 3),
            )
