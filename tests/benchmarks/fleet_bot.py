"""A process as `python -m bot` runs it, perhaps to be killed, by a clock that its parent sets.

    python -m tests.benchmarks.fleet_bot <role>

The clock: lines of seconds on standard input, each ahead of now.
"""

import asyncio
import gc
import os
import signal
import sys
import threading
from datetime import UTC, datetime, timedelta

from bot.app.main import serve
from bot.app.services import Role
from bot.process.concurrency import EventLoop
from bot.process.logs import set_up_logs
from bot.settings import load_settings


class HandedClock:
    """Follows its parent, and ends this process when that is gone: no one else would.

    Not the clock of tests/whole/harness.py, whose imports a measured process should not carry.
    """

    def __init__(self) -> None:
        """Wait for the first line."""
        self._ahead = timedelta()
        self._move(sys.stdin.readline())
        threading.Thread(target=self._follow, daemon=True).start()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def _follow(self) -> None:
        for line in sys.stdin:
            self._move(line)
        os._exit(1)

    def _move(self, line: str) -> None:
        self._ahead = timedelta(seconds=float(line))


def main() -> None:
    settings = load_settings()
    set_up_logs(settings.log_level, settings.log_format)
    clock = HandedClock()

    gc.collect()
    gc.freeze()  # as `python -m bot` does

    async def run() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await serve(settings, stop, role=Role(sys.argv[1]), clock=clock)

    with asyncio.Runner(loop_factory=EventLoop) as runner:
        runner.run(run())


if __name__ == "__main__":
    main()
