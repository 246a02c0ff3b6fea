"""Workspaces with a key and digests each, put into a store at once that no bot has open."""

import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import psycopg

from bot.digests.edits import Editor, create
from bot.digests.models import Plan
from bot.digests.repository import DigestRepository
from bot.digests.schedule import Schedule
from bot.installations.installation import Installation
from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.keys.key_record import KeyDraft
from bot.keys.repository import Keys
from bot.playground.tracker import running_tracker
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, encode_row, encode_value
from bot.store.encryption import KeyRing
from bot.store.postgres.address import parse_address
from bot.store.postgres.migrations import migrate
from bot.store.sqlite import open_sqlite
from bot.tracker.http import PATH
from tests.benchmarks.quick_slack import BOT_USER_ID, TEAM_ID, USER_ID
from tests.memory import MemoryDocuments
from tests.whole.harness import RING, SCOPES, Clock

EVERY_DAY = frozenset(range(7))
AHEAD = timedelta(hours=2)
SQLITE = "sqlite:///"
KEY = "service_sk_" + "b" * 40


@dataclass(frozen=True, kw_only=True)
class Settled:
    """A workspace that is installed, with a key, and a digest for each plan: `d0`, `d1` …"""

    team_id: str
    token: str
    key: str = KEY
    bot_user_id: str = BOT_USER_ID
    installed_by: str = USER_ID
    made_by: str = USER_ID
    plans: Sequence[Plan] = ()


@dataclass(frozen=True, kw_only=True)
class Population:
    """How many there are, `digests` over all workspaces; each of a workspace has its channel."""

    workspaces: int = 1
    domains: int = 50
    digests: int = 0

    @property
    def due_at(self) -> datetime:
        """The full hour at which the digests are due, at least an hour ahead."""
        return (datetime.now(UTC) + AHEAD).replace(minute=0, second=0, microsecond=0)

    @property
    def settled(self) -> list[Settled]:
        """All workspaces; the only one has a token of its own."""
        schedule = Schedule(EVERY_DAY, self.due_at.time(), "Etc/UTC")
        several = [f"T{number:05}" for number in range(self.workspaces)]
        return [
            Settled(
                team_id=team_id,
                token=f"xoxb-{team_id}",
                plans=[
                    Plan(channel_id=f"C{place:06}", schedule=schedule)
                    for place in range(number, self.digests, self.workspaces)
                ],
            )
            for number, team_id in enumerate(several if self.workspaces > 1 else [TEAM_ID])
        ]


async def fill_store(database_url: str, workspaces: Iterable[Settled], now: datetime) -> None:
    """Make an empty store with all that these workspaces have."""
    documents = await _documents(workspaces, now)
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


async def _documents(workspaces: Iterable[Settled], now: datetime) -> list[Document]:
    documents, ring = MemoryDocuments(), KeyRing.parse(RING)
    keys, digests = Keys(documents, ring, clock=lambda: now), DigestRepository(documents)
    for each in workspaces:
        workspace, by = WorkspaceId(each.team_id), Editor(user_id=each.made_by, name="bob")
        draft = KeyDraft(secret=each.key, label="", expires_on=None, scopes=SCOPES)
        await keys.save(workspace, draft, set_by=each.installed_by)
        installation = Installation(
            home=workspace,
            app_id="A0BENCH",
            bot_user_id=each.bot_user_id,
            scopes=("commands", "chat:write"),
            installed_by=each.installed_by,
            installed_at=now,
            token=each.token,
        )
        await InstallationRepository(documents, ring).put(installation)
        for number, plan in enumerate(each.plans):
            await digests.put(workspace, create(f"d{number}", plan, by, now))
    return await documents.list_prefix("")


def _row(document: Document) -> str:
    return encode_row(document.rev, document.due_at, encode_value(document.value))


async def listing(domains: int) -> bytes:
    """Return the service's list of so many domains, as it sends it."""
    async with running_tracker(clock=Clock()) as tracker, httpx.AsyncClient() as http:
        account = tracker.account("bench")
        account.fill(domains, seed=1)
        key = account.create_key("bench", scopes=SCOPES, days=90)
        headers = {"Authorization": f"Bearer {key}"}
        return (await http.get(f"{tracker.url}{PATH}", headers=headers)).content
