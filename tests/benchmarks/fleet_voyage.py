"""One voyage of a fleet: a store is furnished, processes start, things happen, all is judged."""

import asyncio
import math
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.digests.run_state import CLAIM
from tests.benchmarks.fleet_people import Asked, Balancer, People, typing
from tests.benchmarks.fleet_plot import (
    KILL_AT,
    RESTART_AT,
    Incident,
    kill_a_web,
    kill_a_worker,
    move_clock,
    restart_database,
    until_posted,
    until_quiet,
    until_settled,
    until_slot,
)
from tests.benchmarks.fleet_processes import BotProcess, Ships, running_bots
from tests.benchmarks.fleet_report import (
    lines_of_faults,
    lines_of_incidents,
    lines_of_people,
    lines_of_verdict,
)
from tests.benchmarks.fleet_store import HONEST, deliveries_left, digests_of, furnish
from tests.benchmarks.fleet_town import Fleet, FleetSize, running_fleet
from tests.benchmarks.fleet_verdict import (
    FleetVerdict,
    faults_of_people,
    faults_of_scan,
    judged,
)
from tests.postgres import PostgresServer, running_postgres

MOST = 0.97  # of all posts: a few are uncertain, and a few wait for the end of a claim
SOON = timedelta(seconds=1.5)
FURNISHED_A_SECOND = 300  # digests, at least


@dataclass(frozen=True, kw_only=True)
class Voyage:
    """What has come of it all. `scan` is what who scanned in a killed process got."""

    due_at: datetime
    verdict: FleetVerdict
    incidents: Sequence[Incident]
    asked: Sequence[Asked]
    scan: tuple[Asked, Incident]
    faults: Sequence[str]

    def lines(self) -> list[str]:
        """All of it, as people read it."""
        return [
            *lines_of_incidents(self.incidents, self.due_at.timestamp()),
            *lines_of_verdict(self.verdict),
            *lines_of_people("people", self.asked),
            *lines_of_people("scan in a killed web", self.scan[:1]),
            *lines_of_faults(self.faults),
        ]


async def sail(size: FleetSize, ships: Ships, *, seed: int) -> Voyage:
    """Do it all once, with a database and processes of its own."""
    with running_postgres(HONEST) as server, tempfile.TemporaryDirectory() as folder:
        url = server.url_of("postgres")
        async with running_fleet(size, random.Random(seed)) as fleet:
            due_at = next_slot(size, ships)
            await furnish(url, fleet, due_at)
            return await _sailed(fleet, ships, due_at, url, server, Path(folder))


async def _sailed(
    fleet: Fleet,
    ships: Ships,
    due_at: datetime,
    url: str,
    server: PostgresServer,
    folder: Path,
) -> Voyage:
    people = People(fleet)
    async with running_bots(fleet, url, folder, ships) as bots:
        balancer = Balancer(fleet, [bot for bot in bots if bot.name.startswith("web")])
        fleet.slack.outbox.carrier = balancer
        if ships.is_clock_moved:
            move_clock(fleet, bots, due_at - SOON - fleet.clock())
        await until_slot(fleet, due_at)
        async with typing(people):
            incidents = await _incidents(fleet, url, server, bots)
            await _until_few_are_left(fleet, ships, url, bots)
        asked = list(people.asked)
        is_settled, scan = await asyncio.gather(
            until_settled(fleet, url), kill_a_web(people, balancer)
        )
        faults = await _faults_of_stop([bot for bot in bots if bot.is_running])
    logs = [bot.log for bot in bots]
    verdict = judged(fleet, due_at, await digests_of(url, fleet), incidents, logs)
    if left := await deliveries_left(url):
        faults.append(f"{left} deliveries are left in the queue")
    if not is_settled:
        faults.append("some digests did not come to an end")
    faults += faults_of_people(asked)
    faults += faults_of_scan(*scan)
    return Voyage(
        due_at=due_at,
        verdict=verdict,
        incidents=incidents,
        asked=asked,
        scan=scan,
        faults=[*verdict.faults, *faults],
    )


async def _until_few_are_left(
    fleet: Fleet, ships: Ships, url: str, bots: Sequence[BotProcess]
) -> None:
    """Wait until what is left waits for the end of a claim; a moved clock ends those at once."""
    if ships.is_clock_moved:
        await until_quiet(fleet, url)
        move_clock(fleet, bots, CLAIM)
    else:
        await until_posted(fleet, MOST)


async def _incidents(
    fleet: Fleet, url: str, server: PostgresServer, bots: Sequence[BotProcess]
) -> list[Incident]:
    await until_posted(fleet, KILL_AT)
    worker = next(bot for bot in bots if bot.name.startswith("worker"))
    killed = await kill_a_worker(fleet, url, worker)
    await until_posted(fleet, RESTART_AT)
    return [killed, await restart_database(fleet, url, server)]


async def _faults_of_stop(bots: Sequence[BotProcess]) -> list[str]:
    """Stop them as platforms do, and return which did not end well."""
    statuses = await asyncio.gather(*(bot.stop() for bot in bots), return_exceptions=True)
    return [
        f"{bot.name} ended with {status!r}"
        for bot, status in zip(bots, statuses, strict=True)
        if status != 0
    ]


def next_slot(size: FleetSize, ships: Ships) -> datetime:
    """Return the next full minute that leaves time to furnish the store and to start."""
    needed_s = ships.lead_s + size.digests / FURNISHED_A_SECOND
    minutes = math.ceil((time.time() + needed_s) / 60) + ships.is_clock_moved
    return datetime.fromtimestamp(minutes * 60, UTC)
