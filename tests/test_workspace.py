import asyncio

import pytest

from bot.concurrency import SingleFlight
from bot.workspace import Caller, WorkspaceId, caller_context, current_caller, digests_of, person
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

ACME = WorkspaceId("T1")
ADA, BOB = person("U1"), person("U2")


def test_what_is_asked_for_inside_is_for_whoever_is_nearest() -> None:
    with caller_context(ACME, ADA):
        with caller_context(ACME, digests_of("C1")):
            assert current_caller() == (ACME, digests_of("C1"))
        assert current_caller() == (ACME, ADA)

    assert current_caller() is None


def test_a_failure_inside_leaves_nobody_behind() -> None:
    with pytest.raises(RuntimeError), caller_context(ACME, ADA):
        raise RuntimeError

    assert current_caller() is None


async def test_people_who_ask_at_the_same_time_are_not_mixed_up() -> None:
    both_are_there = asyncio.Barrier(2)

    async def ask(asker: Caller) -> object:
        with caller_context(ACME, asker):
            async with asyncio.timeout(TIME_LIMIT_S):
                await both_are_there.wait()
            return current_caller()

    seen_by_ada, seen_by_bob = await asyncio.gather(ask(ADA), ask(BOB))

    assert (seen_by_ada, seen_by_bob) == ((ACME, ADA), (ACME, BOB))


async def test_shared_work_is_for_the_first_who_asked() -> None:
    flights: SingleFlight[str, object] = SingleFlight()
    may_end = asyncio.Event()

    async def work() -> object:
        async with asyncio.timeout(TIME_LIMIT_S):
            await may_end.wait()
        return current_caller()

    async def ask(asker: Caller) -> object:
        with caller_context(ACME, asker):
            return await flights.run("list", work)

    first, second = asyncio.create_task(ask(ADA)), asyncio.create_task(ask(BOB))
    may_end.set()

    assert [await first, await second] == [(ACME, ADA)] * 2
