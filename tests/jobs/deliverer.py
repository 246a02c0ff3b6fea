"""A worker as a process of its own: it notes in a table what it delivers, until SIGTERM.

Its arguments: the database, how long each digest takes, how long its end may, and after how long a
silent worker is dead.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace

from bot.jobs.queue import working
from bot.process.logs import set_up_logs
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.pool import open_pool, run
from tests.jobs.queue_room import NOW, QUICK

BEGIN = "INSERT INTO delivery (key, process) VALUES (%s, %s) RETURNING number"
END = "UPDATE delivery SET is_done = true WHERE number = %s"


async def main(url: str, each_s: float, finish_within_s: float, dead_after_s: float) -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    pool = await open_pool(parse_address(url))

    async def deliver(workspace: WorkspaceId, digests: Sequence[str]) -> None:
        for digest_id in digests:
            begun = await run(pool, BEGIN, (f"{workspace}/digest/{digest_id}", os.getpid()))
            await asyncio.sleep(each_s)
            await run(pool, END, begun[0])

    intervals = replace(QUICK, dead_after_s=dead_after_s)
    async with working(
        pool,
        deliver,
        clock=lambda: NOW,
        every_s=0.2,
        finish_within_s=finish_within_s,
        intervals=intervals,
    ):
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        await stop.wait()
    await pool.close()


if __name__ == "__main__":
    set_up_logs("WARNING", "console")
    with contextlib.suppress(StoreError):
        asyncio.run(main(sys.argv[1], *map(float, sys.argv[2:])))
