"""Track how many requests each key may still make, and when. In memory; no I/O.

A key is known by its fingerprint only. The service tells the requests remaining, but not when
they are renewed (service document, section 8): therefore nothing here counts down or waits for a
full hour, it forgets and tries. What other processes know can be learned: see `shared_limits.py`.
"""

import random
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from hashlib import sha256
from math import inf
from typing import Protocol

from bot.tracker.models import RateLimitedError, ReserveReachedError


class Peers(Protocol):
    """What the budgets of several processes tell each other of a key, known by its fingerprint.

    No method raises anything but what it says: who cannot reach the others goes on alone.
    """

    async def learn(self) -> None:
        """Before a request: take in what the others have met with the keys of whoever asks."""
        ...

    async def claim_probe(self, fingerprint: str) -> None:
        """Return when this process may go ahead after a wait, which its budget has noted.

        Raises:
            RateLimitedError: another process has gone ahead, or has come to wait anew.
        """
        ...

    def tell(self, fingerprint: str) -> None:
        """After a request: let the others know what matters to them. Never waits."""
        ...


class Alone:
    """The `Peers` of the only process."""

    async def learn(self) -> None:
        """See `Peers.learn`."""

    async def claim_probe(self, fingerprint: str) -> None:
        """See `Peers.claim_probe`."""

    def tell(self, fingerprint: str) -> None:
        """See `Peers.tell`."""


NEVER = -inf
# The allowance is per hour: after one, whatever was known or asked for is out of date.
WINDOW_S = 3600.0
# After a wait only one request goes ahead; the others follow its success, or this much later.
PROBE_S = 5.0
# A smaller allowance than before is known as such after a day, and not never.
HIGHEST_KEPT_S = 86_400.0
# What follows something is told apart from it, also where moments are kept as milliseconds.
INSTANT_S = 0.001
# What another's clock says that is further ahead is not believed.
SKEW_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimitState:
    """What is known of one key.

    Nothing in it is ever taken back: each event makes some field later or more. So `joined` may
    be done with what others know in any order, and any number of times.

    `remaining` is `None` before `told_at`. The key waits until `blocked_until`, after so many
    `rate_limits` without a success between them; `served_at` is when a success ended a wait.
    `probe_at` is when a request went ahead after a wait, `settled_at` when the last was over.
    """

    told_at: float = NEVER
    remaining: int | None = None
    highest: int = 0
    highest_at: float = NEVER
    blocked_until: float = NEVER
    rate_limits: int = 0
    served_at: float = NEVER
    probe_at: float = NEVER
    settled_at: float = NEVER

    @property
    def is_backing_off(self) -> bool:
        """Whether nothing was served since the last rate-limit error."""
        return self.served_at < self.blocked_until

    @property
    def steps(self) -> int:
        """How many rate-limit errors there were since the last success."""
        return self.rate_limits if self.is_backing_off else 0

    @property
    def refused_until(self) -> float:
        """Until when nothing is sent: for the wait, or for a request that went ahead."""
        is_probing = self.is_backing_off and self.settled_at < self.probe_at
        return max(self.blocked_until, self.probe_at + PROBE_S if is_probing else NEVER)

    def known_remaining(self, now: float) -> int | None:
        """Return the requests remaining, unless they were told an hour ago."""
        return self.remaining if now < self.told_at + WINDOW_S else None

    def told(self, remaining: int, now: float) -> "RateLimitState":
        """Return the same after a reply has told the requests remaining."""
        highest, highest_at = max((self.highest, self.highest_at), (remaining, now))
        return replace(
            self, told_at=now, remaining=remaining, highest=highest, highest_at=highest_at
        )

    def limited(self, wait_s: float, now: float) -> "RateLimitState":
        """Return the same after a rate-limit error; several refused together are one step."""
        until = max(now + wait_s, self.served_at + INSTANT_S)
        if now < self.blocked_until:
            return replace(self, blocked_until=max(until, self.blocked_until))
        return replace(self, blocked_until=until, rate_limits=self.steps + 1, settled_at=now)

    def served(self, now: float) -> "RateLimitState":
        """Return the same after a success; one that was sent before the error ends no wait."""
        if not self.is_backing_off or now < self.blocked_until:
            return self
        return replace(self, served_at=now)

    def ahead(self, now: float) -> "RateLimitState":
        """Return the same after a request went ahead of the others."""
        return replace(self, probe_at=max(now, self.settled_at + INSTANT_S))

    def settled(self, now: float) -> "RateLimitState":
        """Return the same after the request that went ahead is over."""
        return replace(self, settled_at=max(now, self.probe_at, self.settled_at))

    def joined(self, other: "RateLimitState") -> "RateLimitState":
        """Return what both know together."""
        told_at, less = max(_told(self), _told(other))
        highest, highest_at = max(
            (self.highest, self.highest_at), (other.highest, other.highest_at)
        )
        blocked_until, rate_limits = max(
            (self.blocked_until, self.rate_limits), (other.blocked_until, other.rate_limits)
        )
        return RateLimitState(
            told_at=told_at,
            remaining=None if told_at == NEVER else -less,
            highest=highest,
            highest_at=highest_at,
            blocked_until=blocked_until,
            rate_limits=rate_limits,
            served_at=max(self.served_at, other.served_at),
            probe_at=max(self.probe_at, other.probe_at),
            settled_at=max(self.settled_at, other.settled_at),
        )

    def as_of(self, now: float) -> "RateLimitState":
        """Return what of it is not out of date, and is believed of one whose clock is ahead."""
        highest_at = _past(self.highest_at, now)
        is_old = highest_at + HIGHEST_KEPT_S <= now
        is_possible = self.blocked_until <= now + WINDOW_S + SKEW_S
        return replace(
            self,
            told_at=_past(self.told_at, now),
            highest=0 if is_old else self.highest,
            highest_at=NEVER if is_old else highest_at,
            blocked_until=min(self.blocked_until, now + WINDOW_S) if is_possible else NEVER,
            served_at=_past(self.served_at, now),
            probe_at=_past(self.probe_at, now + INSTANT_S),
            settled_at=_past(self.settled_at, now + INSTANT_S),
        )

    def moved(self, by_s: float) -> "RateLimitState":
        """Return the same by a clock that shows `by_s` more."""
        return replace(
            self,
            told_at=self.told_at + by_s,
            highest_at=self.highest_at + by_s,
            blocked_until=self.blocked_until + by_s,
            served_at=self.served_at + by_s,
            probe_at=self.probe_at + by_s,
            settled_at=self.settled_at + by_s,
        )


def _told(account: RateLimitState) -> tuple[float, int]:
    """The latest count; of two at once the lower, as both requests were made."""
    return account.told_at, -(account.remaining or 0)


def _past(moment: float, now: float) -> float:
    return min(moment, now) if moment <= now + SKEW_S else NEVER


# One twentieth of the highest count of the last day is kept for scheduled work.
RESERVE_DIVISOR = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetState:
    """What is known of one key at the moment of asking.

    `remaining` and `told_ago_s` are `None` when the service has not told within the last hour.
    `wait_s` is `None` when nothing is being waited for. `highest_seen` is the most requests that
    were told to remain, 0 when that was a day ago or never.
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


def state_of(account: RateLimitState, now: float) -> BudgetState:
    """Return what is known of a key at the moment `now`."""
    known = account.as_of(now)
    remaining = known.known_remaining(now)
    return BudgetState(
        remaining=remaining,
        told_ago_s=None if remaining is None else now - known.told_at,
        wait_s=known.blocked_until - now if now < known.blocked_until else None,
        highest_seen=known.highest,
    )


# The ceiling of the first wait after a rate-limit error; it doubles with each further one.
BACK_OFF_BASE_S = 2.0
BACK_OFF_CAP_S = 300.0
# Below the reserve one request of a person per minute finds out whether the window is over.
RESERVE_PROBE_S = 60.0


class Purpose(Enum):
    """For whom a request is made: scheduled work may use the reserve, a person may not."""

    PERSON = "person"
    SCHEDULED = "scheduled"


@dataclass(slots=True)
class _Entry:
    account: RateLimitState = field(default_factory=RateLimitState)
    reserve_probed_at: float = 0.0


def fingerprint(key: str) -> str:
    """Return a short name of a key that does not give it away."""
    return sha256(key.encode("utf-8", errors="replace")).hexdigest()[:16]


class RateLimiter:
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
        self._entries: OrderedDict[str, _Entry] = OrderedDict()

    def now(self) -> float:
        """Return the moment by the clock of every `Account` here."""
        return self._clock()

    def check(self, fingerprint: str, purpose: Purpose) -> bool:
        """Return when a request may be made now, and count it as under way.

        `True`: it is the first one after a wait, and `end_probe` has to follow.

        Raises:
            RateLimitedError: the key waits after a rate-limit error, or the first request after
                such a wait is still under way.
            ReserveReachedError: the purpose is a person's, and only the reserve is left.
        """
        now, entry = self._clock(), self._entry(fingerprint)
        _refuse_until(entry.account.refused_until, now)
        if purpose is Purpose.PERSON:
            _check_reserve(entry, now)
        is_probe = entry.account.is_backing_off
        if is_probe:
            entry.account = entry.account.ahead(now)
        return is_probe

    def check_wait(self, fingerprint: str) -> None:
        """Raise a `RateLimitedError` when the key has come to wait since its `check`."""
        _refuse_until(self.account(fingerprint).blocked_until, self._clock())

    def record_remaining(self, fingerprint: str, remaining: int) -> None:
        """Record the requests remaining that a reply told."""
        entry = self._entry(fingerprint)
        entry.account = entry.account.told(remaining, self._clock())

    def record_rate_limit(self, fingerprint: str, retry_after_s: float | None) -> float:
        """Record a rate-limit error; return the seconds for which the key now waits.

        The wait is what the service asked for, an hour at most; without that, random between 0
        and a ceiling that doubles with each error from 2 s to 300 s ("full jitter", see
        https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/).
        """
        now, entry = self._clock(), self._entry(fingerprint)
        if retry_after_s is not None:
            wait_s = min(retry_after_s, WINDOW_S)
        elif now < entry.account.blocked_until:
            wait_s = 0.0  # one of several refused together
        else:
            wait_s = self._chance() * _ceiling_s(entry.account.steps)
        entry.account = entry.account.limited(wait_s, now)
        return entry.account.blocked_until - now

    def saw_success(self, fingerprint: str) -> None:
        """Record that the service served the key: the next wait is a short one again."""
        entry = self._entry(fingerprint)
        entry.account = entry.account.served(self._clock())

    def end_probe(self, fingerprint: str) -> None:
        """Record that the first request after a wait is over: whatever it met, others may go."""
        entry = self._entry(fingerprint)
        entry.account = entry.account.settled(self._clock())

    def account(self, fingerprint: str) -> RateLimitState:
        """Return what others may `learn` of a key; its moments are those of `now`."""
        entry = self._entries.get(fingerprint)
        return entry.account if entry else RateLimitState()

    def learn(self, fingerprint: str, account: RateLimitState) -> None:
        """Take in what others know of a key; its moments are those of `now`."""
        entry = self._entry(fingerprint)
        entry.account = entry.account.joined(account.as_of(self._clock()))

    def state(self, fingerprint: str) -> BudgetState:
        """Return what is known of a key."""
        return state_of(self.account(fingerprint), self._clock())

    def states(self) -> list[BudgetState]:
        """Return what is known of every key, without naming any."""
        now = self._clock()
        return [state_of(entry.account, now) for entry in self._entries.values()]

    def _entry(self, fingerprint: str) -> _Entry:
        entry = self._entries.setdefault(fingerprint, _Entry())
        self._entries.move_to_end(fingerprint)
        if len(self._entries) > self._max_keys:
            self._entries.popitem(last=False)
        entry.account = entry.account.as_of(self._clock())
        return entry


def _refuse_until(moment: float, now: float) -> None:
    if now < moment:
        raise RateLimitedError(moment - now, is_ours=True)


def _check_reserve(entry: _Entry, now: float) -> None:
    if not state_of(entry.account, now).is_reserve_reached:
        return
    # Scheduled work that went through since tells as much as a probe.
    probe_at = max(entry.account.told_at, entry.reserve_probed_at) + RESERVE_PROBE_S
    if now < probe_at:
        raise ReserveReachedError(probe_at - now)
    entry.reserve_probed_at = now


def _ceiling_s(rate_limits: int) -> float:
    doubled: float = BACK_OFF_BASE_S * 2 ** min(rate_limits, 16)  # 16: past any cap
    return min(BACK_OFF_CAP_S, doubled)


STATES = ("waiting", "reserve", "open", "unknown")
# The least of each range of requests left, the highest first.
_RANGES = ((1000, "1000+"), (100, "100-999"), (10, "10-99"), (1, "1-9"), (0, "0"))
LEFT = (*(word for _, word in reversed(_RANGES)), "unknown")


def counted(states: Iterable[BudgetState]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return how many keys there are in each of `STATES`, and with how many requests left.

    A key waits after a rate-limit error; of one at its reserve only scheduled work may use what
    is left; of an unknown one the service has told no count within the last hour.
    """
    by_state, by_left = Counter(dict.fromkeys(STATES, 0)), Counter(dict.fromkeys(LEFT, 0))
    for each in states:
        by_state[_state(each)] += 1
        by_left[_left(each.remaining)] += 1
    return by_state, by_left


def _state(state: BudgetState) -> str:
    if state.wait_s is not None:
        return "waiting"
    if state.is_reserve_reached:
        return "reserve"
    return "unknown" if state.remaining is None else "open"


def _left(remaining: int | None) -> str:
    if remaining is None:
        return "unknown"
    return next((word for least, word in _RANGES if remaining >= least), "0")
