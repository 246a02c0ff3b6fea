"""Who lives, and who was left waiting: as several processes see it in a store that they share."""

import asyncio

import pytest

from bot.inflight_requests import InflightStore, Pending, Place
from bot.process_heartbeat import DEAD_AFTER_S, REFRESH_EVERY_S, SharedProcesses
from bot.store.documents import Documents
from bot.store.encryption import KeyRing
from bot.workspace import WorkspaceId
from tests.fakes import FakeClock

pytestmark = pytest.mark.anyio

RING = KeyRing({"k1": b"1" * 32})
PEOPLE = 20
LOOKERS = 5
WAITING = Pending(user_id="U1", what="/scan", response_url="https://hooks.example/1")


async def test_each_of_those_left_waiting_is_taken_by_one_process(documents: Documents) -> None:
    clock = FakeClock()
    lookers = [InflightStore(documents, RING, clock=clock) for _ in range(LOOKERS)]
    for number in range(PEOPLE):
        place = Place(WorkspaceId("T1"), "killed", number)
        await lookers[0].keep(place, WAITING, since=clock())
    clock.advance(60)

    async def take_all(looker: InflightStore) -> list[Pending | None]:
        return [await looker.take(place) for place in await looker.due()]

    taken = await asyncio.gather(*map(take_all, lookers))

    assert [each for some in taken for each in some if each] == [WAITING] * PEOPLE


async def test_a_process_that_shows_nothing_any_more_is_found_dead(documents: Documents) -> None:
    clock = FakeClock()
    living, killed = (
        SharedProcesses(documents, role="web", clock=clock, steady=clock.seconds) for _ in range(2)
    )
    for process in (killed, living):
        await process.heartbeat()

    for _ in range(int(DEAD_AFTER_S / REFRESH_EVERY_S)):
        clock.advance(REFRESH_EVERY_S)
        await living.heartbeat()

    assert living.is_dead(killed.process_id)
    assert await documents.list_keys("meta/process/") == [f"meta/process/{living.process_id}"]
