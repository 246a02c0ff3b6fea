import asyncio
from collections.abc import Sequence

import pytest

from bot.ops.output import Finding, failure, found_within, ok, warning

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("finding", "line"),
    [
        pytest.param(ok("store", "is whole"), "ok    store: is whole.", id="ok"),
        pytest.param(warning("disk", "may go", "Move."), "warn  disk: may go. Move.", id="warn"),
        pytest.param(
            failure("key", "is gone", "Mend it."), "FAIL  key: is gone. Mend it.", id="f"
        ),
    ],
)
def test_a_finding_is_one_line_of_ascii(finding: Finding, line: str) -> None:
    assert finding.line == line
    assert finding.line.isascii()


async def test_what_comes_in_time_is_found() -> None:
    async def check() -> Sequence[Finding]:
        return [ok("a", "b")]

    assert await found_within("a", check, 5) == [ok("a", "b")]


async def test_what_never_comes_is_a_failure() -> None:
    async def hang() -> Sequence[Finding]:
        await asyncio.Event().wait()
        return []

    (finding,) = await found_within("DATABASE_URL", hang, 0.01)

    assert finding.line.startswith("FAIL  DATABASE_URL: no result within 0.01 s.")
