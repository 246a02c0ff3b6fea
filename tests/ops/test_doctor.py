import asyncio

from bot.ops.doctor import findings_of
from bot.ops.output import Finding, Mark, ok


async def hanging_check() -> list[Finding]:
    await asyncio.Event().wait()
    return []


async def test_checks_keep_their_order_despite_dead_addresses() -> None:
    async def check() -> list[Finding]:
        return [ok("second", "well"), ok("third", "well")]

    findings = await findings_of([("first", hanging_check), ("others", check)])

    assert [(each.about, each.mark) for each in findings] == [
        ("first", Mark.FAIL),
        ("second", Mark.OK),
        ("third", Mark.OK),
    ]
