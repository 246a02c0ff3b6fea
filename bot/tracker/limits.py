"""How long asking the service may take. Data."""

from dataclasses import dataclass

from bot.tracker.exchange import CONNECT_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long things may take, in seconds, and how often a GET is sent.

    `list_s`, `add_s` and `scan_s` bound a whole call, all attempts included, but not the wait
    for a place among the requests, which `slot_s` bounds.
    """

    connect_s: float = CONNECT_S
    list_s: float = 30.0
    add_s: float = 30.0
    scan_s: float = 120.0
    slot_s: float = 60.0
    attempts: int = 3
    retry_within_s: float = 20.0
    retry_wait_s: float = 0.25


DEFAULT_LIMITS = Limits()
