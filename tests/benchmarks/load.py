"""300 digests over 30 workspaces in one minute, while Slack refuses some posts: how it went.

    python -m tests.benchmarks.load

The exit status is 1 when anything was not as it must be.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.benchmarks.audit import Findings, faults_of, findings_of
from tests.benchmarks.fleet_plot import until_posted
from tests.benchmarks.fleet_processes import environment
from tests.benchmarks.fleet_store import digests_of, furnish
from tests.benchmarks.fleet_town import Fleet, FleetSize, running_fleet
from tests.benchmarks.measured import process
from tests.benchmarks.quick_slack import QuickSlack
from tests.ports import reserve_port

LOAD = FleetSize(digests=300, workspaces=30, channels=4, domains=300, large=3, refused=0.05)
LEAD, AHEAD = timedelta(seconds=1), timedelta(hours=2)
IDLE_S = 2.0


async def run_load(*, seed: int, tick_s: float) -> tuple[Findings, list[str]]:
    """Let the bot post everything; return what was found, and what is not as it must be."""
    with tempfile.TemporaryDirectory() as folder:
        async with running_fleet(LOAD, random.Random(seed)) as fleet:
            for place in fleet.places:
                place.slack.world.posting.burst = 2  # more than two posts in a second get a 429
            url = f"sqlite:///{folder}/bot.sqlite"
            due_at = fleet.clock().replace(minute=0, second=0, microsecond=0) + AHEAD
            await furnish(url, fleet, due_at)
            findings = findings_of(fleet, due_at, await _posted(fleet, url, due_at, tick_s))
            return findings, [*faults_of(fleet, findings, await digests_of(url, fleet))]


async def _posted(fleet: Fleet, url: str, due_at: datetime, tick_s: float) -> dict[str, Any]:
    """Let the bot post everything and stop it; return what it measured."""
    port = reserve_port()
    env = environment(fleet, url) | {"PORT": f"{port}", "TICK_SECONDS": f"{tick_s:g}"}
    words = ("-m", "tests.benchmarks.fleet_bot", "all", "metered")
    async with process(QuickSlack(), words, port, env, b"/readyz") as bot:
        await bot.report()  # of the start
        await asyncio.sleep(IDLE_S)
        idle = await bot.report()
        began_mb, began_s = bot.memory_mb(), bot.cpu_s()
        fleet.clock.ahead = due_at - LEAD - datetime.now(UTC)
        bot.move_clock(fleet.clock.ahead)
        await until_posted(fleet, 1.0)
        measured = await bot.report() | {
            "idle_lag_max_s": idle["lag_max_s"],
            "memory_began_mb": began_mb,
            "memory_peak_mb": bot.memory_mb("VmHWM"),
            "cpu_s": bot.cpu_s() - began_s,
        }
    return measured | {"status": bot.child.returncode}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tick", type=float, default=10, help="seconds; default: as the bot's")
    chosen = parser.parse_args()
    began = time.monotonic()
    findings, found = asyncio.run(run_load(seed=chosen.seed, tick_s=chosen.tick))
    faults = [f"!! {fault}" for fault in found] or ["nothing is amiss"]
    lines = [*findings.lines(), *faults, f"({time.monotonic() - began:.0f} s in all)"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
