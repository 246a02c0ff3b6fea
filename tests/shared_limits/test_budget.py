"""What one process has met with a key holds in the others."""

import asyncio

import pytest

from bot.shared_limits import READ_EVERY_S
from bot.store.documents import Documents
from bot.tracker.models import RateLimitedError, ReserveReachedError, UnavailableError
from bot.tracker.rate_limit import PROBE_S, Purpose, fingerprint
from bot.workspace import WorkspaceId
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.shared_limits.processes import LIMIT, ONE, BadDay, Process, two_processes
from tests.tracker.loopback import KEY, Request, always, reply, service

pytestmark = pytest.mark.anyio

LIMITED = reply(LIMIT, status=429, headers={"Retry-After": "40"})
SERVED = reply(ONE)


def told(remaining: int) -> bytes:
    return reply(ONE, headers={"X-RateLimit-Remaining": str(remaining)})


async def limited(process: Process) -> None:
    """Let a process meet a wait of 40 s, and tell the others."""
    with pytest.raises(RateLimitedError) as caught:
        await process.ask()
    assert not caught.value.is_ours
    await process.settled()


async def held_for(process: Process) -> float:
    """Return how long a process has to wait, which sends nothing."""
    with pytest.raises(RateLimitedError) as caught:
        await process.ask()
    assert caught.value.is_ours
    return caught.value.retry_after_s


async def test_a_wait_that_one_process_has_met_is_waited_by_the_other(
    documents: Documents, clock: FakeClock
) -> None:
    async with (
        service(always(LIMITED)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await limited(a)
        clock.advance(10)

        assert await held_for(b) == pytest.approx(30, abs=0.01)
        assert len(there.seen) == 1


async def test_it_is_known_within_two_seconds_to_one_that_has_just_asked(
    clock: FakeClock,
) -> None:
    async with (
        service(always(SERVED, LIMITED, SERVED)) as there,
        two_processes(BadDay(), clock, there) as (a, b),
    ):
        await b.ask()
        await limited(a)
        await b.ask()  # it has read a moment ago
        clock.advance(READ_EVERY_S)

        assert await held_for(b) == pytest.approx(38, abs=0.01)


async def test_a_success_after_the_wait_lets_the_other_go_on(
    documents: Documents, clock: FakeClock
) -> None:
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
        assert b.budget.account(fingerprint(KEY)).steps == 0


async def test_the_next_wait_of_the_other_is_the_longer_one(
    documents: Documents, clock: FakeClock
) -> None:
    refused = reply(LIMIT, status=429)
    async with (
        service(always(refused)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        with pytest.raises(RateLimitedError) as first:
            await a.ask()
        await a.settled()
        clock.advance(1)
        with pytest.raises(RateLimitedError) as second:
            await b.ask()

        assert [each.value.retry_after_s for each in (first, second)] == [1, 2]
        await b.settled()
        clock.advance(0.5)
        assert await held_for(a) == pytest.approx(1.5, abs=0.01)
        assert len(there.seen) == 2


class Held:
    """A service that serves when `go_on` is set, after it has refused the first request."""

    def __init__(self) -> None:
        self.asked = 0
        self.is_asked, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, _request: Request, writer: asyncio.StreamWriter) -> None:
        self.asked += 1
        if self.asked > 1:
            self.is_asked.set()
            await self.go_on.wait()
        writer.write(SERVED if self.asked > 1 else LIMITED)


async def test_after_a_wait_one_request_of_all_processes_goes_ahead(
    documents: Documents, clock: FakeClock
) -> None:
    held = Held()
    async with service(held) as there, two_processes(documents, clock, there) as (a, b):
        await limited(a)
        await held_for(b)
        clock.advance(40)

        asked = [asyncio.create_task(each.ask()) for each in (a, b) for _ in range(3)]
        refused: list[RateLimitedError] = []
        for each in asyncio.as_completed(asked, timeout=TIME_LIMIT_S):
            if len(refused) == len(asked) - 1:
                held.go_on.set()
            try:
                await each
            except RateLimitedError as error:
                refused.append(error)

        assert (len(refused), held.asked) == (5, 2)
        assert all(each.is_ours and each.retry_after_s <= PROBE_S for each in refused)


async def test_of_two_that_look_at_the_same_moment_one_goes_ahead(clock: FakeClock) -> None:
    held = Held()
    async with service(held) as there, two_processes(BadDay(), clock, there) as (a, b):
        await limited(a)
        await held_for(b)
        clock.advance(40)
        held.go_on.set()

        outcomes = await asyncio.gather(a.ask(), b.ask(), return_exceptions=True)

        assert sum(isinstance(each, RateLimitedError) for each in outcomes) == 1
        assert held.asked == 2


async def test_others_go_ahead_when_the_one_that_did_has_died(
    documents: Documents, clock: FakeClock
) -> None:
    held = Held()
    async with service(held) as there, two_processes(documents, clock, there) as (a, b):
        await limited(a)
        clock.advance(40)
        lost = asyncio.create_task(a.ask())
        async with asyncio.timeout(TIME_LIMIT_S):
            await held.is_asked.wait()

        assert await held_for(b) == pytest.approx(PROBE_S, abs=0.01)
        clock.advance(PROBE_S)
        held.go_on.set()
        await b.ask()

        assert held.asked == 3
        await lost


async def test_an_outage_met_after_the_wait_holds_the_other_back_no_longer(
    documents: Documents, clock: FakeClock
) -> None:
    outage = reply(status=500)
    async with (
        service(always(LIMITED, outage)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await limited(a)
        await held_for(b)
        clock.advance(40)
        for process in (a, b):
            with pytest.raises(UnavailableError):
                await process.ask()
            await process.settled()

        assert len(there.seen) == 3


async def test_the_reserve_that_one_process_has_reached_is_kept_by_the_other(
    documents: Documents, clock: FakeClock
) -> None:
    async with (
        service(always(told(1000), told(50), told(49))) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await a.ask()
        await a.ask()
        await a.settled()

        with pytest.raises(ReserveReachedError):
            await b.ask()
        await b.ask(purpose=Purpose.SCHEDULED)

        assert len(there.seen) == 3


async def test_at_the_reserve_one_person_a_minute_tries_in_whichever_process(
    documents: Documents, clock: FakeClock
) -> None:
    async with (
        service(always(told(1000), told(50), told(40))) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await a.ask()
        await a.ask()
        await a.settled()
        clock.advance(60)

        await b.ask()
        await b.settled()
        clock.advance(READ_EVERY_S)
        with pytest.raises(ReserveReachedError) as caught:
            await a.ask()

        assert caught.value.retry_after_s == pytest.approx(58, abs=0.01)


async def test_the_reserve_that_is_left_again_is_left_everywhere(
    documents: Documents, clock: FakeClock
) -> None:
    async with (
        service(always(told(1000), told(50), told(999))) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await a.ask()
        await a.ask()
        await a.settled()
        with pytest.raises(ReserveReachedError):
            await b.ask()
        clock.advance(1)
        await a.ask(purpose=Purpose.SCHEDULED)
        await a.settled()
        clock.advance(READ_EVERY_S)

        await b.ask()

        assert len(there.seen) == 4


async def test_on_an_ordinary_day_nothing_of_it_is_written_and_little_read(
    clock: FakeClock,
) -> None:
    documents = BadDay()
    async with (
        service(always(told(1000), *(told(left) for left in range(999, 900, -1)))) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        for _ in range(20):
            await asyncio.gather(a.ask(), b.ask())
        await a.settled()
        await b.settled()

        assert len(there.seen) == 40
        assert documents.reads == 2
        assert "-.T1/budget" not in await documents.list_keys("")


@pytest.mark.parametrize("trouble", ["fails", "hangs"])
async def test_without_the_store_each_process_goes_on_with_what_it_knows(
    clock: FakeClock, trouble: str
) -> None:
    documents = BadDay()
    async with (
        service(always(SERVED, LIMITED, SERVED)) as there,
        two_processes(documents, clock, there, within_s=0.01) as (a, b),
    ):
        setattr(documents, trouble, True)
        await a.ask()
        await limited(a)

        assert await held_for(a) == 40
        await b.ask()
        clock.advance(40)
        await a.ask()

        assert len(there.seen) == 4


async def test_another_workspace_with_the_same_key_hears_nothing(
    documents: Documents, clock: FakeClock
) -> None:
    other = WorkspaceId("T2")
    async with (
        service(always(LIMITED, SERVED)) as there,
        two_processes(documents, clock, there) as (a, b),
    ):
        await limited(a)

        await b.ask(home=other)

        assert await documents.list_keys(f"{other}/budget") == []
        assert len(there.seen) == 2


async def test_no_key_is_stored_with_what_is_known_of_it(
    documents: Documents, clock: FakeClock
) -> None:
    async with (
        service(always(LIMITED)) as there,
        two_processes(documents, clock, there) as (a, _b),
    ):
        await limited(a)
        kept = await documents.list_prefix("")

    assert [each.key.split("/")[:2] for each in kept] == [["-.T1", "budget"], ["-.T1", "usage"]]
    assert KEY not in str(kept)
    assert fingerprint(KEY) in kept[0].value["keys"]


async def test_a_clock_that_is_far_ahead_blocks_nobody_for_long(clock: FakeClock) -> None:
    documents, ahead = BadDay(), FakeClock()
    ahead.advance(86_400)
    async with service(always(LIMITED, SERVED)) as there:
        async with two_processes(documents, ahead, there) as (a, _):
            await limited(a)
        async with two_processes(documents, clock, there) as (b, _):
            await b.ask()

    assert len(there.seen) == 2
