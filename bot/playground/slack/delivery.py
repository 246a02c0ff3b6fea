"""Sending payloads to the bot, and measuring how fast it acknowledges them."""

import asyncio
import itertools
import time
from dataclasses import dataclass, field
from typing import Any, Protocol

import aiohttp

from bot.playground.slack.log import note

Json = dict[str, Any]

ACK_LIMIT_S = 3.0  # https://docs.slack.dev/interactivity/handling-user-interaction


@dataclass
class Delivery:
    """One payload and what became of it.

    `status` and `ack_s` (seconds until the ack) are None if none came; `body` is the decoded ack
    body, None if empty; `problem` is `operation_timeout`, `dispatch_failed` or None; `errors` are
    those of a refused form, by the field's label; `dialog` is the question that had to be
    confirmed first.
    """

    kind: str  # as in Socket Mode: slash_commands, interactive, events_api
    payload: Json
    envelope_id: str
    status: int | None = None
    ack_s: float | None = None
    body: Any = None
    problem: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    dialog: Json | None = None

    @property
    def response_url(self) -> str | None:
        """Where the bot may answer; None for views."""
        return self.payload.get("response_url")

    @property
    def trigger_id(self) -> str | None:
        """The right to open a form; None for suggestions."""
        return self.payload.get("trigger_id")


class NobodyConnectedError(Exception):
    """No Socket Mode link is up."""


class Carrier(Protocol):
    """One way to the bot."""

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        """Return status and decoded body of the ack, however long it takes.

        Raises:
            aiohttp.ClientError, OSError, NobodyConnectedError: it did not arrive.
        """
        ...


class Outbox:
    """What was sent to the bot, in order, and the way there."""

    def __init__(self, carrier: Carrier) -> None:
        self.carrier = carrier
        self.sent: list[Delivery] = []
        self._numbers = itertools.count(1)
        self.ack_limit_s = ACK_LIMIT_S

    async def deliver(self, kind: str, payload: Json) -> Delivery:
        """Send one payload and wait for its ack, at most `ack_limit_s` seconds."""
        delivery = Delivery(kind, payload, envelope_id=f"envelope-{next(self._numbers)}")
        note(self.sent, delivery)
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.ack_limit_s):
                delivery.status, delivery.body = await self.carrier.carry(delivery)
        except TimeoutError:
            delivery.problem = "operation_timeout"
        except (aiohttp.ClientError, OSError, NobodyConnectedError):
            delivery.problem = "dispatch_failed"
        else:
            delivery.ack_s = time.perf_counter() - started
            if delivery.status != 200:
                delivery.problem = "dispatch_failed"
        return delivery
