"""Measure the acks while far more people ask at once than the bot can answer.

    python -m tests.benchmarks.crowd

First 64 people ask, read the ack, wait for the answer and ask again, which saturates the bot: that
many a second are "the load". Then 5 and 20 times as many ask at once, and at last 5 and 20 times
the load comes for some seconds, whether it is answered or not. Each request has a new connection.
"""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count

from tests.benchmarks.measured import AT_ONCE, Measured, bot
from tests.benchmarks.quick_slack import quick_slack, read_head

ASKED = 2_560
LINE = "/domains"
CONNECTIONS = 500  # that wait for their ack; the others wait to connect, as people's clients do
BURST_S = {5: 3.0, 20: 1.0}
ANSWERED_WITHIN_S = 120.0


@dataclass
class Crowd:
    """Asks a process, and notes the seconds until each ack and each answer."""

    ours: Measured
    name: str
    acks: list[float] = field(default_factory=list)
    answers: list[float] = field(default_factory=list)
    connections: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONNECTIONS))

    async def ask(self) -> None:
        """Ask once; return after the answer."""
        sent, answered = self.ours.slack.command(LINE)
        async with self.connections:
            began = time.perf_counter()
            reader, writer = await asyncio.open_connection("127.0.0.1", self.ours.port)
            writer.write(sent)
            head = await read_head(reader)
            self.acks.append(time.perf_counter() - began)
            writer.close()
        if b" 200 " not in head.partition(b"\r\n")[0]:
            raise RuntimeError(f"after {len(self.acks)} acks: {head!r}")
        await answered
        self.answers.append(time.perf_counter() - began)

    async def together(self, people: int) -> None:
        """Let each of `people` ask again after each answer."""
        numbers = count()

        async def person() -> None:
            while next(numbers) < max(ASKED, 2 * people):
                await self.ask()

        await asyncio.gather(*(person() for _ in range(people)))

    async def burst(self, per_second: float, seconds: float) -> None:
        """Ask so often, without waiting for anything."""
        asking, began = list[asyncio.Task[None]](), time.perf_counter()
        while (passed_s := time.perf_counter() - began) < seconds:
            while len(asking) < passed_s * per_second:
                asking.append(asyncio.create_task(self.ask()))
            await asyncio.sleep(0.001)
        await asyncio.gather(*asking)

    @asynccontextmanager
    async def shown(self) -> AsyncIterator[None]:
        """Print what the block has measured."""
        began, began_cpu = time.perf_counter(), self.ours.cpu_s()
        async with asyncio.timeout(ANSWERED_WITHIN_S):
            yield
        took_s, cpu_s = time.perf_counter() - began, self.ours.cpu_s() - began_cpu
        acks, answers = sorted(self.acks), sorted(self.answers)
        half, asked = len(acks) // 2, len(acks)
        sys.stdout.write(
            f"{self.name:>16}: {asked:>6,} asked  ack {acks[half]:.3f} … {acks[-1]:.3f} s"
            f"  answer {answers[half]:.2f} … {answers[-1]:.2f} s  {asked / took_s:.0f} a second"
            f"  {cpu_s / asked * 1e3:.2f} ms each  {self.ours.memory_mb():.0f} MB\n"
        )
        sys.stdout.flush()


async def main() -> None:
    async with quick_slack() as slack, bot(slack) as ours:
        await ours.one_by_one(LINE, 20)
        for times in (1, *BURST_S):
            crowd = Crowd(ours, f"{times * AT_ONCE:,} people")
            began = time.perf_counter()
            async with crowd.shown():
                await crowd.together(times * AT_ONCE)
            if times == 1:
                load = len(crowd.acks) / (time.perf_counter() - began)
        for times, seconds in BURST_S.items():
            crowd = Crowd(ours, f"{times} times the load")
            async with crowd.shown():
                await crowd.burst(times * load, seconds)


if __name__ == "__main__":
    asyncio.run(main())
