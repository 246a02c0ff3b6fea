"""Kill workers in the middle of a bulk scan, and count what was scanned and what was reported.

    python -m tests.benchmarks.bulk_kills

A `web` and two workers share a PostgreSQL; each worker that is killed is replaced by a new one.
The exit status is 1 when a domain was scanned twice, or missed without a word.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import msgspec

from bot.bulk_scans.record import INTERRUPTED, KIND, BulkScan
from bot.bulk_scans.runner import LEASE
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from tests.benchmarks.fleet_people import Balancer
from tests.benchmarks.fleet_plot import move_clock
from tests.benchmarks.fleet_processes import BotProcess, Ships, running_bots
from tests.benchmarks.fleet_store import furnish
from tests.benchmarks.fleet_town import Fleet, FleetSize, running_fleet
from tests.postgres import running_postgres

SCAN_S = 0.3
LOOK_S = 0.05
# What a killed worker had taken from the queue is taken back after 36 s.
NOTHING_FOR_S = 120.0
HEAD = (
    *("domains", "kills", "scans asked", "asked twice", "missed and not reported"),
    *("reported as unknown", "of them asked", "reported as failed", "messages with the summary"),
)
SHIPS = Ships(webs=1, workers=2, tick_s=0.5, lead_s=0, is_clock_moved=True)


@dataclass(frozen=True, kw_only=True)
class BulkVerdict:
    """What came of one bulk scan. `asked`: how often the service was asked for each domain's.

    `summaries`: messages that begin with the result.
    """

    run: BulkScan
    asked: Mapping[str, int]
    kills: int
    summaries: int

    @property
    def twice(self) -> list[str]:
        return [each for each, times in self.asked.items() if times > 1]

    @property
    def unknown(self) -> list[str]:
        return [item.domain_id for item in self.run.done if item.trouble == INTERRUPTED]

    @property
    def unreported(self) -> list[str]:
        """The domains of which nothing says that they were not scanned."""
        left = [item.domain_id for item in self.run.left]
        said = [item.domain_id for item in self.run.scanned if item.domain_id not in self.asked]
        return left + said

    @property
    def counts(self) -> tuple[int, ...]:
        """A row of the table; see HEAD."""
        return (
            self.run.count,
            self.kills,
            sum(self.asked.values()),
            len(self.twice),
            len(self.unreported),
            len(self.unknown),
            sum(each in self.asked for each in self.unknown),
            len(self.run.failed) - len(self.unknown),
            self.summaries,
        )

    @property
    def faults(self) -> list[str]:
        found = [f"{each}: scanned twice" for each in self.twice]
        found += [f"{each}: missed, and not reported" for each in self.unreported]
        if len(self.unknown) > self.kills:
            found.append("more are unknown than workers were killed")
        if self.summaries != 1:
            found.append(f"{self.summaries} messages with the summary")
        return found


async def kill_during_bulk_scan(domains: int, kills: int, *, seed: int) -> BulkVerdict:
    """Do it all once, with a database and processes of its own."""
    size = FleetSize(digests=0, workspaces=1, channels=1, domains=domains)
    chance = random.Random(seed)
    async with AsyncExitStack() as stack:
        server = stack.enter_context(running_postgres())
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(server.database())
        fleet = await stack.enter_async_context(running_fleet(size, chance))
        await furnish(url, fleet, fleet.clock())
        fleet.tracker.latency_s = SCAN_S
        bots = await stack.enter_async_context(running_bots(fleet, url, folder, SHIPS))
        fleet.slack.outbox.carrier = Balancer(fleet, bots[:1])
        await _start(fleet)
        for asked in sorted(chance.sample(range(1, domains), kills)):
            await _until_asked(fleet, asked)
            await asyncio.sleep(chance.uniform(0, 2 * SCAN_S))
            bots.remove(worker := _at_work(bots))
            await worker.kill()
            move_clock(
                fleet, [bot for bot in bots if bot.is_running], LEASE + timedelta(seconds=1)
            )
            other = Ships(webs=0, workers=1, tick_s=SHIPS.tick_s, is_clock_moved=True)
            bots += await stack.enter_async_context(running_bots(fleet, url, folder, other))
        return await _verdict(fleet, url, kills)


async def _start(fleet: Fleet) -> None:
    bob = fleet.places[0].bob
    await bob.type("/scan sort:name")
    price = await bob.next_message(where=lambda each: "Start" in each.buttons)
    await bob.press(price, "Start")


def _asked(fleet: Fleet) -> list[str]:
    """Return the id of each domain whose scan the service was asked for, in order."""
    paths = [sent.path for sent in fleet.tracker.requests if sent.path.endswith("/scan")]
    return [path.split("/")[-2] for path in paths]


async def _until_asked(fleet: Fleet, count: int) -> None:
    async with asyncio.timeout(NOTHING_FOR_S):
        while len(_asked(fleet)) < count:  # noqa: ASYNC110  no event of another process tells
            await asyncio.sleep(LOOK_S)


def _at_work(bots: Sequence[BotProcess]) -> BotProcess:
    """Return the worker that was the last one to write of the bulk scan in its log."""

    def written(bot: BotProcess) -> str:
        lines = [line for line in bot.log.read_text().splitlines() if f'"{KIND}"' in line]
        return str(json.loads(lines[-1])["timestamp"]) if lines else ""

    return max(bots[1:], key=written)


async def _verdict(fleet: Fleet, url: str, kills: int) -> BulkVerdict:
    place = fleet.places[0]
    await place.bob.next_message(
        "dm", where=lambda each: " scanned" in each.everything, timeout_s=NOTHING_FOR_S
    )
    documents = await open_postgres(parse_address(url))
    try:
        document = await documents.get(f"{place.workspace}/{KIND}")
    finally:
        await documents.close()
    assert document
    return BulkVerdict(
        run=msgspec.convert(document.value["run"], BulkScan),
        asked=Counter(_asked(fleet)),
        kills=kills,
        summaries=sum(" scanned" in each.everything for each in place.bob.messages("dm")),
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.bulk_kills")
    parser.add_argument("--domains", type=int, default=40)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--runs", type=int, default=5)
    chosen = parser.parse_args()
    verdicts = [
        asyncio.run(kill_during_bulk_scan(chosen.domains, chosen.kills, seed=seed))
        for seed in range(1, chosen.runs + 1)  # of the moments
    ]
    sums = map(sum, zip(*(each.counts for each in verdicts), strict=True))
    lines = [f"{count:>6}  {name}" for name, count in zip(HEAD, sums, strict=True)]
    faults = [f"!! {fault}" for each in verdicts for fault in each.faults]
    sys.stdout.write("".join(f"{line}\n" for line in [*lines, *faults]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
