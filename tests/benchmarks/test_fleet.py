"""`python -m tests.benchmarks.fleet`, small, and by a clock that no one has to wait for."""

import os

import pytest

from tests.benchmarks.fleet_processes import Ships
from tests.benchmarks.fleet_town import FleetSize
from tests.benchmarks.fleet_voyage import sail
from tests.postgres import GIVEN

pytestmark = [pytest.mark.anyio, pytest.mark.torture]

SMALL = FleetSize(digests=60, workspaces=6, channels=5)
SHIPS = Ships(webs=2, workers=2, tick_s=0.5, lead_s=0, is_clock_moved=True)


@pytest.mark.skipif(GIVEN in os.environ, reason="that server is not ours to restart")
async def test_a_killed_worker_web_and_database_lose_and_double_nothing() -> None:
    voyage = await sail(SMALL, SHIPS, seed=1)

    assert voyage.faults == [], "\n".join(voyage.lines())
    assert voyage.verdict.slots == 60
    assert voyage.verdict.uncertain <= voyage.verdict.in_flight
    assert len(voyage.incidents) == 2
    assert all(asked.answered_s for asked in voyage.asked)
