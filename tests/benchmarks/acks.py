"""How soon Slack has its acks while lists of 10,000 domains are made.

    python -m tests.benchmarks.acks

The exit status is 1 when one of them took longer than 100 ms. On a machine that is busy with other
things it says nothing of the bot.
"""

import asyncio
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from bot.logs import set_up_logs
from tests.whole.harness import Harness, running_harness

DOMAINS = 10_000
TURNS = 20
LONGEST_S = 0.1


async def acks(town: Harness) -> list[float]:
    """Return how long each ack took, the longest last."""
    town.account.fill(DOMAINS, seed=1)
    await town.connect()
    people = [town.slack.person(name) for name in ("ada", "olga", "bob", "cy", "gus")]
    for turn in range(TURNS):
        town.clock.ahead += timedelta(seconds=61)  # a new list each turn
        await asyncio.gather(*(town.ask(each, f"/domains above:{turn}") for each in people))
    return sorted(sent.ack_s for sent in town.slack.envelopes if sent.ack_s is not None)


async def measured(mode: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        async with running_harness(Path(folder), mode) as town:
            return await acks(town)


def main() -> int:
    set_up_logs("ERROR", "console")
    longest_s = 0.0
    for mode in ("socket", "http"):
        took_s = asyncio.run(measured(mode))
        longest_s = max(longest_s, took_s[-1])
        half_ms, most_ms = took_s[len(took_s) // 2] * 1000, took_s[-1] * 1000
        sys.stdout.write(f"{mode}: {len(took_s)} acks, half within {half_ms:.0f} ms, ")
        sys.stdout.write(f"all within {most_ms:.0f} ms\n")
    return 1 if longest_s > LONGEST_S else 0


if __name__ == "__main__":
    sys.exit(main())
