"""A worker that ends begins again, until the stop; readiness tells whether it takes part."""

from bot.app.main import FINISH_WITHIN_S, JOBS_END_WITHIN
from bot.jobs.queue import HAND_BACK_WITHIN_S, INTERVALS
from bot.store.postgres.pool import Pool
from tests.jobs.queue_room import Deliveries, at_work, until


def test_a_worker_that_stops_is_not_taken_for_dead() -> None:
    longest_s = FINISH_WITHIN_S * JOBS_END_WITHIN + HAND_BACK_WITHIN_S

    assert INTERVALS.heartbeat_s + longest_s < INTERVALS.dead_after_s


async def test_a_worker_is_ready_once_it_takes_part(pool: Pool) -> None:
    async with at_work(pool, Deliveries()) as takes_part:
        await until(takes_part)

    assert await takes_part() is False
