"""The rows of a store as they lie there, read without any code of the bot."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from bot.settings import Settings

Rows = dict[str, dict[str, Any]]
WITHIN_S = 60  # one notice after the other goes to the same person, at the pace of Slack


def rows_in_file(path: Path) -> Rows:
    """Return the values of all documents in a SQLite file, by key."""
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
        found = file.execute("SELECT key, value FROM docs ORDER BY key").fetchall()
    return {key: json.loads(value)["value"] for key, value in found}


def rows_in_database(url: str) -> Rows:
    """Return the values of all documents in a PostgreSQL database, by key."""
    with psycopg.connect(url) as connection:
        return dict(connection.execute("SELECT key, value FROM document ORDER BY key").fetchall())


async def rows(settings: Settings) -> Rows:
    """Return the values of all documents in the store of these settings, by key."""
    if settings.is_shared:
        return await asyncio.to_thread(rows_in_database, settings.database_url)
    return await asyncio.to_thread(rows_in_file, settings.database_path)


async def until_rows(settings: Settings, are_there: Callable[[Rows], object]) -> Rows:
    """Wait until the store holds what is looked for; return all of it."""
    async with asyncio.timeout(WITHIN_S):
        while not are_there(found := await rows(settings)):  # noqa: ASYNC110  no event of a store tells
            await asyncio.sleep(0.02)
    return found


def digests_at(found: Rows, team_id: str, time: str) -> list[dict[str, Any]]:
    """Return the digests of a workspace that are due at that time of the day."""
    return [
        value
        for key, value in found.items()
        if f".{team_id}/digest/" in key and value["plan"]["schedule"]["at"].startswith(time)
    ]
