import asyncio

from bot.ops.output import Finding, Mark, found_within


async def test_a_check_that_hangs_is_a_failure() -> None:
    async def hang() -> list[Finding]:
        await asyncio.Event().wait()
        return []

    (finding,) = await found_within("first", hang())

    assert (finding.about, finding.mark) == ("first", Mark.FAIL)
