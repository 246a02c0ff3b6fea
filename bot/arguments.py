"""The words after `python -m bot`."""

import argparse

# Where `move` finds the new address when it is not among the words.
MOVE_TO = "MOVE_TO_URL"


def parser() -> argparse.ArgumentParser:
    """Return what reads them."""
    words = argparse.ArgumentParser(
        prog="python -m bot",
        description="Domain Tracker for Slack. Settings come from the environment and from .env.",
    )
    commands = words.add_subparsers(dest="command", metavar="COMMAND")
    _add_processes(commands)
    _add_operations(commands)
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
    return words


def _add_processes(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    shared = " Several of both share one PostgreSQL; without a command one process does it all."
    commands.add_parser(
        "web",
        help="answer Slack; any number of processes on one PostgreSQL",
        description="Answers people, and nothing else." + shared,
    )
    commands.add_parser(
        "worker",
        help="deliver digests and do periodic work; any number of processes on one PostgreSQL",
        description="Delivers digests, reminds, renews and cleans up." + shared,
    )


def _add_operations(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    commands.add_parser(
        "doctor",
        help="check settings, Slack, the store and Domain Tracker; also beside a running bot",
        description=(
            "One line for each thing that the bot needs: ok, warn or FAIL, with what to do."
            " Nothing is changed and no API key is used. Exit status 1 when something failed,"
            " else 0."
        ),
    )
    exporting = commands.add_parser(
        "export",
        help="print digests and managers as YAML, or the history; also beside a running bot",
        description=(
            "Prints what people decided about digests and managers, for `import`: no keys, no"
            " tokens, no history. Exit status 1 when something could not be read, else 0."
        ),
    )
    exporting.add_argument(
        "--history", action="store_true", help="print who did what instead, as lines of JSON"
    )
    importing = commands.add_parser(
        "import",
        help="show what a file of `export` would change, and change it with --apply",
        description=(
            "Shows what is different, field by field; writes it only with --apply. Digests that"
            " the file does not name are left alone. With SQLite the bot must be stopped."
        ),
    )
    importing.add_argument("file", metavar="FILE", help="what `export` printed; - reads it here")
    importing.add_argument("--apply", action="store_true", help="write the difference")
    commands.add_parser(
        "rotate-secrets",
        help="seal everything at rest anew under the first key of BOT_SECRET_KEYS",
        description=(
            "Put the new key first in BOT_SECRET_KEYS, keep the old ones behind it, stop the bot"
            " (with PostgreSQL: start every process again), run this, and take the old ones out."
            " Cut off, it can be run again."
        ),
    )
    commands.add_parser(
        "migrate",
        help="bring the tables in PostgreSQL up to date; also beside running bots",
        description=(
            "Brings the tables of DATABASE_URL up to date, which is the only setting that it"
            " needs. Run it before a new version starts. With SQLite there is nothing to do."
        ),
    )
    moving = commands.add_parser(
        "move",
        help="bring everything from the SQLite store into an empty PostgreSQL, keys included",
        description=(
            "Copies the store of DATABASE_URL, sqlite:///…, into an empty database: all of it or"
            " nothing, what is sealed stays sealed with the same keys. The bot must be stopped."
            " Both sides are compared at the end. Begun again, it ends the same. No bot starts on"
            " the file afterwards."
        ),
    )
    way = moving.add_mutually_exclusive_group()
    way.add_argument(
        "--to",
        metavar="URL",
        help=(
            f"postgresql://…, the new DATABASE_URL. Whoever is on this machine can read it while"
            f" the command runs: set {MOVE_TO} instead when it holds a password"
        ),
    )
    way.add_argument(
        "--back",
        action="store_true",
        help=(
            "move nothing, and let a bot start on the SQLite store again as it is; what happened"
            " in the database since is not in it"
        ),
    )


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError("a port is a number from 0 to 65535")
    return int(text)
