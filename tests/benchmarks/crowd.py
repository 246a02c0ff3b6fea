"""Far more people who ask at once than the bot can answer, each time on a new connection."""

import asyncio
import time
from dataclasses import dataclass, field
from itertools import count

from tests.benchmarks.measured import Measured
from tests.benchmarks.quick_slack import read_head

ASKED = 2_560
LINE = "/domains"
CONNECTIONS = 500  # that wait for their ack; the others wait to connect, as people's clients do


@dataclass
class Crowd:
    """Asks a process, and notes the seconds until each ack."""

    ours: Measured
    acks: list[float] = field(default_factory=list)
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

    async def together(self, people: int) -> None:
        """Let each of `people` ask again after each answer."""
        numbers = count()

        async def person() -> None:
            while next(numbers) < max(ASKED, 2 * people):
                await self.ask()

        await asyncio.gather(*(person() for _ in range(people)))
