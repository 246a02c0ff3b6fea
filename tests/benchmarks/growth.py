"""How cost grows with workspaces, domains and digests."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tests.benchmarks.figures import Panel, number, picture, table
from tests.benchmarks.measured import AT_ONCE, IN_A_ROW, Measured, bot
from tests.benchmarks.population import Population
from tests.benchmarks.quick_slack import quick_slack

ONE = Population()
MANY = Population(workspaces=100)
ACTIVE = 1_000  # of the workspaces at most ask; a store of more is only larger
WORKSPACES = [replace(ONE, workspaces=count) for count in (10, 100, 1_000, 10_000)]
DOMAINS = [replace(ONE, domains=count) for count in (10, 100, 1_000, 10_000)]
DIGESTS = [replace(MANY, digests=count) for count in (10, 1_000, 10_000, 50_000)]
AXES = {
    "workspaces": (
        WORKSPACES,
        "Each active workspace adds its list and installation to the memory, about 200 MB of"
        " lists at most (`MAX_CACHED_DOMAINS`); a silent one is a row in the store. What ends it:"
        " the processor, by commands and not by workspaces.",
    ),
    "domains": (
        DOMAINS,
        "Choosing and sorting look at each domain of the list; drawing at 25. What ends it: lists"
        " of more than 16 MiB are refused.",
    ),
    "digests": (
        DIGESTS,
        "A digest that is not due is an entry of an index in memory. What ends it: the digests of"
        " one minute, by the digests a second and core above; `worker` processes on PostgreSQL"
        " share them.",
    ),
}


@dataclass(frozen=True)
class Grown:
    """What one population costs; `lag_ms`: 99 of 100 naps of the loop were late by less."""

    count: int
    per_second: float
    cpu_ms: float
    memory_mb: float
    lag_ms: float


async def growth() -> dict[str, list[Grown]]:
    """Return it for each axis."""
    return {
        name: [await _grown(each, getattr(each, name)) for each in populations]
        for name, (populations, _) in AXES.items()
    }


async def _grown(population: Population, count: int) -> Grown:
    async with (
        quick_slack() as slack,
        bot(slack, population, role="all", TICK_SECONDS="1") as ours,
    ):
        await ours.report()
        teams = population.teams[-ACTIVE:]
        await _asked(ours, teams)  # for the first time: their lists are asked for
        await ours.report()
        asked = (teams * AT_ONCE * IN_A_ROW)[: AT_ONCE * IN_A_ROW]
        cpu_s, began = ours.cpu_s(), time.perf_counter()
        await _asked(ours, asked)
        return Grown(
            count=count,
            per_second=len(asked) / (time.perf_counter() - began),
            cpu_ms=(ours.cpu_s() - cpu_s) / len(asked) * 1e3,
            memory_mb=ours.memory_mb(),
            lag_ms=(await ours.report())["lag_p99_s"] * 1e3,
        )


async def _asked(ours: Measured, teams: Sequence[str]) -> None:
    """Let each of these workspaces ask once, over 16 connections."""

    async def person(own: Sequence[str]) -> None:
        async with ours.connection() as ask:
            for team in own:
                await ask("/domains", team)

    await asyncio.gather(*(person(teams[n::16]) for n in range(16)))


def as_lines(grown: dict[str, list[Grown]]) -> list[str]:
    """Return a table and a sentence for each axis."""
    lines = ["![Growth](performance.svg)", ""]
    for name, found in grown.items():
        rows = [
            [f"{each.count:,}"]
            + [number(v) for v in (each.per_second, each.cpu_ms, each.memory_mb, each.lag_ms)]
            for each in found
        ]
        head = (name, "`/domains` a second", "processor ms each", "memory, MB", "lag p99, ms")
        lines += [*table(head, rows), AXES[name][1], ""]
    return lines


def as_picture(grown: dict[str, list[Grown]]) -> str:
    """Return three curves for each axis."""
    return picture(
        [
            [
                Panel(f"{title} by {name}", [(each.count, getattr(each, key)) for each in found])
                for title, key in (
                    ("commands a second", "per_second"),
                    ("memory, MB", "memory_mb"),
                    ("lag p99, ms", "lag_ms"),
                )
            ]
            for name, found in grown.items()
        ]
    )
