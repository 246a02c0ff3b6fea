"""What one process has met with a key holds in the others."""

import pytest

from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents
from bot.tracker.models import RateLimitedError, ReserveReachedError
from bot.tracker.rate_limit import Purpose, fingerprint
from bot.tracker.shared_limits import READ_EVERY_S
from tests.fakes import FakeClock
from tests.tracker.loopback import KEY, always, reply, service
from tests.tracker.shared_limits.processes import LIMIT, ONE, BadDay, Process, two_processes

LIMITED = reply(LIMIT, status=429, headers={"Retry-After": "40"})
SERVED = reply(ONE)


def served_with(remaining: int) -> bytes:
    return reply(ONE, headers={"X-RateLimit-Remaining": str(remaining)})


async def limited(process: Process) -> None:
    """Let a process meet a wait of 40 s, and tell the others."""
    with pytest.raises(RateLimitedError) as caught:
        await process.ask()
    assert caught.value.outcome == "rate_limited"
    await process.settled()


async def held_for(process: Process) -> float:
    """Return how long a process has to wait, which sends nothing."""
    with pytest.raises(RateLimitedError) as caught:
        await process.ask()
    assert caught.value.outcome == "held_back"
    return caught.value.retry_after_s


async def test_one_wait_holds_in_all_processes(documents: Documents, clock: FakeClock) -> None:
    async with service(always(LIMITED)) as there, two_processes(documents, clock, there) as (a, b):
        await limited(a)
        clock.advance(10)

        assert await held_for(b) == pytest.approx(30, abs=0.01)
        assert len(there.seen) == 1


async def test_a_limit_is_known_elsewhere_within_two_seconds(clock: FakeClock) -> None:
    async with (
        service(always(SERVED, LIMITED, SERVED)) as there,
        two_processes(BadDay(), clock, there) as (a, b),
    ):
        await b.ask()
        await limited(a)
        await b.ask()  # it has read a moment ago
        await b.settled()  # what it writes ends no wait of the other
        clock.advance(READ_EVERY_S)

        assert await held_for(b) == pytest.approx(38, abs=0.01)


async def test_a_success_ends_the_wait_of_others(documents: Documents, clock: FakeClock) -> None:
    async with (
        service(always(LIMITED, SERVED)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await limited(a)
        await held_for(b)
        clock.advance(40)

        await a.ask()
        await a.settled()
        for _ in range(3):
            await b.ask()

        assert len(there.seen) == 5
        assert b.limiter.known(fingerprint(KEY)).steps == 0


async def test_the_reserve_holds_in_both_processes(documents: Documents, clock: FakeClock) -> None:
    async with (
        service(always(served_with(1000), served_with(50), served_with(49))) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await a.ask()
        await a.ask()
        await a.settled()

        with pytest.raises(ReserveReachedError):
            await b.ask()
        await b.ask(purpose=Purpose.SCHEDULED)

        assert len(there.seen) == 3


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
async def test_without_the_store_processes_go_on_alone(clock: FakeClock, trouble: str) -> None:
    documents = BadDay()
    async with (
        service(always(SERVED, LIMITED, SERVED)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        setattr(documents, trouble, True)
        await a.ask()
        await limited(a)

        assert await held_for(a) == 40
        await b.ask()
        clock.advance(40)
        await a.ask()

        assert len(there.seen) == 4


async def test_another_workspace_is_not_affected(documents: Documents, clock: FakeClock) -> None:
    other = WorkspaceId("T2")
    async with (
        service(always(LIMITED, SERVED)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await limited(a)

        await b.ask(home=other)

        assert len(there.seen) == 2


async def test_no_key_is_stored_with_its_budget(documents: Documents, clock: FakeClock) -> None:
    async with (
        service(always(LIMITED)) as there,
        two_processes(documents, clock, there) as (a, _b),
    ):
        await limited(a)
        (kept,) = await documents.list_prefix("")

    assert kept.key == f"-.T1/budget/{fingerprint(KEY)}"
    assert KEY not in str(kept)
