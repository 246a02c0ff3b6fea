"""What a key's account says of one moment, for people and decisions. Pure."""

from dataclasses import dataclass

from bot.tracker.account import Account

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


def state_of(account: Account, now: float) -> BudgetState:
    """Return what is known of a key at the moment `now`."""
    known = account.as_of(now)
    remaining = known.known_remaining(now)
    return BudgetState(
        remaining=remaining,
        told_ago_s=None if remaining is None else now - known.told_at,
        wait_s=known.blocked_until - now if now < known.blocked_until else None,
        highest_seen=known.highest,
    )
