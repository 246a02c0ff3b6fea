"""A bot with one token whose app is removed: it forgets the workspace too, also in mid-work."""

import asyncio
from pathlib import Path

import pytest

from bot.store.snapshot import read_snapshot
from tests.whole.digests import make
from tests.whole.town import Town, running_town, text_in_store

pytestmark = pytest.mark.anyio


async def until_gone(town: Town) -> None:
    async with asyncio.timeout(10):
        while await _is_known(town):
            pass


async def _is_known(town: Town) -> bool:
    if town.settings.is_shared:
        return town.slack.team_id.encode() in await text_in_store(town)
    snapshot = await read_snapshot(town.settings.database_path)
    return any(town.slack.team_id in each.key for each in snapshot.documents)


async def test_a_scan_that_ends_after_the_removal_brings_nothing_back(
    tmp_path: Path, mode: str
) -> None:
    async with running_town(tmp_path, mode) as town:
        town.acme.add("shop.example", health=41)
        await town.connect()
        await make(town)
        hold = town.tracker.hold_scans()
        await town.bob.type("/scan shop.example")
        await hold.waiting()

        await town.slack.uninstall()
        await until_gone(town)
        hold.release()  # the bot ends only when the scan has

    held = await text_in_store(town)
    assert b"shop.example" not in held
    assert not any(each.encode() in held for each in (town.slack.team_id, town.bob.id))
