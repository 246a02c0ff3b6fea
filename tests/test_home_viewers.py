"""Who is remembered to have Home open, and that what changes is drawn once."""

import asyncio
from collections.abc import Callable

import pytest

from bot.concurrency import Tasks
from bot.home_viewers import BETWEEN_S, MAX_VIEWERS, OPEN_FOR, PER_VIEWER_S, HomeViewers
from bot.store.documents import Documents
from bot.workspace import WorkspaceId, caller_context, current_caller, person
from tests.digests.office import DocumentsOnDisk
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ACME, OTHER = WorkspaceId("T1"), WorkspaceId("T2")


class Screens:
    """Home tabs that remember for whom they were drawn."""

    def __init__(self, documents: Documents | None = None) -> None:
        self.clock, self.tasks = FakeClock(), Tasks()
        self.documents = documents or MemoryDocuments()
        self.drawn: list[tuple[WorkspaceId, str]] = []
        self.while_drawing: Callable[[], None] = _nothing
        self.homes = HomeViewers(self.documents, self.tasks, clock=self.clock, sleep=_no_sleep)
        self.homes.set_renderer(self._draw)

    async def _draw(self, workspace: WorkspaceId, user_id: str) -> None:
        self.drawn.append((workspace, user_id))
        act, self.while_drawing = self.while_drawing, _nothing
        act()

    async def quiet(self) -> None:
        assert await self.tasks.drain(TIME_LIMIT_S)


def _nothing() -> None:
    return None


async def _no_sleep(_seconds: float) -> None:
    await asyncio.sleep(0)


async def _for_ever(_seconds: float) -> None:
    await asyncio.Event().wait()


async def test_those_who_have_it_open_are_drawn_for_the_latest_first() -> None:
    screens = Screens()
    await screens.homes.opened(ACME, "U1")
    screens.clock.advance(1)
    await screens.homes.opened(ACME, "U2")
    await screens.homes.opened(OTHER, "U3")

    screens.homes.schedule_refresh(ACME)
    await screens.quiet()

    assert screens.drawn == [(ACME, "U2"), (ACME, "U1")]


async def test_what_changes_while_it_is_drawn_is_drawn_too() -> None:
    screens = Screens()
    await screens.homes.opened(ACME, "U1")
    screens.while_drawing = lambda: screens.homes.schedule_refresh(ACME)

    screens.homes.schedule_refresh(ACME)
    await screens.quiet()

    assert len(screens.drawn) == 2


async def test_a_slow_one_does_not_keep_the_others_waiting() -> None:
    screens = Screens()
    for number in range(3):
        await screens.homes.opened(ACME, f"U{number}")
    gate, begun = asyncio.Event(), list[str]()

    async def draw(_workspace: WorkspaceId, user_id: str) -> None:
        begun.append(user_id)
        if len(begun) < 3:
            await gate.wait()

    screens.homes.set_renderer(draw)
    screens.homes.schedule_refresh(ACME)
    async with asyncio.timeout(TIME_LIMIT_S):
        while len(begun) < 3:  # noqa: ASYNC110  # the list does not tell
            await asyncio.sleep(0)
    gate.set()
    await screens.quiet()

    assert len(begun) == 3


async def test_it_is_drawn_for_nobody_in_particular_whoever_has_changed_something() -> None:
    screens = Screens()
    await screens.homes.opened(ACME, "U1")
    askers: list[object] = []
    screens.while_drawing = lambda: askers.append(current_caller())

    with caller_context(ACME, person("U2")):
        screens.homes.schedule_refresh(ACME)
        await screens.quiet()

    assert askers == [None]


async def test_the_more_people_look_the_longer_is_the_rest_between_two_rounds() -> None:
    screens, rests = Screens(), list[float]()

    async def sleep(seconds: float) -> None:
        rests.append(seconds)

    screens.homes = HomeViewers(screens.documents, screens.tasks, clock=screens.clock, sleep=sleep)
    screens.homes.set_renderer(screens._draw)
    for number in range(MAX_VIEWERS):
        screens.homes.schedule_refresh(ACME)
        await screens.quiet()
        await screens.homes.opened(ACME, f"U{number}")
    screens.homes.schedule_refresh(ACME)
    await screens.quiet()

    assert (rests[1], rests[-1]) == (BETWEEN_S, MAX_VIEWERS * PER_VIEWER_S)


async def test_after_an_hour_nobody_has_it_open_any_more() -> None:
    screens = Screens()
    await screens.homes.opened(ACME, "U1")
    screens.clock.advance(OPEN_FOR.total_seconds())

    screens.homes.schedule_refresh(ACME)
    await screens.quiet()

    assert screens.drawn == []


async def test_only_the_latest_viewers_are_kept() -> None:
    screens = Screens()
    for number in range(MAX_VIEWERS + 5):
        await screens.homes.opened(ACME, f"U{number}")
        screens.clock.advance(1)

    viewers = await screens.homes.viewers(ACME)

    assert len(viewers) == MAX_VIEWERS
    assert viewers[0] == f"U{MAX_VIEWERS + 4}"


async def test_a_store_that_fails_costs_nobody_anything() -> None:
    documents = DocumentsOnDisk()
    screens = Screens(documents)
    documents.is_full = True
    documents.cannot_be_read = {f"{ACME}/home-viewers"}

    await screens.homes.opened(ACME, "U1")
    screens.homes.schedule_refresh(ACME)
    await screens.quiet()

    assert screens.drawn == []


async def test_whoever_stops_the_bot_does_not_wait_for_the_next_draw() -> None:
    screens = Screens()
    screens.homes = HomeViewers(
        screens.documents,
        screens.tasks,
        clock=screens.clock,
        sleep=_for_ever,
    )
    screens.homes.set_renderer(screens._draw)
    await screens.homes.opened(ACME, "U1")
    screens.homes.schedule_refresh(ACME)
    await asyncio.sleep(0)

    screens.homes.stop()
    await screens.quiet()
    screens.homes.schedule_refresh(ACME)

    assert await screens.tasks.drain(0)
