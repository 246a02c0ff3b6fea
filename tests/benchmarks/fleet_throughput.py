"""How many digests a second some workers deliver, and whose processor that takes.

    python -m tests.benchmarks.fleet_throughput --workers 1 2 3

Nothing is killed and nobody types. The exit status is 1 when a digest was not posted once.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.fleet_plot import move_clock, until_settled, until_slot
from tests.benchmarks.fleet_processes import BotProcess, Ships, own_cpu_s, running_bots, tree_cpu_s
from tests.benchmarks.fleet_report import quantile_heads, quantiles
from tests.benchmarks.fleet_store import (
    HONEST,
    Usage,
    digests_of,
    furnish,
    postmaster_of,
    usage_of,
)
from tests.benchmarks.fleet_town import Fleet, FleetSize, running_fleet
from tests.benchmarks.fleet_verdict import judged
from tests.benchmarks.fleet_voyage import SOON, next_slot
from tests.benchmarks.meter import Meter
from tests.postgres import running_postgres

POSTED = 0.98  # of all: the last ones wait for a channel's turn, or for Slack


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """One measurement, over the `seconds` from the first post to the 98th of a hundred.

    `cpu_s`: processor time by who used it. `lags_s`: from the slot to each post. `late_s`: by how
    much the stand-ins' loop was late, each nap.
    """

    workers: int
    posts: int
    seconds: float
    cpu_s: Mapping[str, float]
    database: Usage
    lags_s: Sequence[float]
    late_s: Sequence[float]
    faults: Sequence[str]

    def lines(self) -> list[str]:
        """The measurement, as people read it."""
        shares = ", ".join(
            f"{who} {used / self.seconds * 100:.0f} % of a core, {used / self.posts * 1000:.1f} ms"
            for who, used in self.cpu_s.items()
        )
        return [
            f"{self.workers} workers: {self.posts / self.seconds:.1f} posts a second"
            f" ({self.posts} in {self.seconds:.1f} s)",
            f"  processor, and for each digest: {shares}",
            f"  database, for each digest: {self.database.commits / self.posts:.1f} commits,"
            f" {self.database.wal_bytes / self.posts / 1000:.1f} kB of log;"
            f" {self.database.commits / self.seconds:.0f} commits a second",
            f"{'':<30}{quantile_heads()}",
            f"  {'slot to post, s':<28}{quantiles(self.lags_s)}",
            f"  {'stand-ins late by, s':<28}{quantiles(self.late_s)}",
            *(f"!! {fault}" for fault in self.faults[:10]),
        ]


async def measure(size: FleetSize, workers: int, *, tick_s: float, seed: int) -> Throughput:
    """Deliver all digests once with so many workers."""
    ships = Ships(webs=0, workers=workers, tick_s=tick_s, lead_s=0, is_clock_moved=True)
    with running_postgres(HONEST) as server, tempfile.TemporaryDirectory() as folder:
        url = server.url_of("postgres")
        async with running_fleet(size, random.Random(seed)) as fleet:
            due_at = next_slot(size, ships)
            await furnish(url, fleet, due_at)
            async with running_bots(fleet, url, Path(folder), ships) as started:
                move_clock(fleet, started, due_at - SOON - fleet.clock())
                await until_slot(fleet, due_at)
                span = await _span(fleet, url, started, await postmaster_of(url))
                await until_settled(fleet, url)
            verdict = judged(fleet, due_at, await digests_of(url, fleet), (), ())
    return Throughput(
        workers=workers,
        posts=span.posts,
        seconds=span.seconds,
        cpu_s=span.cpu_s,
        database=span.database,
        lags_s=verdict.lags_s["all"],
        late_s=span.late_s,
        faults=verdict.faults,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    posts: int
    seconds: float
    cpu_s: Mapping[str, float]
    database: Usage
    late_s: Sequence[float]


async def _span(fleet: Fleet, url: str, workers: Sequence[BotProcess], postmaster: int) -> _Span:
    """Measure from the first post to most of them."""

    def used() -> dict[str, float]:
        return {
            "workers": sum(bot.cpu_s() for bot in workers),
            "PostgreSQL": tree_cpu_s(postmaster),
            "stand-ins": own_cpu_s(),
        }

    await _until_posts(fleet, 1)
    meter = Meter()
    watch = asyncio.create_task(meter.watch())
    first, began, before, usage = fleet.posted(), time.perf_counter(), used(), await usage_of(url)
    await _until_posts(fleet, int(fleet.size.digests * POSTED))
    seconds, after, database = time.perf_counter() - began, used(), await usage_of(url)
    watch.cancel()
    return _Span(
        posts=fleet.posted() - first,
        seconds=seconds,
        cpu_s={who: after[who] - before[who] for who in before},
        database=database - usage,
        late_s=meter.lags,
    )


async def _until_posts(fleet: Fleet, count: int) -> None:
    async with asyncio.timeout(60 + fleet.size.digests):
        while fleet.posted() < count:  # noqa: ASYNC110  each post would wake us up
            await asyncio.sleep(0.1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fleet_throughput")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--digests", type=int, default=3000)
    parser.add_argument("--workspaces", type=int, default=150)
    parser.add_argument("--domains", type=int, default=FleetSize.domains)
    parser.add_argument("--tick", type=float, default=Ships.tick_s, help="seconds")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    size = FleetSize(digests=chosen.digests, workspaces=chosen.workspaces, domains=chosen.domains)
    faults = 0
    for workers in chosen.workers:
        found = asyncio.run(measure(size, workers, tick_s=chosen.tick, seed=chosen.seed))
        sys.stdout.write("".join(f"{line}\n" for line in found.lines()))
        sys.stdout.flush()
        faults += len(found.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
