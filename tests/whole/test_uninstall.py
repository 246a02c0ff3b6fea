"""A bot with one token whose app is removed: it forgets the workspace too, also in mid-work."""

import asyncio
from pathlib import Path

import pytest

from bot.store.snapshot import read_snapshot
from tests.whole.digests import make
from tests.whole.town import Town, bytes_at_rest, running_town

pytestmark = pytest.mark.anyio


async def until_gone(town: Town) -> None:
    path, team_id = town.settings.database_path, town.slack.team_id
    async with asyncio.timeout(10):
        while any(team_id in each.key for each in (await read_snapshot(path)).documents):
            pass


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

    held = bytes_at_rest(tmp_path)
    assert b"shop.example" not in held
    assert not any(each.encode() in held for each in (town.slack.team_id, town.bob.id))
