"""The state of an installation that was begun: ours and young."""

import random
from datetime import timedelta

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.installations.oauth_flow import ABOUT, LIVES_FOR, InstallStates
from bot.store.encryption import KeyRing
from tests.builders import MOMENT
from tests.fakes import FakeClock
from tests.installations.builders import RING


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def states(clock: FakeClock) -> InstallStates:
    return InstallStates(RING, clock=clock)


async def test_another_process_accepts_the_state(states: InstallStates, clock: FakeClock) -> None:
    assert await states.async_consume(await InstallStates(RING, clock=clock).async_issue())


async def test_a_state_is_good_for_ten_minutes(states: InstallStates, clock: FakeClock) -> None:
    young, old = await states.async_issue(), await states.async_issue()
    clock.advance(LIVES_FOR.total_seconds() - 1)
    assert await states.async_consume(young)

    clock.advance(1)

    assert not await states.async_consume(old)


async def test_a_state_of_another_ring_is_none(states: InstallStates) -> None:
    other = KeyRing({"k1": b"2" * 32})

    assert not await states.async_consume(other.encrypt("2999-01-01T00:00:00+00:00", ABOUT))


@given(st.text(), st.randoms(use_true_random=False))
def test_nothing_else_is_ever_taken_for_a_state(noise: str, chance: random.Random) -> None:
    async def try_them() -> None:
        states = InstallStates(RING, clock=FakeClock(MOMENT))
        state = await states.async_issue()
        at = chance.randrange(len(state))
        changed = state[:at] + (noise or "A") + state[at + 1 :]
        for wrong in {noise, changed, state + noise, noise + state, state[:at]} - {state}:
            assert not await states.async_consume(wrong)
        assert await states.async_consume(state)

    anyio.run(try_them)


def test_a_state_lives_as_long_as_slacks_code() -> None:
    assert timedelta(minutes=10) == LIVES_FOR
