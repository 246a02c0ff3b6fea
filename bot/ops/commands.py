"""Run the operator's commands: doctor, export, import, migrate, move, rotate-secrets.

Each prints its result and returns the exit status; what is in the way is an OperatingError.
"""

import asyncio
import sys
from collections.abc import Coroutine, Iterable
from datetime import UTC, datetime
from pathlib import Path

from bot.digests.models import UnknownDigestError
from bot.jobs.queue_jobs import migrations
from bot.logs import set_up_logs
from bot.ops.doctor import diagnose
from bot.ops.export_file import (
    Found,
    Holdings,
    file_text,
    read_histories,
    read_holdings,
    workspace_names,
)
from bot.ops.import_diff import Difference, difference_between, difference_lines, write
from bot.ops.import_file import FileProblemsError, WantedFile, read_file
from bot.ops.move import allow_file_again, move_store
from bot.ops.output import RUN_DOCTOR, Mark, OperatingError, failure, ok, shown, some_of
from bot.ops.rotate_secrets import (
    failure_lines,
    require_none_late,
    require_shared,
    rotate,
    rotation_lines,
)
from bot.ops.stores import DatabaseStore, FileStore, Store, no_keys_error, read_sealed
from bot.settings import DEFAULT_FILE, MOVE_TO, Settings, text_of
from bot.store.documents import (
    ConflictError,
    Documents,
    OutdatedSchemaError,
    StoreError,
    StoreLockedError,
    WrongKeyRingError,
)
from bot.store.encryption import CHECK_KEY
from bot.store.postgres import migrations as schema
from bot.store.postgres.address import Address, parse_address


def open_store(settings: Settings) -> Store:
    if isinstance(settings.database, Path):
        return FileStore(settings.database)
    return DatabaseStore(settings.database, migrations())


DONE, FAILED = 0, 1
SETTINGS = "settings"


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
    except OutdatedSchemaError as error:
        raise OperatingError(
            "The database lacks tables of this version: run `python -m bot migrate` first."
        ) from error
    except (StoreError, OSError) as error:
        raise OperatingError(shown(str(error), 500), RUN_DOCTOR) from error
    finally:
        sys.stdout.flush()


def print_problems(problems: list[str]) -> int:
    """Print the doctor's findings about settings that are missing or wrong."""
    mend = "See the settings in docs/operators.md. The rest is checked once they are right."
    _print(failure(SETTINGS, problem, mend).line for problem in problems)
    return FAILED


async def doctor(settings: Settings) -> int:
    """Check everything that the bot needs, one line each."""
    mode = "Socket Mode" if settings.slack_app_token else "HTTP"
    many = "any number of workspaces" if settings.is_for_many else "one workspace"
    findings = [ok(SETTINGS, f"complete, for {mode} and {many}")]
    findings += await diagnose(settings, open_store(settings))
    _print(finding.line for finding in findings)
    return FAILED if any(each.mark is Mark.FAIL for each in findings) else DONE


async def export(settings: Settings) -> int:
    """Print the digests of every workspace, who may change them, and who manages the key."""
    holdings = await read_holdings(open_store(settings))
    return _write(file_text(holdings), holdings)


async def export_history(settings: Settings) -> int:
    """Print who did what to the settings of every workspace."""
    histories = await read_histories(open_store(settings))
    return _write("".join(f"{line}\n" for line in histories.lines), histories)


def _write(text: str, found: Found) -> int:
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # as YAML and JSON are
    sys.stdout.write(text)
    if found.unreadable:
        raise found.unreadable_error("The rest was exported.")
    return DONE


async def import_file(settings: Settings, name: str, *, is_applied: bool) -> int:
    """Print what a file would change, and write it if `is_applied`."""
    store, now = open_store(settings), datetime.now(UTC)
    try:
        wanted = read_file(_bytes_of(name))
        if not is_applied:
            store.require_writable()
            difference = await _print_difference(store, wanted, now)
            apply = f"python -m bot import {shown(name)} --apply"
            advice = f"Nothing was written. To write this: {apply}"
            _print(["No difference." if difference.is_empty else advice])
            return DONE
        async with store.opened() as documents:
            difference = await _print_difference(store, wanted, now)
            await write(documents, difference, now)
            _print(["No difference." if difference.is_empty else "Written."])
    except FileProblemsError as error:
        raise OperatingError(
            f"{shown(name)} was not imported:", *some_of(error.problems)
        ) from error
    except (ConflictError, UnknownDigestError) as error:  # beside a running bot
        raise OperatingError(
            "Someone else changed the same settings just now. Part of the file may be written."
            " Import it again."
        ) from error
    return DONE


async def _print_difference(store: Store, wanted: WantedFile, now: datetime) -> Difference:
    is_new = isinstance(store, FileStore) and not store.path.exists()
    held = Holdings() if is_new else await read_holdings(store)
    if held.unreadable:
        raise held.unreadable_error("Nothing was imported.")
    difference = difference_between(held, wanted, now)
    _print(difference_lines(difference, held.known_names))
    return difference


def _bytes_of(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise OperatingError(f"{shown(name)} cannot be read: {error.strerror}") from error


async def rotate_secrets(settings: Settings) -> int:
    """Encrypt everything at rest again under the first key of the ring."""
    store = open_store(settings)
    store.require_there()
    try:
        source = store.ring_source(text_of(settings.bot_secret_keys))
        if source.ring is None:
            raise no_keys_error(source, "Nothing was changed.")
        async with store.opened() as documents:
            check = await documents.get(CHECK_KEY)
            require_shared(source.ring, check, await store.running_processes())
            snapshot = await read_sealed(store)
            rotated = await rotate(documents, snapshot, source.ring)
            if not rotated.failures:
                require_none_late(await read_sealed(store), source.ring)
            await _vacuum(documents)
    except WrongKeyRingError as error:
        raise OperatingError(f"BOT_SECRET_KEYS: {error}. Nothing was changed.") from error
    _print(rotation_lines(rotated, source))
    if rotated.failures:
        raise OperatingError(
            "These could not be opened, and stay as they are:",
            *some_of([*failure_lines(rotated, source.ring, workspace_names(snapshot.documents))]),
            "Keep the earlier keys in BOT_SECRET_KEYS until this is fixed.",
        )
    return DONE


async def _vacuum(documents: Documents) -> None:
    try:
        await documents.vacuum()
    except StoreError as error:
        raise OperatingError(
            f"The file may still hold secrets under the old keys: {shown(str(error), 300)}. Run"
            " this again."
        ) from error


async def migrate(database: Path | Address | None) -> int:
    """Bring the tables of a database up to date; `None`: DATABASE_URL is not set."""
    if database is None:
        _print(
            [
                f"DATABASE_URL is not set, so the store is the file {DEFAULT_FILE}, which needs no"
                " migration."
            ]
        )
    elif isinstance(database, Path):
        _print(["There is nothing to do: the store is a file, which needs no migration."])
    else:
        steps = await schema.migrate(database, migrations())
        _print([f"applied {step}" for step in steps] or ["The store's schema is up to date."])
    return DONE


async def move(settings: Settings, to: str) -> int:
    """Move the embedded store into the database at the address `to`."""
    path = _file_of(settings)
    if not to:
        raise OperatingError(f"Where to? Give the address as --to or in {MOVE_TO}.")
    try:
        target = DatabaseStore(parse_address(to), migrations())
    except ValueError as error:
        raise OperatingError(
            f"The address to move to is wrong: {error}. Nothing was moved."
        ) from None
    keys, now = text_of(settings.bot_secret_keys) or None, datetime.now(UTC)
    try:
        _print(await move_store(path, target, setting=keys, now=now))
    except WrongKeyRingError as error:
        raise OperatingError(f"{error}. Nothing was moved.") from error
    return DONE


async def move_back(settings: Settings) -> int:
    """Let bots start on the embedded store again, after a `move`."""
    _print(await allow_file_again(_file_of(settings)))
    return DONE


def _file_of(settings: Settings) -> Path:
    if isinstance(settings.database, Path):
        return settings.database
    raise OperatingError(
        "DATABASE_URL is a PostgreSQL already. `move` copies a store in SQLite: set DATABASE_URL"
        " to the old address, sqlite:///…. Nothing was changed."
    )


def _print(lines: Iterable[str]) -> None:
    print(*lines, sep="\n")  # noqa: T201  # this is what the commands are for
