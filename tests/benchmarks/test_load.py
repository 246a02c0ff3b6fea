"""`python -m tests.benchmarks.load`, made for less waiting: quick ticks, shorter lines."""

import pytest

from tests.benchmarks.load import run_load
from tests.benchmarks.many import Size

pytestmark = [pytest.mark.anyio, pytest.mark.torture]

QUICK = Size(crowded=2, large=2)


async def test_300_digests_of_30_workspaces_are_posted_once_each_at_slacks_pace() -> None:
    findings = await run_load(QUICK, seed=1, tick_s=0.5)

    assert findings.faults == [], "\n".join([*findings.faults, *findings.lines()])
    assert findings.slots == 300
    assert findings.refusals > 0
