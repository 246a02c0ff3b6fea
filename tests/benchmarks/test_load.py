"""`python -m tests.benchmarks.load`, made for less waiting: quick ticks."""

import pytest

from tests.benchmarks.load import run_load

pytestmark = [pytest.mark.anyio, pytest.mark.torture]


async def test_300_digests_of_30_workspaces_are_posted_once_each_at_slacks_pace() -> None:
    findings, faults = await run_load(seed=1, tick_s=0.5)

    assert faults == [], "\n".join([*faults, *findings.lines()])
    assert findings.slots == 300
    assert findings.refusals > 0
