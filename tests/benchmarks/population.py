"""Workspaces with a key and digests each, put into a store at once that no bot has open."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from pathlib import Path

import httpx
import psycopg

from bot.api_keys.key_record import KeyDraft
from bot.api_keys.repository import Keys
from bot.digests.edits import Editor, create
from bot.digests.models import Plan
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule
from bot.installations.installation import Installation, Tokens
from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.playground.tracker import Tracker, running_tracker
from bot.store.documents import Document, encode_row, encode_value
from bot.store.encryption import KeyRing
from bot.store.postgres.address import parse_address
from bot.store.postgres.migrations import migrate
from bot.store.sqlite import open_sqlite
from bot.tracker.http import PATH
from bot.workspace import WorkspaceId
from tests.benchmarks.quick_slack import BOT_USER_ID, TEAM_ID, USER_ID
from tests.memory import MemoryDocuments
from tests.whole.harness import SCOPES, Clock

RING = "k1:" + "a" * 43 + "="
EVERY_DAY = frozenset(range(7))
AHEAD = timedelta(hours=2)
SQLITE = "sqlite:///"


@dataclass(frozen=True, kw_only=True)
class Population:
    """How many there are, `digests` over all workspaces; each of a workspace has its channel.

    The digests are due at `due_at`, or, if they are `spread`, at the hours of the day in turn.
    """

    workspaces: int = 1
    domains: int = 50
    digests: int = 0
    is_spread: bool = False
    key: str = "service_sk_" + "b" * 40

    @property
    def teams(self) -> list[str]:
        """The ids of all workspaces; the only one has a token of its own."""
        several = [f"T{number:05}" for number in range(self.workspaces)]
        return several if self.workspaces > 1 else [TEAM_ID]

    @property
    def due_at(self) -> datetime:
        """The full hour at which the digests are due, at least an hour ahead."""
        return (datetime.now(UTC) + AHEAD).replace(minute=0, second=0, microsecond=0)

    async def settle(self, database_url: str) -> None:
        """Write all of them to an empty store, which is made."""
        await fill_store(database_url, await self._documents())

    async def _documents(self) -> list[Document]:
        documents, ring, now = MemoryDocuments(), KeyRing.parse(RING), datetime.now(UTC)
        keys = Keys(documents, ring, clock=lambda: now)
        draft = KeyDraft(secret=self.key, label="", expires_on=None, scopes=SCOPES)
        for team in self.teams:
            await keys.save(WorkspaceId(team), draft, set_by=USER_ID)
            await InstallationRepository(documents, ring).put(_installation(team, now))
        shelf, by = DigestRepository(documents), Editor(user_id=USER_ID, name="bob")
        for number in range(self.digests):
            team = self.teams[number % self.workspaces]
            at = time(number % 24) if self.is_spread else self.due_at.time()
            plan = Plan(channel_id=f"C{number:06}", schedule=Schedule(EVERY_DAY, at, "Etc/UTC"))
            await shelf.put(WorkspaceId(team), create(f"d{number}", plan, by, now))
        return await documents.list_prefix("")


async def fill_store(database_url: str, documents: list[Document]) -> None:
    """Make an empty store with these documents."""
    if database_url.startswith(SQLITE):
        path = Path(database_url.removeprefix(SQLITE))
        await (await open_sqlite(path)).close()
        rows = [(each.key, _row(each)) for each in documents]
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
        return
    await migrate(parse_address(database_url), migrations())
    async with (
        await psycopg.AsyncConnection.connect(database_url) as shared,
        shared.cursor() as cursor,
    ):
        await cursor.executemany(
            "INSERT INTO document (key, value, rev, due_at) VALUES (%s, %s, %s, %s)",
            [(each.key, json.dumps(each.value), each.rev, each.due_at) for each in documents],
        )


def _row(document: Document) -> str:
    return encode_row(document.rev, document.due_at, encode_value(document.value))


def _installation(team: str, now: datetime) -> Installation:
    return Installation(
        home=WorkspaceId(team),
        app_id="A0BENCH",
        bot_id="B0BOT",
        bot_user_id=BOT_USER_ID,
        scopes=("commands", "chat:write"),
        installed_by=USER_ID,
        installed_at=now,
        tokens=Tokens(access=f"xoxb-{team}"),
    )


async def listing(domains: int) -> bytes:
    """Return the service's list of so many domains, as it sends it."""
    async with service(domains) as (tracker, key), httpx.AsyncClient() as http:
        headers = {"Authorization": f"Bearer {key}"}
        return (await http.get(f"{tracker.url}{PATH}", headers=headers)).content


@asynccontextmanager
async def service(domains: int) -> AsyncIterator[tuple[Tracker, str]]:
    """Run the playground's service; yield it and the key of the whole population."""
    async with running_tracker(clock=Clock()) as tracker:
        account = tracker.account("bench")
        account.fill(domains, seed=1)
        yield tracker, account.create_key("bench", scopes=SCOPES, days=90)
