"""`python -m bot`: run the bot until it is stopped."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable

from bot.settings import Settings, SettingsError, load_settings

Serve = Callable[[Settings, asyncio.Event], Awaitable[None]]

WRONG_SETTINGS = 2
CANNOT_START = 1


def main() -> int:
    """Return the exit status: 0 stopped, 1 could not start, 2 wrong settings or arguments."""
    arguments = _parser().parse_args()
    if arguments.command == "playground":
        with contextlib.suppress(KeyboardInterrupt):  # while it is still being imported
            return _play(arguments)
        return 0
    try:
        settings = load_settings()
    except SettingsError as error:
        _say("Some settings are missing or wrong:", *(f"  {line}" for line in error.problems))
        return WRONG_SETTINGS
    return _run(settings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot",
        description="Domain Tracker for Slack. Settings come from the environment and from .env.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    playground = commands.add_parser(
        "playground",
        help="try everything in a browser, with no Slack account and no key",
        description=(
            "The bot between a local Slack and a local Domain Tracker, in a browser. It needs no"
            " settings, keeps nothing, and speaks to nobody outside this machine."
        ),
    )
    playground.add_argument("--host", default="127.0.0.1", help="default: %(default)s")
    playground.add_argument(
        "--port", type=_port, default=8080, help="default: %(default)s; 0 takes a free one"
    )
    key = playground.add_mutually_exclusive_group()
    key.add_argument(
        "--portfolio",
        choices=("northwind", "harbor", "atlas"),
        default="northwind",
        help="the portfolio of 12, 150 or 10,000 domains to connect to; default: %(default)s",
    )
    key.add_argument(
        "--no-key", action="store_true", help="start without a key, to connect as an admin does"
    )
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def _play(arguments: argparse.Namespace) -> int:
    try:
        # Imported only now: nobody else needs the page's packages.
        from bot.app import StartError
        from bot.play import Options, play
        from bot.playground.serving import AddressError
        from bot.store.errors import StoreError
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("bot"):
            raise
        _say(
            f"The playground needs a package that is not installed ({error.name}):"
            " `make demo` installs it, and so does `pip install -r requirements-playground.txt`."
        )
        return CANNOT_START
    portfolio = None if arguments.no_key else arguments.portfolio
    try:
        play(Options(arguments.host, arguments.port, portfolio))
    except AddressError as error:
        _say(str(error))
        return CANNOT_START
    except (StartError, StoreError, OSError) as error:
        _say(f"The playground cannot start: {error}")
        return CANNOT_START
    return 0


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
        # A store whose thread hangs would hold the interpreter for ever.
        os._exit(CANNOT_START)
    return 0


async def _until_stopped(serve: Serve, settings: Settings) -> None:
    stop = asyncio.Event()

    def asked_to_stop() -> None:
        if stop.is_set():  # asked twice: whoever asks does not want to wait
            os._exit(CANNOT_START)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, asked_to_stop)
    await serve(settings, stop)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)  # noqa: T201  # before and after there is a log


if __name__ == "__main__":
    raise SystemExit(main())
