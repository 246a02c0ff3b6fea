"""Run the operator's commands: backup, doctor, explain, migrate, restore, rotate-secrets.

Each prints its result and returns the exit status; what is in the way is an OperatingError.
"""

import asyncio
import sys
from collections.abc import Coroutine, Iterable
from pathlib import Path

from bot import __version__
from bot.jobs.queue_jobs import migrations
from bot.ops.backup import back_up
from bot.ops.backup import restore as restore_into
from bot.ops.doctor import diagnose
from bot.ops.explain import explain_file
from bot.ops.output import RUN_DOCTOR, Mark, OperatingError, failure, ok, printable, some_names
from bot.ops.record import record_answers
from bot.ops.rotate_secrets import rotate, rotation_lines
from bot.ops.sealed_texts import Store, no_keys_error, read_sealed
from bot.process.clock import utc_now
from bot.process.logs import set_up_logs
from bot.settings import Settings, text_of
from bot.store.documents import StoreError, StoreLockedError, WrongKeyRingError
from bot.store.postgres import migrations as schema
from bot.store.postgres.address import Address
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore

DONE, FAILED = 0, 1
SETTINGS = "settings"


def open_store(settings: Settings) -> Store:
    if isinstance(settings.database, Path):
        return FileStore(settings.database)
    return DatabaseStore(settings.database, migrations())


def run(command: Coroutine[object, object, int]) -> int:
    """Run a command and return its exit status; leave with it by `os._exit`.

    Raises:
        OperatingError: it could not do its work.
        BrokenPipeError: the reader of its output has closed the pipe.
    """
    set_up_logs("ERROR", "console")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # files have it
    try:
        # Never closed: that would wait for a thread that asks a dead name server or disk.
        return asyncio.Runner().run(command)
    except BrokenPipeError:
        raise
    except StoreLockedError as error:
        raise OperatingError(f"The bot is running: {error}") from error
    except (StoreError, OSError) as error:
        raise OperatingError(printable(str(error), 500), RUN_DOCTOR) from error
    finally:
        sys.stdout.flush()


def print_problems(problems: list[str]) -> int:
    """Print the doctor's findings about settings that are missing or wrong."""
    hint = "See the settings in docs/operators.md. The rest is checked once they are right."
    _print(failure(SETTINGS, problem, hint).line for problem in problems)
    return FAILED


async def doctor(settings: Settings, record: Path | None) -> int:
    """Print a line for each check; `record` gets the shapes of what Domain Tracker answers."""
    mode = "Socket Mode" if settings.slack_app_token else "HTTP"
    many = "any number of workspaces" if settings.is_for_many else "one workspace"
    findings = [ok("version", __version__), ok(SETTINGS, f"complete, for {mode} and {many}")]
    store = open_store(settings)
    findings += await diagnose(settings, store)
    if record:
        ring, url = text_of(settings.bot_secret_keys) or None, settings.domain_tracker_url
        findings.append(await record_answers(store, ring, url, record))
    _print(finding.line for finding in findings)
    return FAILED if any(each.mark is Mark.FAIL for each in findings) else DONE


async def backup(settings: Settings, name: str) -> int:
    """Write everything in the store as one file, `-` for standard output."""
    _report(await back_up(open_store(settings), name, utc_now()))
    return DONE


async def restore(settings: Settings, name: str) -> int:
    """Read such a file into an empty store, `-` for standard input."""
    store = open_store(settings)
    _report(await restore_into(store, name, text_of(settings.bot_secret_keys) or None))
    return DONE


async def explain(name: str, names_file: Path | None) -> int:
    """Print what the JSON of a scan is read as."""
    _print(explain_file(name, names_file))
    return DONE


async def rotate_secrets(settings: Settings) -> int:
    """Encrypt everything at rest again under the first key of the ring."""
    store = open_store(settings)
    store.require_there()
    try:
        source = store.ring_source(text_of(settings.bot_secret_keys))
        if source.ring is None:
            raise no_keys_error(source, "Nothing was changed.")
        await store.require_stopped()
        async with store.opened() as documents:
            rotated = await rotate(documents, await read_sealed(store), source.ring)
    except WrongKeyRingError as error:
        raise OperatingError(f"BOT_SECRET_KEYS: {error}. Nothing was changed.") from error
    _print(rotation_lines(rotated, source))
    if rotated.closed:
        closed = [each.why_closed(source.ring) for each in rotated.closed]
        raise OperatingError(
            f"These could not be opened, and stay as they are: {some_names(closed)}.",
            "Keep the earlier keys in BOT_SECRET_KEYS until this is fixed.",
        )
    return DONE


async def migrate(database: Path | Address) -> int:
    """Bring the tables of a database up to date."""
    if isinstance(database, Path):
        where = f"the store is the file {database}, which needs no migration"
        _print([f"DATABASE_URL names no PostgreSQL: {where}."])
    else:
        steps = await schema.migrate(database, migrations())
        _print([f"applied {step}" for step in steps] or ["The store's schema is up to date."])
    return DONE


def _report(line: str) -> None:
    """Print to stderr: standard output may be the backup."""
    print(line, file=sys.stderr)  # noqa: T201  # this is what the commands are for


def _print(lines: Iterable[str]) -> None:
    print(*lines, sep="\n")  # noqa: T201  # this is what the commands are for
