"""The bot in a process that is going to be killed, by a clock that its parent sets."""

import asyncio
import os

from bot.app import serve
from bot.logs import set_up_logs
from bot.settings import load_settings
from tests.benchmarks.handed import HandedClock


def main() -> None:
    settings = load_settings()
    set_up_logs(settings.log_level, settings.log_format)
    clock = HandedClock(lambda: os._exit(1))  # the parent is gone: nobody would kill us
    asyncio.run(serve(settings, asyncio.Event(), clock=clock))


if __name__ == "__main__":
    main()
