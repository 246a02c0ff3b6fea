import asyncio

import pytest

from bot.ops.doctor import findings_of
from bot.ops.output import Finding, Mark, ok
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio


async def hanging_check() -> list[Finding]:
    await asyncio.Event().wait()
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
