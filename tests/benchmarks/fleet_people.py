"""People of many workspaces who type commands to several `web` processes behind a balancer."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bot.playground.slack.delivery import Delivery, NobodyConnectedError, SignedHttp
from bot.playground.slack.refusals import CommandFailed
from bot.workspace import WorkspaceId
from tests.benchmarks.fleet_processes import BotProcess
from tests.benchmarks.fleet_town import Fleet, FleetPlace

BETWEEN_S = 0.3
ANSWERED_WITHIN_S = 90.0
WAIT = "⏳"
LISTED, SCANNED = " domains, ", "Scan of"


class Balancer:
    """Carries payloads to the running processes in turn, and to the next one if one is gone."""

    def __init__(self, fleet: Fleet, webs: Sequence[BotProcess]) -> None:
        session, secret = fleet.slack.lines.session, fleet.slack.signing_secret
        self.ways = [(bot, SignedHttp(session, bot.url, secret)) for bot in webs]
        self._next = 0
        self._only: BotProcess | None = None

    def only_to(self, bot: BotProcess | None) -> None:
        """Send everything to this one; `None`: to each in its turn."""
        self._only = bot

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        """See `Carrier.carry`."""
        for _ in range(len(self.ways) - 1):
            try:
                return await self._following().carry(delivery)
            except aiohttp.ClientConnectorError:
                continue  # no one is there: nothing was said
        return await self._following().carry(delivery)

    def _following(self) -> SignedHttp:
        running = [way for bot, way in self.ways if bot.is_running and self._only in {bot, None}]
        if not running:
            raise NobodyConnectedError
        self._next += 1
        return running[self._next % len(running)]


@dataclass(slots=True, kw_only=True)
class Asked:
    """One command. `at`: Unix seconds. `ack_s`, `answered_s` are `None` where there was none.

    `problem` is what Slack shows when there is no ack, `words` is the answer.
    """

    line: str
    at: float
    ack_s: float | None = None
    answered_s: float | None = None
    problem: str | None = None
    words: str = ""

    @property
    def is_served(self) -> bool:
        """Whether the answer is what was asked for, and not a sentence about a trouble."""
        return (SCANNED if self.line.startswith("/scan") else LISTED) in self.words


@dataclass
class People:
    """Those who typed something, in the order of their answers. `waiting`: where no one types."""

    fleet: Fleet
    asked: list[Asked] = field(default_factory=list)
    waiting: set[WorkspaceId] = field(default_factory=set)

    async def ask(self, place: FleetPlace, line: str) -> Asked:
        """Let bob type a line there, and note what comes."""
        began = time.perf_counter()
        asked = Asked(line=line, at=self.fleet.clock.seconds())
        self.waiting.add(place.workspace)
        try:
            asked.ack_s = (await place.bob.type(line)).ack_s
            answer = await place.bob.next_message(
                timeout_s=ANSWERED_WITHIN_S, where=lambda message: WAIT not in message.everything
            )
            asked.answered_s, asked.words = time.perf_counter() - began, answer.everything
        except CommandFailed as failure:
            asked.problem = failure.code
        except TimeoutError:
            asked.problem = "never answered"
        self.waiting.discard(place.workspace)
        self.asked.append(asked)
        return asked

    async def go_on(self, answers: asyncio.TaskGroup) -> None:
        """Type one line after the other, each in another workspace, until cancelled."""
        for number in itertools.count():
            place = self.fleet.places[number * 7 % len(self.fleet.places)]
            if place.workspace not in self.waiting:
                line = "/domains" if number % 2 else f"/scan {a_domain(place)}"
                answers.create_task(self.ask(place, line))
            await asyncio.sleep(BETWEEN_S)


def a_domain(place: FleetPlace) -> str:
    """Return one of the domains there."""
    return next(iter(place.account.domains.values())).domain


@asynccontextmanager
async def typing(people: People) -> AsyncIterator[None]:
    """Let them type inside the block; at its end wait for the answers to what was typed."""
    async with asyncio.TaskGroup() as answers:
        going = asyncio.create_task(people.go_on(answers))
        try:
            yield
        finally:
            going.cancel()
