"""A process whose clock is wrong is not ready, and does nothing that cannot be undone."""

import asyncio
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import aiohttp
import pytest

from bot.app import serve
from bot.bootstrap.services import Role
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import digests, make, move_to, next_digest, nine, open_list
from tests.whole.town import PATIENT, Town, make_store, running_bot, running_stand_ins

pytestmark = pytest.mark.anyio


async def checks_of(town: Town) -> Mapping[str, bool]:
    """Return the checks of a process that is not ready, once its ticks have begun."""
    async with asyncio.timeout(TIME_LIMIT_S), aiohttp.ClientSession() as http:
        while True:
            try:
                async with http.get(town.url("/readyz")) as answer:
                    return dict((await answer.json())["checks"])
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.01)


@pytest.mark.modes("http", "shared")
async def test_a_clock_that_runs_31_days_ahead_misses_no_slot_and_deletes_nothing(
    tmp_path: Path, mode: str
) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        await make_store(town)
        async with running_bot(town):
            town.acme.add("shop.example", health=41)
            await town.connect()
            await make(town)
            before = (await open_list(town, town.bob)).everything
        checks = await run_ahead(town, timedelta(days=31))
        async with running_bot(town):
            after = (await open_list(town, town.bob)).everything
            move_to(town, nine(town))
            await next_digest(town)

    assert checks["clock"] is False
    assert checks["store"]
    assert after == before
    assert len(digests(town, "general")) == 1


async def run_ahead(town: Town, ahead: timedelta) -> Mapping[str, bool]:
    """Run the process that delivers with a clock that is wrong, for some of its ticks."""
    role, stop = Role.WORKER if town.settings.is_shared else Role.ALL, asyncio.Event()

    def clock() -> datetime:
        return town.clock() + ahead

    bot = asyncio.create_task(
        serve(town.settings, stop, role=role, clock=clock, host_clock=clock, pace=PATIENT)
    )
    checks = await checks_of(town)
    await asyncio.sleep(3 * town.settings.tick_seconds)
    stop.set()
    await bot
    return checks
