"""The bot as `python -m bot` runs it, but by a clock of its parent, and it measures itself.

At SIGUSR1 it writes a line of JSON: what it has measured since the line before.
"""

import asyncio
import gc
import json
import os
import signal
import sys

from bot.app import serve
from bot.bootstrap.services import Role
from bot.event_loop import EventLoop
from bot.logs import set_up_logs
from bot.settings import load_settings
from tests.benchmarks.handed import HandedClock
from tests.benchmarks.meter import Meter, metered


def _report(meter: Meter) -> None:
    tasks = len(asyncio.all_tasks()) - 1  # the meter's own
    sys.stdout.write(f"{json.dumps(meter.told() | {'tasks': tasks})}\n")
    sys.stdout.flush()
    meter.lags, meter.longest, meter.collections = [], [], []


async def _run(clock: HandedClock, role: Role) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    async with metered() as meter:
        loop.add_signal_handler(signal.SIGUSR1, _report, meter)
        await serve(load_settings(), stop, role=role, clock=clock)


def main() -> None:
    settings = load_settings()
    set_up_logs(settings.log_level, settings.log_format)
    clock = HandedClock(lambda: os._exit(1))
    gc.collect()
    gc.freeze()
    with asyncio.Runner(loop_factory=EventLoop) as runner:
        runner.run(_run(clock, Role(sys.argv[1])))


if __name__ == "__main__":
    main()
