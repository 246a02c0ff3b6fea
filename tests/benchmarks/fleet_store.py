"""The database of a fleet: made, furnished by the bot's own hands, and looked into."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import psycopg

from bot.api_keys.key_record import KeyDraft
from bot.api_keys.repository import Keys
from bot.digests.baseline import baseline_of
from bot.digests.edits import Editor, create
from bot.digests.models import Digest, Plan
from bot.digests.repository import DigestRepository
from bot.digests.run_state import CLAIM
from bot.digests.schedule import Schedule
from bot.installations.installation import Installation, Tokens
from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import queue_migrations
from bot.portfolio.lookup import index_by_host
from bot.store.documents import Documents
from bot.store.encryption import KeyRing
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.migrations import OURS, migrate
from bot.store.sqlite import open_sqlite
from bot.tracker.models import Domain
from bot.workspace import WorkspaceId
from tests.benchmarks.fleet_town import Fleet, FleetPlace
from tests.benchmarks.scene import EVERY_DAY, RING

# The disk is waited for, as it must be; whatever else is not said is PostgreSQL's own default.
HONEST = "max_connections = 200\nlog_min_messages = fatal\n"
AT_ONCE = 10  # as many as the pool has connections
SQLITE = "sqlite:///"
MOVED = 20  # of the domains one has another score than yesterday

Which: TypeAlias = tuple[WorkspaceId, str]

_DIGESTS = "FROM document WHERE split_part(key, '/', 2) = 'digest'"
_POSTING = f"SELECT key, value->'run'->>'until' {_DIGESTS} AND value->'run'->>'state' = 'posting'"
_UNSETTLED = (
    f"SELECT count(*) {_DIGESTS} AND (value->>'run' IS NOT NULL"
    " OR json_array_length(value->'past') <> 1 OR json_array_length(value->'notices') > 0)"
)
_JOBS = "SELECT count(*) FROM procrastinate_jobs WHERE task_name = 'deliver'"


async def furnish(url: str, fleet: Fleet, due_at: datetime) -> None:
    """Make the tables; put everybody's installation, key and digests in, due at `due_at`."""
    if not url.startswith(SQLITE):
        await migrate(parse_address(url), [OURS, queue_migrations()])
    async with _opened(url) as documents:
        await _each(fleet, lambda place: _furnish(documents, fleet, place, due_at))


async def digests_of(url: str, fleet: Fleet) -> dict[Which, Digest]:
    """Return every digest as the store has it."""
    found: dict[Which, Digest] = {}
    async with _opened(url) as documents:

        async def read(place: FleetPlace) -> None:
            for digest in await DigestRepository(documents).of_workspace(place.workspace):
                found[place.workspace, digest.digest_id] = digest

        await _each(fleet, read)
    return found


async def posting_since(url: str, at: datetime) -> set[Which]:
    """Return the digests that are noted as being posted, and were so at that moment."""
    found = await _rows(url, _POSTING)
    began = [(key, datetime.fromisoformat(until) - CLAIM) for key, until in found]
    return {_which(key) for key, since in began if since <= at}


async def unsettled(url: str) -> int:
    """Return how many digests have not come to one end, or have something left to tell."""
    return int((await _rows(url, _UNSETTLED))[0][0])


async def deliveries_left(url: str) -> int:
    """Return how many deliveries are in the queue, whatever their state."""
    return int((await _rows(url, _JOBS))[0][0])


def _which(key: str) -> Which:
    workspace, _, digest_id = key.split("/")
    return WorkspaceId.parse(workspace), digest_id


async def _rows(url: str, query: str) -> list[Any]:
    connection = await psycopg.AsyncConnection.connect(url, autocommit=True)
    async with connection:
        return await (await connection.execute(query)).fetchall()


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Documents]:
    documents: Documents
    if url.startswith(SQLITE):
        documents = await open_sqlite(Path(url.removeprefix(SQLITE)))
    else:
        documents = await open_postgres(parse_address(url))
    try:
        yield documents
    finally:
        await documents.close()


async def _each(fleet: Fleet, work: Callable[[FleetPlace], Awaitable[None]]) -> None:
    """Do it with every place, a few at once."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def in_turn(place: FleetPlace) -> None:
        async with turns:
            await work(place)

    await asyncio.gather(*map(in_turn, fleet.places))


async def _furnish(
    documents: Documents, fleet: Fleet, place: FleetPlace, due_at: datetime
) -> None:
    now, ring = fleet.clock(), KeyRing.parse(RING)
    await InstallationRepository(documents, ring).put(_installation(place, now))
    secret = place.account.create_key("bot")
    key = KeyDraft(secret=secret, label="", expires_on=None, scopes=())
    ada = place.slack.world.workspace.member_named("ada").id
    await Keys(documents, ring, clock=lambda: now).save(place.workspace, key, set_by=ada)
    shelf, schedule = DigestRepository(documents), Schedule(EVERY_DAY, due_at.time(), "Etc/UTC")
    yesterday = baseline_of(index_by_host(_yesterday(place)), now - timedelta(days=1))
    by = Editor(user_id=place.bob.id, name="bob")
    for number in range(fleet.size.per_workspace):
        channel_id = place.channel_ids[number % len(place.channel_ids)]
        digest = create(f"d{number}", Plan(channel_id=channel_id, schedule=schedule), by, now)
        assert digest.next.due_at == due_at
        await shelf.keep_baseline(place.workspace, digest.digest_id, "yesterday", yesterday)
        await shelf.put(place.workspace, replace(digest, baseline="yesterday"))


def _installation(place: FleetPlace, now: datetime) -> Installation:
    installed = place.slack.world.installation
    assert installed
    return Installation(
        home=place.workspace,
        app_id=place.slack.app.id,
        bot_id=place.slack.world.workspace.bot_id,
        bot_user_id=installed.bot_user_id,
        scopes=installed.scopes,
        installed_by=installed.installed_by,
        installed_at=now,
        tokens=Tokens(access=place.slack.bot_token),
    )


def _yesterday(place: FleetPlace) -> Iterator[Domain]:
    for number, record in enumerate(place.account.domains.values()):
        health = record.health if isinstance(record.health, int | float) else None
        if health is not None and number % MOVED == 0:
            health = (health + 40) % 100
        yield Domain(domain=record.domain, domain_id=record.domain_id, health_score=health)
