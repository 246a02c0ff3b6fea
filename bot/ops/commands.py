"""Run the operator's commands: backup, doctor, explain, migrate, restore, rotate-secrets.

Each prints its result; what is in the way is an OperatingError.
"""

import asyncio
import sys
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import TextIO

from bot import __version__
from bot.jobs.queue_jobs import migrations
from bot.ops.backup import back_up
from bot.ops.backup import restore as restore_into
from bot.ops.doctor import diagnose
from bot.ops.explain import explain_file
from bot.ops.output import RUN_DOCTOR, Mark, OperatingError, failure, ok, printable, some_names
from bot.ops.record import record_answers
from bot.ops.sealed_texts import Store, read_sealed, require_ring, rotate, rotation_lines
from bot.process.clock import utc_now
from bot.process.logs import set_up_logs
from bot.settings import Settings, text_of
from bot.store.documents import StoreError, StoreLockedError, WrongKeyRingError
from bot.store.encryption import give_up_lost_keys
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


def run(command: Coroutine[object, object, int | None]) -> int:
    """Run a command and return its exit status; leave with it by `os._exit`.

    OperatingError: it could not do its work. BrokenPipeError: its reader has closed the pipe.
    """
    set_up_logs("ERROR", "console")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # files have it
    try:
        # Never closed: that would wait for a thread that asks a dead name server or disk.
        return asyncio.Runner().run(command) or DONE
    except BrokenPipeError:
        raise
    except StoreLockedError as error:
        raise OperatingError(f"The bot is running: {error}") from error
    except (StoreError, OSError) as error:
        raise OperatingError(printable(str(error), 500), RUN_DOCTOR) from error
    finally:
        sys.stdout.flush()


def print_problems(problems: list[str]) -> int:
    hint = "See the settings in docs/operators.md. The rest is checked once they are right."
    _print(failure(SETTINGS, problem, hint).line for problem in problems)
    return FAILED


async def doctor(settings: Settings, record: Path | None) -> int:
    """Print the checks, return the exit status; `record` gets the shapes of answers."""
    mode = "Socket Mode" if settings.slack_app_token else "HTTP"
    many = "any number of workspaces" if settings.is_for_many else "one workspace"
    findings = [ok("version", __version__), ok(SETTINGS, f"complete, for {mode} and {many}")]
    store = open_store(settings)
    findings += await diagnose(settings, store)
    if record:
        ring, url = text_of(settings.bot_secret_keys), settings.domain_tracker_url
        findings.append(await record_answers(store, ring, url, record))
    _print(finding.line for finding in findings)
    return FAILED if any(each.mark is Mark.FAIL for each in findings) else DONE


async def backup(settings: Settings, name: str) -> None:
    # Standard output may be the backup.
    _print([await back_up(open_store(settings), name, utc_now())], file=sys.stderr)


async def restore(settings: Settings, name: str) -> None:
    ring = text_of(settings.bot_secret_keys)
    _print([await restore_into(open_store(settings), name, ring)], file=sys.stderr)


async def explain(name: str, names_file: Path | None) -> None:
    _print(explain_file(name, names_file))


async def rotate_secrets(settings: Settings, *, gives_up: bool) -> None:
    """Seal everything again; `gives_up`: go on without keys that are lost."""
    store = open_store(settings)
    store.require_there()
    try:
        source = store.ring_source(text_of(settings.bot_secret_keys))
        ring = require_ring(source, "Nothing was changed.")
        await store.require_stopped()
        async with store.opened() as documents:
            if gives_up:
                await give_up_lost_keys(documents, ring)
            rotated = await rotate(documents, await read_sealed(store), ring)
    except WrongKeyRingError as error:
        raise OperatingError(f"BOT_SECRET_KEYS: {error}. Nothing was changed.") from error
    _print(rotation_lines(rotated, source))
    closed = [each.why_closed(ring) for each in rotated.closed]
    if closed and gives_up:
        _print(
            [
                f"These stay closed: {some_names(closed)}.",
                "Admins enter their API keys again. With OAuth, install the app again too.",
            ]
        )
    elif closed:
        raise OperatingError(
            f"These could not be opened, and stay as they are: {some_names(closed)}.",
            "Keep the earlier keys in BOT_SECRET_KEYS until this is fixed.",
        )


async def migrate(database: Path | Address) -> None:
    if isinstance(database, Path):
        where = f"the store is the file {database}, which needs no migration"
        _print([f"DATABASE_URL names no PostgreSQL: {where}."])
    else:
        steps = await schema.migrate(database, migrations())
        _print([f"applied {step}" for step in steps] or ["The store's schema is up to date."])


def _print(lines: Iterable[str], file: TextIO | None = None) -> None:
    print(*lines, sep="\n", file=file)
