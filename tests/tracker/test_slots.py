import asyncio
from contextlib import AsyncExitStack

import pytest

from bot.tracker.models import TooBusyError
from bot.tracker.slots import MAX_REQUESTS, MAX_SCANS, REQUESTS_EACH, SCANS_EACH, Slots


async def taken(
    slots: Slots, count: int, *, owner: str = "", is_scan: bool = False, gives_way: bool = False
) -> AsyncExitStack:
    """Hold places for `owner`, or each for another one."""
    stack = AsyncExitStack()
    for number in range(count):
        slot = slots.acquire(owner or f"{number}", is_scan=is_scan, gives_way=gives_way)
        await stack.enter_async_context(slot)
    return stack


async def test_the_wait_for_a_place_ends() -> None:
    slots = Slots()

    async with await taken(slots, MAX_REQUESTS):
        with pytest.raises(TooBusyError) as caught:
            await taken(slots, 1)

    assert not caught.value.is_outcome_unknown


async def test_a_wait_in_vain_keeps_no_place() -> None:
    slots = Slots()
    async with await taken(slots, MAX_REQUESTS):
        for _ in range(MAX_SCANS):
            with pytest.raises(TooBusyError):
                await taken(slots, 1, is_scan=True)

    async with await taken(slots, MAX_SCANS, is_scan=True):
        await (await taken(slots, MAX_REQUESTS - MAX_SCANS)).aclose()


async def test_one_workspace_leaves_places_to_the_others() -> None:
    slots = Slots()

    async with await taken(slots, SCANS_EACH, owner="one", is_scan=True):
        with pytest.raises(TooBusyError):
            await taken(slots, 1, owner="one", is_scan=True)

        async with await taken(slots, REQUESTS_EACH - SCANS_EACH, owner="one"):
            with pytest.raises(TooBusyError):
                await taken(slots, 1, owner="one")
            await (await taken(slots, 1, owner="other", is_scan=True)).aclose()


async def test_the_next_slot_goes_to_the_workspace_with_fewest() -> None:
    slots, came = Slots(), []

    async def wait(owner: str) -> None:
        async with slots.acquire(owner, is_scan=True):
            came.append(owner)

    async with (
        await taken(slots, 2, owner="one", is_scan=True),
        await taken(slots, MAX_SCANS - 4, owner="two", is_scan=True),
        await taken(slots, 1, owner="three", is_scan=True),
    ):
        last = await taken(slots, 1, owner="five", is_scan=True)
        async with asyncio.TaskGroup() as waiting:
            for owner in ("one", "three", "four", "two"):
                waiting.create_task(wait(owner))
            await asyncio.sleep(0)
            await last.aclose()

    assert came == ["four", "three", "one", "two"]


async def test_yielding_requests_go_last() -> None:
    slots = Slots()
    held = await taken(slots, SCANS_EACH, owner="acme", is_scan=True)
    order: list[str] = []

    async def scan(name: str) -> None:
        async with slots.acquire("acme", is_scan=True, gives_way=name == "bulk"):
            order.append(name)

    bulk = asyncio.create_task(scan("bulk"))
    await asyncio.sleep(0)
    people = [asyncio.create_task(scan(name)) for name in ("ada", "bob")]
    await asyncio.sleep(0)
    await held.aclose()
    await asyncio.gather(bulk, *people)

    assert order == ["ada", "bob", "bulk"]


async def test_it_is_known_how_many_scans_have_to_end_first() -> None:
    slots = Slots()

    async with await taken(slots, SCANS_EACH, owner="one", is_scan=True):
        assert (slots.scans.ahead("one"), slots.scans.ahead("two")) == (1, 0)
        async with await taken(slots, MAX_SCANS - SCANS_EACH, is_scan=True):
            patient = asyncio.create_task(
                taken(slots, 1, owner="two", is_scan=True, gives_way=True)
            )
            waiting = asyncio.create_task(taken(slots, 1, owner="one", is_scan=True))
            await asyncio.sleep(0)

            assert (slots.scans.ahead("one"), slots.scans.ahead("two")) == (2, 2)
    for each in (waiting, patient):
        await (await each).aclose()
