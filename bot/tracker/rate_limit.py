"""Track how many requests each key may still make, and when. In memory; no I/O.

A key is known by its fingerprint only. The service names the requests remaining, but not the
moment of their renewal (service document, section 8): a count is forgotten after an hour.
`shared_limits.py` shares the state of a key between processes.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

import msgspec
from cachetools import LRUCache
from msgspec.structs import replace

from bot.process.backoff import backoff
from bot.process.clock import Clock, utc_now
from bot.tracker.models import RateLimitedError, ReserveReachedError

# The allowance is per hour: a count of requests remaining is valid for one.
WINDOW_S = 3600.0
# After a day a smaller allowance than before is recognised.
HIGHEST_KEPT_S = 86_400.0
# A state from a clock that is further ahead is ignored.
SKEW_S = 60.0
# One twentieth of the highest count of the last day is kept for scheduled work.
RESERVE_DIVISOR = 20
# The longest first wait after a rate-limit error; doubled with each further one.
BACK_OFF_BASE_S = 2.0
BACK_OFF_CAP_S = 300.0
# Below the reserve one request of a person per minute probes for a new allowance.
RESERVE_PROBE_S = 60.0
MAX_KEYS = 10_000


class Purpose(Enum):
    """The purpose of a request: only scheduled work may use the reserve.

    A scan of many domains goes after all others that wait for a slot. What runs in the
    background leaves half of the allowance to the others.
    """

    PERSON = "person"
    BULK = "bulk"
    SCHEDULED = "scheduled"
    BACKGROUND = "background"


def fingerprint(key: str) -> str:
    """Return a short name of a key that does not reveal it."""
    return sha256(key.encode("utf-8", errors="replace")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The present state of one key; `highest_seen` is the highest count of the last day, or 0.

    `remaining` and `age_s` are `None` without a count in the last hour, `wait_s` without a wait.
    """

    remaining: int | None = None
    age_s: float | None = None
    wait_s: float | None = None
    highest_seen: int = 0

    @property
    def reserve(self) -> int:
        """The requests kept for scheduled work; 0 for a small allowance."""
        return self.highest_seen // RESERVE_DIVISOR

    @property
    def is_reserve_reached(self) -> bool:
        return self.remaining is not None and 0 < self.reserve >= self.remaining

    @property
    def next_try_s(self) -> float:
        """The seconds until a person's request is let through, 0 for now."""
        probe_s = RESERVE_PROBE_S - (self.age_s or 0.0) if self.is_reserve_reached else 0.0
        return max(0.0, self.wait_s or 0.0, probe_s)


# From 1.0 on the moment of a count is stored by its first name.
class RateLimitState(msgspec.Struct, frozen=True, kw_only=True, rename={"reported_at": "told_at"}):
    """The stored state of one key. Moments are seconds since 1970.

    `steps` counts the rate-limit errors since the last success; it and `blocked_until`, the end
    of the wait, were last changed at `wait_at`. `probed_at`: see `_probe_reserve`.
    """

    reported_at: float = 0.0
    remaining: int | None = None
    highest: int = 0
    highest_at: float = 0.0
    wait_at: float = 0.0
    blocked_until: float = 0.0
    steps: int = 0
    probed_at: float = 0.0

    def as_of(self, now: float) -> "RateLimitState":
        """Return the state without an old highest count; nothing if its clock is far ahead."""
        if max(self.reported_at, self.wait_at) > now + SKEW_S:
            return RateLimitState()
        if self.highest_at + HIGHEST_KEPT_S <= now:
            return replace(self, highest=0, highest_at=0.0)
        return self

    def newest(self, other: "RateLimitState") -> "RateLimitState":
        """Return the later count and the later wait of the two states."""
        count = max(self, other, key=lambda each: each.reported_at)
        most = max(self, other, key=lambda each: each.highest)
        wait = max(self, other, key=lambda each: each.wait_at)
        return replace(
            wait,
            reported_at=count.reported_at,
            remaining=count.remaining,
            highest=most.highest,
            highest_at=most.highest_at,
            probed_at=max(self.probed_at, other.probed_at),
        )


class RateLimiter:
    """Limits the requests of the keys last used. `chance` returns a random number in [0, 1)."""

    def __init__(
        self, *, clock: Clock = utc_now, chance: Callable[[], float] = random.random
    ) -> None:
        self._clock = clock
        self._chance = chance
        self._states: LRUCache[str, RateLimitState] = LRUCache(MAX_KEYS)

    def now(self) -> float:
        """Return the seconds since 1970."""
        return self._clock().timestamp()

    def check(self, fingerprint: str, purpose: Purpose) -> None:
        """Allow a request now, or raise RateLimitedError: the key waits.

        Raise ReserveReachedError when a person asks and only the reserve is left, or it is work
        in the background and half of the allowance is used.
        """
        self.check_wait(fingerprint)
        known = self.state(fingerprint)
        if purpose is Purpose.BACKGROUND:
            if known.remaining is not None and 2 * known.remaining <= known.highest_seen:
                raise ReserveReachedError(WINDOW_S - (known.age_s or 0.0))
        elif purpose is not Purpose.SCHEDULED and known.is_reserve_reached:
            self._probe_reserve(fingerprint)

    def check_wait(self, fingerprint: str) -> None:
        """Raise RateLimitedError while the key waits, perhaps only since its `check`."""
        if (wait_s := self.state(fingerprint).wait_s) is not None:
            raise RateLimitedError(wait_s, is_ours=True)

    def record_remaining(self, fingerprint: str, remaining: int) -> None:
        state, now = self._present(fingerprint)
        highest, highest_at = max((state.highest, state.highest_at), (remaining, now))
        self._states[fingerprint] = replace(
            state, reported_at=now, remaining=remaining, highest=highest, highest_at=highest_at
        )

    def record_rate_limit(self, fingerprint: str, retry_after_s: float | None) -> float:
        """Record a rate-limit error; return the seconds for which the key now waits.

        The wait is the service's own, an hour at most; without one "full jitter" to 300 s:
        https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/. Requests
        refused together count as one error.
        """
        state, now = self._present(fingerprint)
        left_s = state.blocked_until - now
        steps, wait_s = state.steps, left_s
        if left_s <= 0:
            steps += 1
            wait_s = self._chance() * backoff(BACK_OFF_BASE_S, state.steps, BACK_OFF_CAP_S)
        if retry_after_s is not None:
            wait_s = max(left_s, min(retry_after_s, WINDOW_S))
        self._states[fingerprint] = replace(
            state, wait_at=now, blocked_until=now + wait_s, steps=steps
        )
        return wait_s

    def record_success(self, fingerprint: str) -> None:
        """Record a success, which ends the steps of a wait that is over."""
        state, now = self._present(fingerprint)
        if state.steps and now >= state.blocked_until:
            self._states[fingerprint] = replace(state, wait_at=now, blocked_until=0.0, steps=0)

    def known(self, fingerprint: str) -> RateLimitState:
        """Return the state of a key, for other processes to `learn`."""
        return self._states.get(fingerprint) or RateLimitState()

    def learn(self, fingerprint: str, state: RateLimitState) -> None:
        known, now = self._present(fingerprint)
        self._states[fingerprint] = known.newest(state.as_of(now))

    def state(self, fingerprint: str) -> Allowance:
        known, now = self._present(fingerprint)
        is_known = known.remaining is not None and now < known.reported_at + WINDOW_S
        return Allowance(
            remaining=known.remaining if is_known else None,
            age_s=max(0.0, now - known.reported_at) if is_known else None,
            wait_s=known.blocked_until - now if now < known.blocked_until else None,
            highest_seen=known.highest,
        )

    def _present(self, fingerprint: str) -> tuple[RateLimitState, float]:
        """Return the state of a key as of now, and now."""
        now = self.now()
        return self.known(fingerprint).as_of(now), now

    def _probe_reserve(self, fingerprint: str) -> None:
        """Let one request a minute through; a count that came with scheduled work is one too."""
        state, now = self._present(fingerprint)
        probed_at = state.probed_at if state.probed_at <= now else 0.0  # the clock was set back
        probe_at = max(state.reported_at, probed_at) + RESERVE_PROBE_S
        if now < probe_at:
            raise ReserveReachedError(probe_at - now)
        self._states[fingerprint] = replace(state, probed_at=now)
