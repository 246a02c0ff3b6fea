"""Readiness of a worker: it takes part in the queue, and its own ticks do not fail."""

import pytest

from bot.jobs.queue_upkeep import Pulse

pytestmark = pytest.mark.anyio


def a_pulse() -> Pulse:
    return Pulse(heartbeat_s=4, every_s=10)


async def test_a_worker_that_has_just_begun_is_ready() -> None:
    assert await a_pulse().are_recent() is True


async def test_a_database_that_takes_no_sign_of_life_is_noticed() -> None:
    pulse = a_pulse()

    pulse.last_at -= 3 * 4 + 2
    assert await pulse.are_recent() is False

    pulse.note()
    assert await pulse.are_recent() is True


async def test_a_tick_that_failed_is_noticed_until_one_ends_well() -> None:
    pulse = a_pulse()

    with pytest.raises(ZeroDivisionError), pulse.ticking():
        raise ZeroDivisionError
    assert await pulse.are_recent() is False

    with pulse.ticking():
        pass
    assert await pulse.are_recent() is True


async def test_a_failed_tick_is_forgotten_when_others_tick_instead() -> None:
    pulse = a_pulse()
    with pytest.raises(ZeroDivisionError), pulse.ticking():
        raise ZeroDivisionError

    assert pulse.failed_at is not None
    pulse.failed_at -= 3 * 10 + 1

    assert await pulse.are_recent() is True


async def test_periodic_work_that_does_not_end_is_noticed_until_it_does() -> None:
    pulse = a_pulse()

    pulse.note(["tick"])
    assert await pulse.are_recent() is False

    pulse.note([])
    assert await pulse.are_recent() is True
