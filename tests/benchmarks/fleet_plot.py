"""What happens to a fleet: a slot, a worker killed, the database restarted, a `web` killed."""

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.benchmarks.fleet_people import Asked, Balancer, People, a_domain
from tests.benchmarks.fleet_processes import BotProcess
from tests.benchmarks.fleet_store import Which, posting_since, unsettled
from tests.benchmarks.fleet_town import Fleet
from tests.postgres import PostgresServer

KILL_AT, RESTART_AT = 0.3, 0.6  # of the posts are there
# A dead claim ends after a minute; what a dead worker had taken is taken back before that.
NOTHING_FOR_S = 150.0
LOOK_S = 0.2
LOOK_INTO_STORE_S = 2.0
DOWN_S = 3.0
QUIET_S = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """`at`: Unix seconds. `in_flight`: noted as being posted, by whatever worker."""

    name: str
    at: float
    over_at: float
    posted: int
    in_flight: set[Which]


async def kill_a_worker(fleet: Fleet, url: str, worker: BotProcess) -> Incident:
    """Kill it with SIGKILL, for good."""
    posted, at = fleet.posted(), fleet.clock()
    await worker.kill()
    in_flight = await posting_since(url, at)
    return Incident(
        name=f"{worker.name} killed",
        at=at.timestamp(),
        over_at=fleet.clock.seconds(),
        posted=posted,
        in_flight=in_flight,
    )


async def restart_database(fleet: Fleet, url: str, server: PostgresServer) -> Incident:
    """Stop it, wait for `DOWN_S`, and start it again: who was connected is thrown out."""
    posted, at = fleet.posted(), fleet.clock()
    before = await posting_since(url, at)
    try:
        await asyncio.to_thread(server.stop)
        stopped_at = fleet.clock()
        await asyncio.sleep(DOWN_S)
    finally:
        await asyncio.to_thread(server.start)
    # Those of `before` that are over by now were recorded; they stay, as nothing is lost by it.
    in_flight = before | await posting_since(url, stopped_at)
    return Incident(
        name="PostgreSQL restarted",
        at=at.timestamp(),
        over_at=fleet.clock.seconds(),
        posted=posted,
        in_flight=in_flight,
    )


async def kill_a_web(people: People, balancer: Balancer) -> tuple[Asked, Incident]:
    """Kill a `web` in the middle of somebody's scan; return what that person got."""
    place, web = people.fleet.places[0], balancer.ways[0][0]
    balancer.only_to(web)
    hold = people.fleet.tracker.hold_scans()
    asking = asyncio.create_task(people.ask(place, f"/scan {a_domain(place)}"))
    try:
        await hold.waiting(1)
        await web.kill()
        at = people.fleet.clock.seconds()
    finally:
        balancer.only_to(None)
        hold.release()
    asked = await asking
    return asked, Incident(
        name=f"{web.name} killed",
        at=at,
        over_at=people.fleet.clock.seconds(),
        posted=0,
        in_flight=set(),
    )


async def until_posted(fleet: Fleet, share: float) -> None:
    """Wait until so much of all posts is there. Raises: TimeoutError, when nothing goes on."""
    wanted = int(fleet.size.digests * share)
    await _until(lambda: fleet.posted() >= wanted, fleet.posted)


async def until_settled(fleet: Fleet, url: str) -> bool:
    """Wait until every digest has come to one end, as far as it goes on; say whether it has."""
    seen, since = (-1, -1), time.monotonic()
    while (left := await unsettled(url)) and time.monotonic() - since < NOTHING_FOR_S:
        if (left, fleet.posted()) != seen:
            seen, since = (left, fleet.posted()), time.monotonic()
        await asyncio.sleep(LOOK_INTO_STORE_S)
    return not left


def move_clock(fleet: Fleet, bots: Sequence[BotProcess], by: timedelta) -> None:
    """Move everybody's clock ahead."""
    fleet.clock.ahead += by
    for bot in bots:
        bot.hand_clock(fleet.clock)


async def until_quiet(fleet: Fleet, url: str) -> None:
    """Wait until no one posts for a while. Raises: TimeoutError, when that never is."""
    async with asyncio.timeout(NOTHING_FOR_S):
        before, now = None, await _state(fleet, url)
        while before != now:
            await asyncio.sleep(QUIET_S)
            before, now = now, await _state(fleet, url)


async def _state(fleet: Fleet, url: str) -> tuple[int, set[Which]]:
    """What is posted, and which ones are being posted: by the living, or by the dead."""
    return fleet.posted(), await posting_since(url, fleet.clock())


async def until_slot(fleet: Fleet, due_at: datetime) -> None:
    """Wait for the slot. Raises: RuntimeError, if it is too near: no one could be ready."""
    left = due_at - fleet.clock()
    if left < timedelta(seconds=1):
        raise RuntimeError("the slot came before everybody was ready: choose a longer --lead")
    await asyncio.sleep(left.total_seconds())


async def _until(is_so: Callable[[], bool], progress: Callable[[], int]) -> None:
    at, since = progress(), time.monotonic()
    while not is_so():
        await asyncio.sleep(LOOK_S)
        if (now := progress()) != at:
            at, since = now, time.monotonic()
        if time.monotonic() - since > NOTHING_FOR_S:
            raise TimeoutError(f"nothing was posted for {NOTHING_FOR_S:g} s after {at} posts")
