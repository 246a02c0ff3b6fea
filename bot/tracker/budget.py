"""How many requests each key may still make, and when. In memory; no input or output.

A key is known by its fingerprint only. The service tells the requests remaining, but not when
they are renewed (service document, section 8): therefore nothing here counts down or waits for a
full hour, it forgets and tries. What other processes know can be learned: see `account.py`.
"""

import random
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from hashlib import sha256

from bot.tracker.account import PROBE_S, WINDOW_S, Account
from bot.tracker.budget_state import BudgetState, state_of
from bot.tracker.errors import RateLimitedError, ReserveReachedError

__all__ = ["PROBE_S", "WINDOW_S", "Account", "Budget", "BudgetState", "Purpose", "fingerprint"]

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
    account: Account = field(default_factory=Account)
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

    def saw_remaining(self, fingerprint: str, remaining: int) -> None:
        """Record the requests remaining that a reply told."""
        entry = self._entry(fingerprint)
        entry.account = entry.account.told(remaining, self._clock())

    def saw_rate_limit(self, fingerprint: str, retry_after_s: float | None) -> float:
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

    def account(self, fingerprint: str) -> Account:
        """Return what others may `learn` of a key; its moments are those of `now`."""
        entry = self._entries.get(fingerprint)
        return entry.account if entry else Account()

    def learn(self, fingerprint: str, account: Account) -> None:
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
