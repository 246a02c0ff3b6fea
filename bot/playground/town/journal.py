"""When each payload was sent to the bot, which the local Slack itself does not note."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bot.playground.slack.changes import note
from bot.playground.slack.delivery import Carrier, Delivery


@dataclass(frozen=True)
class Sent:
    """One payload on its way to the bot. `at`: Unix seconds by the playground's clock."""

    delivery: Delivery
    at: float


class Journal:
    """A carrier that notes payloads, oldest first, and lets another one carry them."""

    def __init__(self, carrier: Carrier, clock: Callable[[], float]) -> None:
        self._carrier = carrier
        self._clock = clock
        self.sent: list[Sent] = []

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        """See `Carrier.carry`."""
        note(self.sent, Sent(delivery, self._clock()))
        return await self._carrier.carry(delivery)
