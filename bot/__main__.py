"""`python -m bot`: run the bot until it is stopped, or do what an operator asks."""

import argparse
import asyncio
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

from bot.arguments import MOVE_TO, parser
from bot.settings import Settings, SettingsError, load_database, load_settings
from bot.store.postgres.address import Address

Serve = Callable[[asyncio.Event], Awaitable[None]]

WRONG_SETTINGS = 2
CANNOT_START = 1
INTERRUPTED = 130
# Longer than a stop takes, and less than the 30 s after which platforms kill.
ENDED_WITHIN_S = 28.0
PROCESSES = ("web", "worker")
OPERATIONS = ("doctor", "export", "import", "rotate-secrets", "move")


def main() -> int:
    """Return the exit status: 0 stopped or done, 1 not, 2 wrong settings or arguments."""
    # Loading leaves no garbage, and a walk through what grows is a fifth of its time.
    gc.disable()
    arguments = parser().parse_args()
    if arguments.command == "playground":
        with contextlib.suppress(KeyboardInterrupt):  # while it is still being imported
            return _play(arguments)
        return 0
    try:
        if arguments.command == "migrate":
            return _migrate(load_database())
        settings = load_settings()
    except SettingsError as error:
        if arguments.command == "doctor":
            return _tell_problems(error.problems)
        _say("Some settings are missing or wrong:", *(f"  {line}" for line in error.problems))
        return WRONG_SETTINGS
    if arguments.command in OPERATIONS:
        return _operate(lambda: _command(settings, arguments))
    if arguments.command in PROCESSES and not settings.is_shared:
        _say(
            f"`{arguments.command}` shares a PostgreSQL with the other processes: set DATABASE_URL"
            " to postgresql://…, or run `python -m bot`, which needs no other."
        )
        return WRONG_SETTINGS
    return _run(settings, arguments.command or "all")


def _play(arguments: argparse.Namespace) -> int:
    try:
        # Imported only now: nobody else needs the page's packages.
        from bot.door import StartError
        from bot.playground.run import Options, play
        from bot.playground.serving import AddressError
        from bot.store.errors import StoreError
    except ModuleNotFoundError as error:
        if error.name == "bot.playground":
            _say(
                "The installed package has no playground: clone the project, and run `make demo`."
            )
            return CANNOT_START
        if (error.name or "").startswith("bot"):
            raise
        _say(
            f"The playground needs a package that is not installed ({error.name}):"
            " `make demo` installs it, and so does `pip install -r requirements-playground.txt`."
        )
        return CANNOT_START
    _keep_what_is_loaded()
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


def _tell_problems(problems: list[str]) -> int:
    from bot.operate import print_problems

    return print_problems(problems)


def _migrate(database: Path | Address | None) -> int:
    from bot import operate

    return _operate(lambda: operate.migrate(database))


def _operate(command: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Do an operator's command and end the process, also when one of its threads hangs."""
    from bot.operate import run
    from bot.operating.errors import OperatingError

    gc.enable()
    try:
        status = run(command())
    except OperatingError as error:
        _say(*error.lines)
        status = CANNOT_START
    except BrokenPipeError:
        status = CANNOT_START
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.stderr.flush()
    os._exit(status)


def _command(settings: Settings, arguments: argparse.Namespace) -> Coroutine[Any, Any, int]:
    from bot import operate

    match arguments.command:
        case "doctor":
            return operate.doctor(settings)
        case "export" if arguments.history:
            return operate.export_history(settings)
        case "export":
            return operate.export(settings)
        case "import":
            return operate.import_file(settings, arguments.file, is_applied=arguments.apply)
        case "move" if arguments.back:
            return operate.come_back(settings)
        case "move":
            return operate.move(settings, arguments.to or os.environ.get(MOVE_TO, ""))
        case _:
            return operate.rotate_secrets(settings)


def _run(settings: Settings, role: str) -> int:
    # Imported only now: wrong settings are told within a second, and this takes most of one.
    from bot.app import serve
    from bot.door import StartError
    from bot.logs import set_up_logs
    from bot.parts import Role
    from bot.store.errors import StoreError, WrongKeyRingError

    set_up_logs(settings.log_level, settings.log_format)
    _keep_what_is_loaded()
    try:
        asyncio.run(_until_stopped(lambda stop: serve(settings, stop, role=Role(role))))
    except WrongKeyRingError as error:
        _say(f"BOT_SECRET_KEYS: {error}")
        return WRONG_SETTINGS
    except (StartError, StoreError, OSError) as error:
        _say(f"The bot cannot start: {error}")
        # A store whose thread hangs would hold the interpreter for ever.
        os._exit(CANNOT_START)
    return 0


def _keep_what_is_loaded() -> None:
    """Let the garbage collector begin its work without what was loaded once.

    It would walk through that again and again: measured under load, 40 ms at a time in which
    nobody gets an ack.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


async def _until_stopped(serve: Serve) -> None:
    """Serve until SIGTERM or SIGINT; a stop that hangs is ended before a platform kills it.

    Platforms may send SIGTERM several times: https://devcenter.heroku.com/articles/dyno-shutdown-behavior.
    """
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def asked_to_stop(number: signal.Signals) -> None:
        if not stop.is_set():
            stop.set()
            loop.call_later(ENDED_WITHIN_S, os._exit, CANNOT_START)
        elif number is signal.SIGINT:  # pressed again: whoever sits there does not want to wait
            os._exit(CANNOT_START)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_stop, number)
    await serve(stop)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)  # noqa: T201  # before and after there is a log


if __name__ == "__main__":
    raise SystemExit(main())
