"""How many requests each key may still make, and when. In memory; no input or output.

A key is known by its fingerprint only. The service tells the requests remaining, but not when
they are renewed (service document, section 8): therefore nothing here counts down or waits for a
full hour, it forgets and tries.
"""

import random
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from hashlib import sha256

from bot.tracker.errors import RateLimitedError, ReserveReachedError

# The ceiling of the first wait after a rate-limit error; it doubles with each further one.
BACK_OFF_BASE_S = 2.0
BACK_OFF_CAP_S = 300.0
# The allowance is per hour: after one, whatever was known or asked for is out of date.
WINDOW_S = 3600.0
# After a wait only one request goes ahead; the others follow its success, or this much later.
PROBE_S = 5.0
# One twentieth of the highest count ever seen is kept for scheduled work.
RESERVE_DIVISOR = 20
# Below the reserve one request of a person per minute finds out whether the window is over.
RESERVE_PROBE_S = 60.0


class Purpose(Enum):
    """For whom a request is made: scheduled work may use the reserve, a person may not."""

    PERSON = "person"
    SCHEDULED = "scheduled"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """What is known of one key at the moment of asking.

    `remaining` and `told_ago_s` are `None` when the service has not told within the last hour.
    `wait_s` is `None` when nothing is being waited for. `highest_seen` is the most requests that
    were ever told to remain, 0 before the first.
    """

    remaining: int | None = None
    told_ago_s: float | None = None
    wait_s: float | None = None
    highest_seen: int = 0

    @property
    def reserve(self) -> int:
        """How many requests are kept for scheduled work; 0: none are, the allowance is small."""
        return self.highest_seen // RESERVE_DIVISOR

    @property
    def is_reserve_reached(self) -> bool:
        """Whether the requests remaining are all kept for scheduled work."""
        return bool(self.reserve) and self.remaining is not None and self.remaining <= self.reserve


@dataclass(slots=True)
class _Account:
    remaining: int | None = None
    seen_at: float = 0.0
    highest_seen: int = 0
    rate_limits: int = 0  # rate-limit errors without a success between them
    blocked_until: float = 0.0
    probe_until: float = 0.0
    reserve_probed_at: float = 0.0


def fingerprint(key: str) -> str:
    """Return a short name of a key that does not give it away."""
    return sha256(key.encode("utf-8", errors="replace")).hexdigest()[:16]


class Budget:
    """The request allowance of every key, of which it remembers the `max_keys` last used.

    `clock` returns seconds that never go back; `chance` a random number in [0, 1).
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
        max_keys: int = 10_000,
    ) -> None:
        self._clock = clock
        self._chance = chance
        self._max_keys = max_keys
        self._accounts: OrderedDict[str, _Account] = OrderedDict()

    def check(self, fingerprint: str, purpose: Purpose) -> None:
        """Return when a request may be made now, and count it as under way.

        Raises:
            RateLimitedError: the key waits after a rate-limit error, or the first request after
                such a wait is still under way.
            ReserveReachedError: the purpose is a person's, and only the reserve is left.
        """
        now, account = self._clock(), self._account(fingerprint)
        _refuse_until(max(account.blocked_until, account.probe_until), now)
        if purpose is Purpose.PERSON:
            _check_reserve(account, now)
        if account.rate_limits:
            account.probe_until = now + PROBE_S

    def check_wait(self, fingerprint: str) -> None:
        """Raise a `RateLimitedError` when the key has come to wait since its `check`."""
        _refuse_until(self._account(fingerprint).blocked_until, self._clock())

    def saw_remaining(self, fingerprint: str, remaining: int) -> None:
        """Record the requests remaining that a reply told."""
        account = self._account(fingerprint)
        account.remaining, account.seen_at = remaining, self._clock()
        account.highest_seen = max(account.highest_seen, remaining)

    def saw_rate_limit(self, fingerprint: str, retry_after_s: float | None) -> float:
        """Record a rate-limit error; return the seconds for which the key now waits.

        The wait is what the service asked for, an hour at most; without that, random between 0
        and a ceiling that doubles with each error from 2 s to 300 s ("full jitter", see
        https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
        """
        now, account = self._clock(), self._account(fingerprint)
        if now >= account.blocked_until:  # else one of several refused together: one step only
            wait_s = self._chance() * _ceiling_s(account.rate_limits)
            account.blocked_until = now + (wait_s if retry_after_s is None else 0.0)
            account.rate_limits += 1
            account.probe_until = 0.0
        if retry_after_s is not None:
            asked_until = now + min(retry_after_s, WINDOW_S)
            account.blocked_until = max(account.blocked_until, asked_until)
        return account.blocked_until - now

    def saw_success(self, fingerprint: str) -> None:
        """Record that the service served the key: the next wait is a short one again."""
        account = self._account(fingerprint)
        if self._clock() >= account.blocked_until:  # else it was sent before the error
            account.rate_limits, account.probe_until = 0, 0.0

    def end_probe(self, fingerprint: str) -> None:
        """Record that the first request after a wait is over: whatever it met, others may go."""
        self._account(fingerprint).probe_until = 0.0

    def state(self, fingerprint: str) -> BudgetState:
        """Return what is known of a key."""
        now, account = self._clock(), self._accounts.get(fingerprint, _Account())
        remaining = _known_remaining(account, now)
        return BudgetState(
            remaining=remaining,
            told_ago_s=None if remaining is None else now - account.seen_at,
            wait_s=account.blocked_until - now if now < account.blocked_until else None,
            highest_seen=account.highest_seen,
        )

    def _account(self, fingerprint: str) -> _Account:
        account = self._accounts.setdefault(fingerprint, _Account())
        self._accounts.move_to_end(fingerprint)
        if len(self._accounts) > self._max_keys:
            self._accounts.popitem(last=False)
        return account


def _refuse_until(moment: float, now: float) -> None:
    if now < moment:
        raise RateLimitedError(moment - now, is_ours=True)


def _check_reserve(account: _Account, now: float) -> None:
    remaining = _known_remaining(account, now)
    known = BudgetState(remaining=remaining, highest_seen=account.highest_seen)
    if not known.is_reserve_reached:
        return
    # Scheduled work that went through since tells as much as a probe.
    probe_at = max(account.seen_at, account.reserve_probed_at) + RESERVE_PROBE_S
    if now < probe_at:
        raise ReserveReachedError(probe_at - now)
    account.reserve_probed_at = now


def _known_remaining(account: _Account, now: float) -> int | None:
    return account.remaining if now < account.seen_at + WINDOW_S else None


def _ceiling_s(rate_limits: int) -> float:
    doubled: float = BACK_OFF_BASE_S * 2 ** min(rate_limits, 16)  # 16: past any cap
    return min(BACK_OFF_CAP_S, doubled)
