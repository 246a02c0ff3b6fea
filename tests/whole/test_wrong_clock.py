"""A process whose clock is wrong is not ready, and does nothing that cannot be undone."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from bot.app import serve
from bot.bootstrap.services import Role
from bot.store.postgres.documents import PostgresDocuments
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import digests, make, move_to, next_digest, nine, open_list
from tests.whole.harness import PATIENT, Harness, make_store, running_bot, running_stand_ins

pytestmark = pytest.mark.anyio

AHEAD = timedelta(days=31)


async def checks_of(app: Harness) -> Mapping[str, bool]:
    """Return the checks of a process that is not ready, once its ticks have begun."""
    async with asyncio.timeout(TIME_LIMIT_S), aiohttp.ClientSession() as http:
        while True:
            try:
                async with http.get(app.url("/readyz")) as answer:
                    return dict((await answer.json())["checks"])
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.01)


@pytest.mark.transports("http", "shared")
async def test_a_clock_that_runs_31_days_ahead_misses_no_slot_and_deletes_nothing(
    tmp_path: Path, transport: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        await make_store(app)
        async with running_bot(app):
            app.account.add("shop.example", health=41)
            await app.connect()
            await make(app)
            before = (await open_list(app, app.bob)).everything
        with monkeypatch.context() as patch:
            patch.setattr(PostgresDocuments, "now", at_the_database)
            checks = await run_ahead(app, AHEAD)
        async with running_bot(app):
            after = (await open_list(app, app.bob)).everything
            move_to(app, nine(app))
            await next_digest(app)

    assert checks["clock"] is False
    assert checks["store"]
    assert after == before
    assert len(digests(app, "general")) == 1


async def at_the_database(_documents: PostgresDocuments) -> datetime:
    return datetime.now(UTC) - AHEAD


async def run_ahead(app: Harness, ahead: timedelta) -> Mapping[str, bool]:
    """Run the process that delivers with a clock that is wrong, for some of its ticks."""
    role, stop = Role.WORKER if app.settings.is_shared else Role.ALL, asyncio.Event()

    def clock() -> datetime:
        return app.clock() + ahead

    bot = asyncio.create_task(serve(app.settings, stop, role=role, clock=clock, pace=PATIENT))
    checks = await checks_of(app)
    await asyncio.sleep(3 * app.settings.tick_seconds)
    stop.set()
    await bot
    return checks
