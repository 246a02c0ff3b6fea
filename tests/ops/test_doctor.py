import asyncio
from pathlib import Path

import pytest

from bot.installations.installation import Tokens
from bot.installations.repository import InstallationRepository
from bot.ops.doctor import check_stored, findings_of
from bot.ops.doctor_slack import InstallQuery
from bot.ops.output import Finding, Mark, ok
from bot.ops.stores import FileStore
from bot.slack.auth import Grant
from bot.store.encryption import load_or_make_key_file
from bot.store.sqlite import open_sqlite
from tests.builders import BOT_TOKEN, MOMENT
from tests.fakes import TIME_LIMIT_S
from tests.ops.builders import an_installation

pytestmark = pytest.mark.anyio


async def hang(_token: str = "") -> Grant:
    await asyncio.Event().wait()
    raise AssertionError


async def hanging_check() -> list[Finding]:
    await hang()
    return []


async def test_checks_keep_their_order_and_dead_addresses_hold_nobody() -> None:
    async def check() -> list[Finding]:
        return [ok("second", "well"), ok("third", "well")]

    async with asyncio.timeout(TIME_LIMIT_S):
        findings = await findings_of([("first", hanging_check), ("others", check)], limit_s=0.05)

    assert [(each.about, each.mark) for each in findings] == [
        ("first", Mark.FAIL),
        ("second", Mark.OK),
        ("third", Mark.OK),
    ]


async def test_a_silent_slack_hides_nothing_of_the_store(tmp_path: Path) -> None:
    store = await open_sqlite(tmp_path / "bot.sqlite")
    ring, _ = load_or_make_key_file(tmp_path / "bot.sqlite.key")
    await InstallationRepository(store, ring).put(
        an_installation(tokens=Tokens(access=BOT_TOKEN)),
    )
    await store.close()
    query = InstallQuery(ask=hang, install_url="https://bot.example", now=MOMENT)

    found = await check_stored(FileStore(tmp_path / "bot.sqlite"), None, query, limit_s=0.05)

    assert [(each.about, each.mark) for each in found] == [
        ("DATABASE_URL", Mark.OK),
        ("BOT_SECRET_KEYS", Mark.OK),
        ("installations", Mark.FAIL),
    ]
