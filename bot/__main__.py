"""`python -m bot`: run the bot until it is stopped."""

import argparse
import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable

from bot.settings import Settings, SettingsError, load_settings

Serve = Callable[[Settings, asyncio.Event], Awaitable[None]]

WRONG_SETTINGS = 2
CANNOT_START = 1


def main() -> int:
    """Return the exit status: 0 stopped, 1 could not start, 2 wrong settings or arguments."""
    argparse.ArgumentParser(
        prog="python -m bot",
        description="Domain Tracker for Slack. Settings come from the environment and from .env.",
    ).parse_args()
    try:
        settings = load_settings()
    except SettingsError as error:
        _say("Some settings are missing or wrong:", *(f"  {line}" for line in error.problems))
        return WRONG_SETTINGS
    return _run(settings)


def _run(settings: Settings) -> int:
    # Imported only now: wrong settings are told within a second, and this takes most of one.
    from bot.app import StartError, serve
    from bot.logs import set_up_logs
    from bot.store.errors import StoreError, WrongKeyRingError

    set_up_logs(settings.log_level, settings.log_format)
    try:
        asyncio.run(_until_stopped(serve, settings))
    except WrongKeyRingError as error:
        _say(f"BOT_SECRET_KEYS: {error}")
        return WRONG_SETTINGS
    except (StartError, StoreError, OSError) as error:
        _say(f"The bot cannot start: {error}")
        return CANNOT_START
    return 0


async def _until_stopped(serve: Serve, settings: Settings) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await serve(settings, stop)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)  # noqa: T201  # before and after there is a log


if __name__ == "__main__":
    raise SystemExit(main())
