"""A fleet on one PostgreSQL: 10,000 digests due in one minute, kills, and a restarted database.

    python -m tests.benchmarks.fleet

The exit status is 1 when anything was not as it must be.
"""

import argparse
import asyncio
import signal
import sys
import time

from tests.benchmarks.fleet_processes import Ships
from tests.benchmarks.fleet_town import FleetSize
from tests.benchmarks.fleet_voyage import Voyage, sail


async def sail_or_stop(size: FleetSize, ships: Ships, *, seed: int) -> Voyage:
    """Do it all; who ends this process ends all that it has started."""
    task = asyncio.current_task()
    assert task
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await sail(size, ships, seed=seed)


def main() -> int:
    chosen = _parser().parse_args()
    size = FleetSize(digests=chosen.digests, workspaces=chosen.workspaces, domains=chosen.domains)
    ships = Ships(webs=chosen.webs, workers=chosen.workers, tick_s=chosen.tick, lead_s=chosen.lead)
    began = time.monotonic()
    voyage = asyncio.run(sail_or_stop(size, ships, seed=chosen.seed))
    lines = [*voyage.lines(), f"({time.monotonic() - began:.0f} s in all)"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if voyage.faults else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.fleet")
    parser.add_argument("--digests", type=int, default=FleetSize.digests)
    parser.add_argument("--workspaces", type=int, default=FleetSize.workspaces)
    parser.add_argument("--domains", type=int, default=FleetSize.domains, help="of a workspace")
    parser.add_argument("--webs", type=int, default=Ships.webs)
    parser.add_argument("--workers", type=int, default=Ships.workers)
    parser.add_argument("--tick", type=float, default=Ships.tick_s, help="seconds")
    parser.add_argument("--lead", type=float, default=Ships.lead_s, help="seconds to start within")
    parser.add_argument("--seed", type=int, default=1, help="of what goes wrong at Slack")
    return parser


if __name__ == "__main__":
    sys.exit(main())
