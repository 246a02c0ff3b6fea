"""The operator's commands, made and joined: a composition root beside bot/app.py.

Each prints its result and returns the exit status; what is in the way is an OperatingError.
"""

import asyncio
import sys
from collections.abc import Coroutine, Iterable
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from bot.admin.audit import Audit
from bot.admin.managers import Managers
from bot.diagnosis import diagnose
from bot.digests.errors import UnknownDigestError
from bot.digests.shelf import Shelf
from bot.house import migrate_store, move_back, store_of
from bot.house import move as move_store
from bot.logs import set_up_logs
from bot.operating.difference import Difference, difference_between
from bot.operating.document import file_text
from bot.operating.errors import OperatingError
from bot.operating.finding import failure, has_failed, ok
from bot.operating.importing import Target, write
from bot.operating.printing import shown, some_of
from bot.operating.reading import read_file
from bot.operating.rotation import failure_lines, require_shared, rotate_all, rotation_lines
from bot.operating.spots import FileProblemsError
from bot.operating.stored import (
    read_histories,
    read_holdings,
    read_holdings_whole,
    read_sealed,
    unreadable_lines,
)
from bot.operating.telling import told
from bot.settings import Settings
from bot.store.base import Documents
from bot.store.errors import ConflictError, StoreError, StoreLockedError, WrongKeyRingError
from bot.store.postgres.address import Address
from bot.store.postgres.errors import OutdatedSchemaError
from bot.store.sealed import CHECK_KEY

DONE, FAILED = 0, 1
SETTINGS = "settings"


def run(command: Coroutine[object, object, int]) -> int:
    """Run a command and return its exit status; leave with it by `os._exit`.

    Raises:
        OperatingError: it could not do its work.
        BrokenPipeError: whoever read its result has had enough.
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
        raise OperatingError(f"The bot is running: {error}. Stop it first.") from error
    except OutdatedSchemaError as error:
        raise OperatingError(
            "The database lacks tables of this version: run `python -m bot migrate` first."
        ) from error
    except (StoreError, OSError) as error:
        raise OperatingError(shown(str(error), 500)) from error
    finally:
        sys.stdout.flush()


def print_problems(problems: list[str]) -> int:
    """Print what the doctor has to say of settings that are missing or wrong."""
    mend = "See the settings in README.md. The rest is checked once they are right."
    _print(failure(SETTINGS, problem, mend).line for problem in problems)
    return FAILED


async def doctor(settings: Settings) -> int:
    """Check everything that the bot needs, one line each."""
    mode = "Socket Mode" if settings.slack_app_token else "HTTP"
    many = "any number of workspaces" if settings.is_for_many else "one workspace"
    findings = [ok(SETTINGS, f"complete, for {mode} and {many}"), *await diagnose(settings)]
    _print(finding.line for finding in findings)
    return FAILED if has_failed(findings) else DONE


async def export(settings: Settings) -> int:
    """Print the digests of every workspace, who may change them, and who manages the key."""
    holdings = await read_holdings(store_of(settings))
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # as YAML is
    sys.stdout.write(file_text(holdings))
    if holdings.unreadable:
        raise OperatingError(*unreadable_lines(holdings), "The rest was exported.")
    return DONE


async def export_history(settings: Settings) -> int:
    """Print who did what to the settings of every workspace."""
    histories = await read_histories(store_of(settings))
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # as JSON is
    sys.stdout.writelines(f"{line}\n" for line in histories.lines)
    if histories.unreadable:
        raise OperatingError(*unreadable_lines(histories), "The rest was exported.")
    return DONE


async def import_file(settings: Settings, name: str, *, is_applied: bool) -> int:
    """Print what a file would change, and change it if that is wanted."""
    store, now = store_of(settings), datetime.now(UTC)
    try:
        wanted = read_file(_bytes_of(name))
        if not is_applied:
            store.require_writable()
            held = await read_holdings_whole(store)
            difference = difference_between(held, wanted, now)
            _print([*told(difference, held.places), _advice(difference, name)])
            return DONE
        async with store.opened() as documents:
            held = await read_holdings_whole(store)
            difference = difference_between(held, wanted, now)
            _print(told(difference, held.places))
            audit = Audit(documents, clock=lambda: now)
            await write(Target(Shelf(documents), Managers(documents), audit), difference, now)
            _print(["No difference." if difference.is_empty else "Written."])
    except FileProblemsError as error:
        raise OperatingError(
            f"{shown(name)} was not imported:", *some_of(error.problems)
        ) from error
    except (ConflictError, UnknownDigestError) as error:  # beside a running bot
        raise OperatingError(
            "Somebody has changed the same in the meantime. Some of it may be written: import the"
            " file again."
        ) from error
    return DONE


async def rotate_secrets(settings: Settings) -> int:
    """Seal everything at rest anew under the first key of the ring."""
    store = store_of(settings)
    store.require_there()
    try:
        source = store.ring_source(_secret(settings.bot_secret_keys))
        if source.ring is None:
            raise OperatingError(
                f"There are no keys: BOT_SECRET_KEYS is not set, and {source.key_file} is not"
                " there. Put one of them back. Nothing was changed."
            )
        ring = source.ring
        async with store.opened() as documents:
            running = await store.living()
            require_shared(ring, await documents.get(CHECK_KEY), running)
            rotated, places = await rotate_all(lambda: read_sealed(store), documents, ring)
            await _wipe_traces(documents)
    except WrongKeyRingError as error:
        raise OperatingError(f"BOT_SECRET_KEYS: {error}. Nothing was changed.") from error
    _print(rotation_lines(rotated, source))
    if rotated.failures:
        lines = failure_lines(rotated, ring, places)
        raise OperatingError(
            "Could not be opened, and was left as it is:",
            *some_of([*lines]),
            "Keep the earlier keys in BOT_SECRET_KEYS until that is mended.",
        )
    return DONE


async def _wipe_traces(documents: Documents) -> None:
    try:
        await documents.wipe_traces()
    except StoreError as error:
        raise OperatingError(
            f"What was sealed with the old keys has left traces: {shown(str(error), 300)}. Run"
            " this again."
        ) from error


async def migrate(database: Path | Address | None) -> int:
    """Bring the tables of a database up to date; `None`: DATABASE_URL is not set."""
    _print(await migrate_store(database))
    return DONE


async def move(settings: Settings, to: str) -> int:
    """Bring the embedded store, as it is, into the database at the address `to`."""
    _print(await move_store(settings, to, _print_now))
    return DONE


async def come_back(settings: Settings) -> int:
    """Let bots start on the embedded store again, after a `move`."""
    _print(await move_back(settings))
    return DONE


def _bytes_of(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except (OSError, ValueError) as error:  # the latter for a name that holds NUL
        why = getattr(error, "strerror", None) or "no name of a file"
        raise OperatingError(f"{shown(name)} cannot be read: {why}") from error


def _advice(difference: Difference, name: str) -> str:
    if difference.is_empty:
        return "No difference."
    return f"Nothing was written. To write this: python -m bot import {shown(name)} --apply"


def _secret(setting: SecretStr | None) -> str | None:
    return setting.get_secret_value() if setting else None


def _print(lines: Iterable[str]) -> None:
    print(*lines, sep="\n")  # noqa: T201  # this is what the commands are for


def _print_now(line: str) -> None:
    print(line, flush=True)  # noqa: T201  # how far it is, also for whoever reads it from a pipe
