"""How something that people asked for has ended, in one word for whoever counts it."""

import asyncio

from bot.errors import BotError
from bot.slack.errors import SlackError
from bot.store.errors import ForgottenError, StoreError
from bot.tracker.errors import TrackerError

# The first that fits counts. "declined": they were told what to change, nothing is wrong.
_OUTCOMES: tuple[tuple[type[BaseException], str], ...] = (
    (TrackerError, "service"),
    (ForgottenError, "declined"),
    (StoreError, "store"),
    (SlackError, "slack"),
    (BotError, "declined"),
    (asyncio.CancelledError, "cut_off"),
)


def outcome_of(error: BaseException | None) -> str:
    """Return "answered" for `None`, whose trouble it was, or "broken" for a mistake of ours."""
    if error is None:
        return "answered"
    return next((word for kind, word in _OUTCOMES if isinstance(error, kind)), "broken")
