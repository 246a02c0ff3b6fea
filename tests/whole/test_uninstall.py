"""A bot with one token whose app is removed: it forgets the workspace too, also in mid-work."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.playground.slack import lifecycle
from bot.playground.slack.installations import Consent
from bot.store.sqlite import read_snapshot
from tests.fakes import TIME_LIMIT_S
from tests.whole.digests import make
from tests.whole.town import (
    ABOUT,
    Town,
    make_store,
    running_bot,
    running_stand_ins,
    running_town,
    text_in_store,
)

pytestmark = [pytest.mark.anyio, pytest.mark.modes("socket", "shared")]


async def until_gone(town: Town) -> None:
    async with asyncio.timeout(TIME_LIMIT_S):
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


def install_again(town: Town) -> None:
    """Install the app on Slack's own page for it, and give the bot its new token."""
    slack, now = town.slack, town.clock.seconds()
    lifecycle.install(
        slack.universe, Consent(slack.team_id, False, town.ada.id, tuple(ABOUT.scopes), None, now)
    )
    town.settings = town.settings.model_copy(
        update={"slack_bot_token": SecretStr(slack.bot_token)}
    )


async def test_a_workspace_that_installs_the_app_again_is_at_home_at_once(
    tmp_path: Path, mode: str
) -> None:
    async with running_stand_ins(tmp_path, mode) as town:
        await make_store(town)
        async with running_bot(town):
            await town.connect()
            await town.slack.uninstall()
            await until_gone(town)

        install_again(town)
        async with running_bot(town):
            await town.connect()
