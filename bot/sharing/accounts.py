"""Accounts of keys as documents have them, and which of them others should learn at once. Pure.

In these documents moments are UTC; in an `Account` they are seconds since 1970 here.
"""

from collections.abc import Mapping
from typing import Any

from bot.sharing.timeline import since_1970_s, utc_text
from bot.tracker.account import NEVER, Account
from bot.tracker.budget_state import state_of

_MOMENTS = ("told_at", "highest_at", "blocked_until", "served_at", "probe_at", "settled_at")
_COUNTS = ("remaining", "highest", "rate_limits")
# While people have to wait for scheduled work, so often the others learn how much is left.
TOLD_AGAIN_S = 10.0
# A wait that is longer by less was only rounded.
SLACK_S = 0.05


def encode_account(account: Account) -> dict[str, Any]:
    """Return an account as JSON; `decode_account` reads it."""
    moments = {name: getattr(account, name) for name in _MOMENTS}
    value: dict[str, Any] = {
        name: utc_text(moment) for name, moment in moments.items() if moment != NEVER
    }
    return value | {name: count for name in _COUNTS if (count := getattr(account, name))}


def decode_account(value: Mapping[str, Any]) -> Account:
    """Return what was encoded."""
    moments = {name: since_1970_s(value[name]) for name in _MOMENTS if name in value}
    remaining = value.get("remaining", 0) if "told_at" in value else None
    return Account(
        **moments,
        remaining=remaining,
        highest=value.get("highest", 0),
        rate_limits=value.get("rate_limits", 0),
    )


def is_news(mine: Account, stored: Account, now: float) -> bool:
    """Return whether others, who know what is stored, would do something that they should not."""
    if mine.is_backing_off != stored.is_backing_off:
        return True
    if mine.is_backing_off and mine.blocked_until > stored.blocked_until + SLACK_S:
        return True
    if mine.refused_until <= now < stored.refused_until:
        return True
    here, there = state_of(mine, now), state_of(stored, now)
    if here.is_reserve_reached != there.is_reserve_reached:
        return True
    return here.is_reserve_reached and mine.told_at >= stored.told_at + TOLD_AGAIN_S
