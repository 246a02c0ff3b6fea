"""A bot with one token whose app is removed: it forgets the workspace too, also in mid-work."""

import asyncio
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.playground.slack import lifecycle
from bot.playground.slack.installations import Consent
from tests.fakes import TIME_LIMIT_S
from tests.stores import read_file
from tests.whole.digests import make
from tests.whole.harness import (
    ABOUT,
    Harness,
    running_bot,
    running_harness,
    running_stand_ins,
    text_in_store,
)

pytestmark = pytest.mark.transports("socket")


async def until_gone(app: Harness) -> None:
    async with asyncio.timeout(TIME_LIMIT_S):
        while await _is_known(app):
            pass


async def _is_known(app: Harness) -> bool:
    if app.settings.is_shared:
        return app.slack.team_id.encode() in await text_in_store(app)
    documents = await read_file(app.settings.database_path)
    return any(app.slack.team_id in each.key for each in documents)


@pytest.mark.transports("socket", "shared")
async def test_a_late_scan_brings_nothing_back(tmp_path: Path, transport: str) -> None:
    async with running_harness(tmp_path, transport) as app:
        app.account.add("shop.example", health=41)
        await app.connect()
        await make(app)
        hold = app.tracker.hold_scans()
        await app.bob.type("/scan shop.example")
        await hold.waiting()

        await app.slack.uninstall()
        await until_gone(app)
        hold.release()  # the bot ends only when the scan has

    held = await text_in_store(app)
    assert b"shop.example" not in held
    assert not any(each.encode() in held for each in (app.slack.team_id, app.bob.id))


def install_again(app: Harness) -> None:
    """Install the app on Slack's own page for it, and give the bot its new token."""
    slack, now = app.slack, app.clock.seconds()
    lifecycle.install(
        slack.universe, Consent(slack.team_id, False, app.ada.id, tuple(ABOUT.scopes), None, now)
    )
    app.settings = app.settings.model_copy(update={"slack_bot_token": SecretStr(slack.bot_token)})


async def test_a_workspace_that_reinstalls_works_at_once(tmp_path: Path, transport: str) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        async with running_bot(app):
            await app.connect()
            await app.slack.uninstall()
            await until_gone(app)

        install_again(app)
        async with running_bot(app):
            await app.connect()
