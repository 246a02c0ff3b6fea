"""What is known of a key's allowance, and how what several know of it is put together. Pure.

Moments are seconds of one clock, whichever it is; the allowance is the service document's,
section 8.
"""

from dataclasses import dataclass, replace
from math import inf

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
class Account:
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

    def told(self, remaining: int, now: float) -> "Account":
        """Return the same after a reply has told the requests remaining."""
        highest, highest_at = max((self.highest, self.highest_at), (remaining, now))
        return replace(
            self, told_at=now, remaining=remaining, highest=highest, highest_at=highest_at
        )

    def limited(self, wait_s: float, now: float) -> "Account":
        """Return the same after a rate-limit error; several refused together are one step."""
        until = max(now + wait_s, self.served_at + INSTANT_S)
        if now < self.blocked_until:
            return replace(self, blocked_until=max(until, self.blocked_until))
        return replace(self, blocked_until=until, rate_limits=self.steps + 1, settled_at=now)

    def served(self, now: float) -> "Account":
        """Return the same after a success; one that was sent before the error ends no wait."""
        if not self.is_backing_off or now < self.blocked_until:
            return self
        return replace(self, served_at=now)

    def ahead(self, now: float) -> "Account":
        """Return the same after a request went ahead of the others."""
        return replace(self, probe_at=max(now, self.settled_at + INSTANT_S))

    def settled(self, now: float) -> "Account":
        """Return the same after the request that went ahead is over."""
        return replace(self, settled_at=max(now, self.probe_at, self.settled_at))

    def joined(self, other: "Account") -> "Account":
        """Return what both know together."""
        told_at, less = max(_told(self), _told(other))
        highest, highest_at = max(
            (self.highest, self.highest_at), (other.highest, other.highest_at)
        )
        blocked_until, rate_limits = max(
            (self.blocked_until, self.rate_limits), (other.blocked_until, other.rate_limits)
        )
        return Account(
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

    def as_of(self, now: float) -> "Account":
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

    def moved(self, by_s: float) -> "Account":
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


def _told(account: Account) -> tuple[float, int]:
    """The latest count; of two at once the lower, as both requests were made."""
    return account.told_at, -(account.remaining or 0)


def _past(moment: float, now: float) -> float:
    return min(moment, now) if moment <= now + SKEW_S else NEVER
