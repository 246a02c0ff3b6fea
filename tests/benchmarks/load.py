"""300 digests over 30 workspaces in one minute, while Slack refuses some posts: how it went.

    python -m tests.benchmarks.load

The exit status is 1 when anything was not as it must be.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.benchmarks.audit import (
    Findings,
    faults_at_slack,
    faults_of_bot,
    findings_of,
    unrecorded,
)
from tests.benchmarks.many import Crowd, Place, Size, gathered
from tests.benchmarks.scene import RING
from tests.fakes import TIME_LIMIT_S

LEAD_S = 1.0
POSTED_WITHIN_S = 120.0


async def run_load(size: Size, *, seed: int, tick_s: float) -> Findings:
    with tempfile.TemporaryDirectory() as folder:
        async with gathered(Path(folder), size, random.Random(seed)) as crowd:
            bot = await _posted(crowd, size, tick_s)
            findings = findings_of(crowd, size, bot)
            own = faults_of_bot(bot, findings.closest_s)
            faults = [*faults_at_slack(crowd, size), *await unrecorded(crowd), *own]
            return replace(findings, faults=faults)


async def _posted(crowd: Crowd, size: Size, tick_s: float) -> dict[str, Any]:
    """Let the bot post everything; return what it measured."""
    orders = {
        "database": f"{crowd.database}",
        "ring": RING,
        "tracker_url": crowd.tracker.url,
        "tick_s": tick_s,
        "slacks": {
            f"{place.workspace}": (place.slack.api_url, place.slack.bot_token)
            for place in crowd.places
        },
    }
    async with _process() as (inward, outward):
        inward.write(f"{json.dumps(orders)}\n0\n".encode())
        assert await outward.readline() == b"ready\n"
        crowd.clock.ahead = crowd.due_at - timedelta(seconds=LEAD_S) - datetime.now(UTC)
        inward.write(f"{crowd.clock.ahead.total_seconds()}\n".encode())
        try:
            async with asyncio.timeout(POSTED_WITHIN_S):
                await asyncio.gather(*(_all_posts(place, size) for place in crowd.places))
        finally:
            inward.close()
        text: dict[str, Any] = json.loads(await outward.read())
        return text


async def _all_posts(place: Place, size: Size) -> None:
    bell = place.slack.world.workspace.change_event
    await bell.until(lambda: len(place.posts()) == size.digests or None, POSTED_WITHIN_S)


@asynccontextmanager
async def _process() -> AsyncIterator[tuple[asyncio.StreamWriter, asyncio.StreamReader]]:
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.loaded"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        limit=2**20,
    )
    assert bot.stdin
    assert bot.stdout
    try:
        yield bot.stdin, bot.stdout
    finally:
        async with asyncio.timeout(TIME_LIMIT_S):
            await bot.wait()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tick", type=float, default=10, help="seconds; default: as the bot's")
    parser.add_argument("--large", type=int, default=3, help="workspaces with 10,000 domains")
    chosen = parser.parse_args()
    began = time.monotonic()
    size = Size(large=chosen.large)
    findings = asyncio.run(run_load(size, seed=chosen.seed, tick_s=chosen.tick))
    faults = [f"!! {fault}" for fault in findings.faults] or ["nothing is amiss"]
    lines = [*findings.lines(), *faults, f"({time.monotonic() - began:.0f} s in all)"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
