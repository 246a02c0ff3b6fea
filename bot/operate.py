"""The operator's commands, made and joined: a composition root beside bot/app.py.

Each prints its result and returns the exit status; what is in the way is an OperatingError.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Coroutine, Iterable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import aiohttp
from pydantic import SecretStr
from slack_sdk.web.async_client import AsyncWebClient

from bot.digests.shelf import Shelf
from bot.logs import set_up_logs
from bot.operating.difference import Difference, difference_between, told
from bot.operating.doctor import LIMIT_S, Patient, examine
from bot.operating.document import file_text
from bot.operating.errors import OperatingError
from bot.operating.finding import failure, has_failed, ok
from bot.operating.importing import write
from bot.operating.printing import shown, some_of
from bot.operating.reading import read_file
from bot.operating.rotation import rotate, rotation_lines
from bot.operating.spots import FileProblemsError
from bot.operating.stored import (
    read_holdings,
    read_holdings_whole,
    require_stopped,
    require_store,
    unreadable_lines,
)
from bot.settings import Settings
from bot.slack.calls import check_app_token
from bot.slack.grants import fetch_grant
from bot.store.errors import StoreError, StoreLockedError, WrongKeyRingError
from bot.store.key_file import ring_source
from bot.store.queries import wipe_traces
from bot.store.snapshot import read_snapshot
from bot.store.sqlite import SqliteDocuments, open_sqlite
from bot.tracker.client import tracker_http
from bot.tracker.presence import look_for_service

DONE, FAILED = 0, 1
SETTINGS = "settings"
# Wiping the traces writes the whole file anew.
PATIENCE_S = 600.0


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
    token = settings.slack_bot_token.get_secret_value()
    async with aiohttp.ClientSession() as http, tracker_http() as service:
        slack = AsyncWebClient(
            token, settings.slack_api_url, session=http, timeout=10, retry_handlers=[]
        )
        app_token, url = _secret(settings.slack_app_token), settings.domain_tracker_url
        patient = Patient(
            fetch_grant=partial(fetch_grant, slack),
            ask_for_socket=partial(check_app_token, slack, app_token) if app_token else None,
            signing_secret=_secret(settings.slack_signing_secret) or "",
            look_for_service=partial(look_for_service, service, url, LIMIT_S),
            service_url=url,
            database=settings.database_path,
            key_ring=_secret(settings.bot_secret_keys),
            environ=os.environ,
        )
        mode = "Socket Mode" if app_token else "HTTP"
        findings = [ok(SETTINGS, f"complete, for {mode}"), *await examine(patient)]
    _print(finding.line for finding in findings)
    return FAILED if has_failed(findings) else DONE


async def export(settings: Settings) -> int:
    """Print the digests of every workspace, and who may change them."""
    holdings = await read_holdings(settings.database_path)
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # as YAML is
    sys.stdout.write(file_text(holdings))
    if holdings.unreadable:
        raise OperatingError(*unreadable_lines(holdings), "The rest was exported.")
    return DONE


async def import_file(settings: Settings, name: str, *, is_applied: bool) -> int:
    """Print what a file would change, and change it if that is wanted."""
    path, now = settings.database_path, datetime.now(UTC)
    try:
        wanted = read_file(_bytes_of(name))
        if not is_applied:
            require_stopped(path)
            difference = difference_between(await read_holdings_whole(path), wanted, now)
            _print([*told(difference), _advice(difference, name)])
            return DONE
        async with _opened(path) as documents:
            difference = difference_between(await read_holdings_whole(path), wanted, now)
            _print(told(difference))
            await write(Shelf(documents), difference, now)
            _print(["Written." if difference.changes or difference.editors else "No difference."])
    except FileProblemsError as error:
        raise OperatingError(
            f"{shown(name)} was not imported:", *some_of(error.problems)
        ) from error
    return DONE


async def rotate_secrets(settings: Settings) -> int:
    """Seal everything at rest anew under the first key of the ring."""
    path = settings.database_path
    require_store(path)
    try:
        source = ring_source(_secret(settings.bot_secret_keys), path)
        if source.ring is None:
            raise OperatingError(
                f"There are no keys: BOT_SECRET_KEYS is not set, and {source.key_file} is not"
                " there. Put one of them back. Nothing was changed."
            )
        async with _opened(path) as documents:
            keys = (await read_snapshot(path)).keys
            rotated = await rotate(documents, keys, source.ring)
            await documents.run(lambda table: wipe_traces(table.rows.conn))
    except WrongKeyRingError as error:
        raise OperatingError(f"BOT_SECRET_KEYS: {error}. Nothing was changed.") from error
    _print(rotation_lines(rotated, source))
    if rotated.problems:
        raise OperatingError(
            "Could not be opened, and was left as it is:",
            *some_of(rotated.problems),
            "Keep the earlier keys in BOT_SECRET_KEYS until that is mended.",
        )
    return DONE


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[SqliteDocuments]:
    documents = await open_sqlite(path, timeout_s=PATIENCE_S)
    try:
        yield documents
    finally:
        await documents.close()


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
