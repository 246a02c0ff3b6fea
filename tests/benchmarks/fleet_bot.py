"""A process as `python -m bot` runs it, perhaps to be killed, by a clock that its parent sets.

    python -m tests.benchmarks.fleet_bot [role] [metered]

A metered one writes a line of JSON at SIGUSR1: what it has measured since the line before.
"""

import asyncio
import gc
import json
import os
import signal
import sys
from contextlib import AsyncExitStack

from bot.app import serve
from bot.bootstrap.services import Role
from bot.concurrency import EventLoop
from bot.logs import set_up_logs
from bot.settings import load_settings
from tests.benchmarks.handed import HandedClock
from tests.benchmarks.meter import Meter, metered


def main() -> None:
    settings = load_settings()
    set_up_logs(settings.log_level, settings.log_format)
    clock = HandedClock(lambda: os._exit(1))  # the parent is gone: no one would stop us

    gc.collect()
    gc.freeze()  # as `python -m bot` does

    async def run() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGTERM, stop.set)
        role = Role(sys.argv[1] if sys.argv[1:] else Role.ALL)
        async with AsyncExitStack() as stack:
            if sys.argv[2:]:
                meter = await stack.enter_async_context(metered())
                loop.add_signal_handler(signal.SIGUSR1, _report, meter)
            await serve(settings, stop, role=role, clock=clock)

    with asyncio.Runner(loop_factory=EventLoop) as runner:
        runner.run(run())


def _report(meter: Meter) -> None:
    tasks = len(asyncio.all_tasks()) - 1  # the meter's own
    sys.stdout.write(f"{json.dumps(meter.told() | {'tasks': tasks})}\n")
    sys.stdout.flush()
    meter.lags, meter.longest, meter.collections = [], [], []


if __name__ == "__main__":
    main()
