"""Read the command line of `python -m bot` and run what it asks for."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeAlias

from bot import __version__
from bot.settings import Settings, SettingsError, load_database, load_settings

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
WRONG_SETTINGS = 2
WHERE_SETTINGS_ARE = (
    "Set them in the environment or in .env; docs/operators.md explains each setting."
)
CANNOT_START = 1
INTERRUPTED = 130
# Longer than a stop takes, and less than the 30 s after which platforms kill.
ENDED_WITHIN_S = 28.0
PROCESSES = ("web", "worker")


def parser() -> argparse.ArgumentParser:
    words = argparse.ArgumentParser(
        prog="python -m bot",
        description=(
            "Domain Tracker for Slack. Without a command one process does it all. Settings come"
            " from the environment and from .env."
        ),
    )
    words.add_argument("--version", action="version", version=__version__)
    commands = words.add_subparsers(dest="command", metavar="COMMAND")
    _add(commands, "web", "answer Slack; any number of processes on one PostgreSQL")
    _add(
        commands,
        "worker",
        "deliver digests, scan many domains, remind and clean up. Any number of processes share"
        " one PostgreSQL",
    )
    _add_operations(commands)
    playground = _add(
        commands,
        "playground",
        "try the bot in a browser, between a local Slack and a local Domain Tracker. It needs no"
        " settings, keeps nothing, and calls nothing outside this machine",
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
    playground.add_argument(
        "--mentions", action="store_true", help="answer mentions of the app and messages to it"
    )
    return words


def _add_operations(commands: Commands) -> None:
    checking = _add(
        commands,
        "doctor",
        "check settings, Slack, the store and Domain Tracker, one line each. It can run beside a"
        " bot. Exit status 1 when something failed, else 0",
    )
    checking.add_argument(
        "--record",
        metavar="FILE",
        type=Path,
        help="ask Domain Tracker for one list and one scan too, with the key of a workspace. FILE"
        " gets the names and types of what it answers, without values",
    )
    _add(
        commands,
        "backup",
        "write everything in the store as one file. It can run beside a bot. What is sealed stays"
        " sealed: keep BOT_SECRET_KEYS, or the key file, somewhere else",
        file="- writes to standard output",
    )
    _add(
        commands,
        "restore",
        "read such a file into an empty store, SQLite or PostgreSQL, all or nothing. It needs the"
        " keys with which it was sealed. Stop the bot first",
        file="- reads from standard input",
    )
    explaining = _add(
        commands,
        "explain",
        "print what the JSON of a scan is read as, and by which rule. It needs no settings",
        file="a scan; - reads from standard input",
    )
    explaining.add_argument(
        "--names", metavar="FILE", type=Path, help="names to read by too, as SCAN_NAMES_FILE has"
    )
    rotating = _add(
        commands,
        "rotate-secrets",
        "seal everything at rest again under the first key of BOT_SECRET_KEYS. Keep the old keys"
        " behind it until this is done. Stop the bot before. If it is interrupted, run it again",
    )
    rotating.add_argument(
        "--give-up-lost-keys",
        action="store_true",
        help="go on without keys that are lost for good. API keys have to be entered again, and"
        " with OAuth the app installed again. All else is kept",
    )
    _add(
        commands,
        "migrate",
        "bring the tables in PostgreSQL up to date, before a new version starts. It can run beside"
        " bots. DATABASE_URL is the only setting that it needs",
    )


def _add(commands: Commands, name: str, does: str, file: str = "") -> argparse.ArgumentParser:
    """Add a command; `file` explains the file that it takes."""
    added = commands.add_parser(name, help=does, description=f"{does[0].upper()}{does[1:]}.")
    if file:
        added.add_argument("file", metavar="FILE", help=file)
    return added


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)


def main() -> int:
    """Return the exit status: 0 stopped or done, 1 not, 2 wrong settings or arguments."""
    arguments = parser().parse_args()
    if arguments.command == "playground":
        with contextlib.suppress(KeyboardInterrupt):  # while it is still being imported
            return _play(arguments)
        return 0
    if arguments.command == "explain":
        return _operate(lambda do: do.explain(arguments.file, arguments.names))
    try:
        if arguments.command == "migrate":
            database = load_database()
            return _operate(lambda do: do.migrate(database))
        settings = load_settings()
    except SettingsError as error:
        if arguments.command == "doctor":
            from bot.ops.commands import print_problems

            return print_problems(error.problems)
        problems = (f"  {line}" for line in error.problems)
        _say("Some settings are missing or wrong:", *problems, WHERE_SETTINGS_ARE)
        return WRONG_SETTINGS
    match arguments.command:
        case "doctor":
            return _operate(lambda do: do.doctor(settings, arguments.record))
        case "backup":
            return _operate(lambda do: do.backup(settings, arguments.file))
        case "restore":
            return _operate(lambda do: do.restore(settings, arguments.file))
        case "rotate-secrets":
            gives_up = arguments.give_up_lost_keys
            return _operate(lambda do: do.rotate_secrets(settings, gives_up=gives_up))
    if arguments.command in PROCESSES and not settings.is_shared:
        _say(
            f"`{arguments.command}` shares a PostgreSQL with the other processes: set DATABASE_URL"
            " to postgresql://…, or run `python -m bot`, which needs no other."
        )
        return WRONG_SETTINGS
    return _run(settings, arguments.command or "all")


def _play(arguments: argparse.Namespace) -> int:
    try:
        # Imported only now: no other command needs the page's packages.
        from bot.app.bolt import StartError
        from bot.playground.run import AddressError, Options, play
        from bot.store.documents import StoreError
    except ModuleNotFoundError as error:
        _say(
            f"The playground is only in a clone of the project, and lacks {error.name}: run"
            " `make demo` there, or `pip install -r requirements-playground.txt`."
        )
        return CANNOT_START
    portfolio = None if arguments.no_key else arguments.portfolio
    try:
        play(Options(arguments.host, arguments.port, portfolio, arguments.mentions))
    except (AddressError, StartError, StoreError, OSError) as error:
        _say(f"The playground cannot start: {error}")
        return CANNOT_START
    return 0


def _operate(choose: Callable[[Any], Coroutine[Any, Any, int]]) -> int:
    """Do an operator's command and end the process, also when one of its threads hangs."""
    # Imported only now: wrong settings are reported in a second.
    from bot.ops import commands
    from bot.ops.output import OperatingError

    status = CANNOT_START
    try:
        status = commands.run(choose(commands))
    except OperatingError as error:
        _say(*error.lines)
    except BrokenPipeError:
        pass
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.stderr.flush()
    os._exit(status)


def _run(settings: Settings, role: str) -> int:
    # Imported only now: wrong settings are reported in a second, and this takes most of one.
    from bot.app.bolt import StartError
    from bot.app.main import serve
    from bot.app.services import Role
    from bot.ops.output import RUN_DOCTOR
    from bot.process.concurrency import EventLoop
    from bot.process.logs import set_up_logs
    from bot.store.documents import StoreError, WrongKeyRingError

    set_up_logs(settings.log_level, settings.log_format)
    try:
        with asyncio.Runner(loop_factory=EventLoop) as runner:
            runner.run(_until_stopped(lambda stop: serve(settings, stop, role=Role(role))))
    except WrongKeyRingError as error:
        _say(f"BOT_SECRET_KEYS: {error}", RUN_DOCTOR)
        return WRONG_SETTINGS
    except (StartError, StoreError, OSError) as error:
        _say(f"The bot cannot start: {error}", RUN_DOCTOR)
        # A store whose thread hangs would hold the interpreter for ever.
        os._exit(CANNOT_START)
    return 0


async def _until_stopped(serve: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    """Serve until SIGTERM or SIGINT; a stop that hangs is ended before a platform kills it.

    Platforms may send SIGTERM several times: https://devcenter.heroku.com/articles/dyno-shutdown-behavior.
    """
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def asked_to_stop(number: signal.Signals) -> None:
        if not stop.is_set():
            stop.set()
            loop.call_later(ENDED_WITHIN_S, os._exit, CANNOT_START)
        elif number is signal.SIGINT:  # pressed again: the person does not want to wait
            os._exit(CANNOT_START)

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked_to_stop, number)
    await serve(stop)


def _say(*lines: str) -> None:
    print(*lines, sep="\n", file=sys.stderr)  # noqa: T201  # before and after there is a log


if __name__ == "__main__":
    raise SystemExit(main())
