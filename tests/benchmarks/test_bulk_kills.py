"""`python -m tests.benchmarks.bulk_kills`, with fewer kills."""

import pytest

from tests.benchmarks.bulk_kills import kill_during_bulk_scan

pytestmark = [pytest.mark.anyio, pytest.mark.torture]


async def test_killed_workers_scan_nothing_twice_and_miss_nothing_without_a_word() -> None:
    verdict = await kill_during_bulk_scan(40, 3, seed=1)

    assert verdict.faults == []
    assert verdict.run.count == 40
    assert sum(verdict.asked.values()) >= 40 - verdict.kills
