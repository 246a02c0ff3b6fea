"""A few of the kills that `python -m tests.benchmarks.kills` does by the hundred."""

import pytest

from tests.benchmarks.kills import run_kills

pytestmark = pytest.mark.anyio

RUNS = range(1, 5)
SEED = 4  # of the moments


@pytest.mark.timeout(600)  # a dozen starts of the bot, and its clock runs in real seconds
async def test_no_slot_is_posted_twice_or_lost_by_kills_at_any_moment() -> None:
    verdicts = await run_kills(RUNS, seed=SEED, parallel=len(RUNS))

    assert [fault for verdict in verdicts for fault in verdict.faults] == []
    assert sum(verdict.doubles + verdict.lost for verdict in verdicts) == 0
    assert all(verdict.uncertain <= verdict.in_flight for verdict in verdicts)
