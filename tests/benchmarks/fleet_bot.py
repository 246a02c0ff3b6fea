"""A process as `python -m bot` runs it, perhaps to be killed, by a clock that its parent sets."""

import asyncio
import os
import signal
import sys

from bot.app import serve
from bot.bootstrap.services import Role
from bot.logs import set_up_logs
from bot.settings import load_settings
from tests.benchmarks.handed import HandedClock


def main() -> None:
    settings = load_settings()
    set_up_logs(settings.log_level, settings.log_format)
    clock = HandedClock(lambda: os._exit(1))  # the parent is gone: no one would stop us

    async def run() -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        await serve(
            settings, stop, role=Role(sys.argv[1] if sys.argv[1:] else Role.ALL), clock=clock
        )

    asyncio.run(run())


if __name__ == "__main__":
    main()
