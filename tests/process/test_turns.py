"""Work begins in fair turns, a few at a time."""

import asyncio
from itertools import pairwise

import pytest

from bot.process import concurrency
from bot.process.concurrency import BEGUN_AT_ONCE, TURN_HELD_S, Turns
from bot.process.workspace import WorkspaceId

ACME, SMALL = WorkspaceId("T1"), WorkspaceId("T2")


class Work:
    """Blocks that last as long as a test wants; `begun` are their names in that order."""

    def __init__(self) -> None:
        self.turns = Turns[WorkspaceId]()
        self.begun: list[str] = []
        self.running: dict[str, asyncio.Task[None]] = {}
        self.ends: dict[str, asyncio.Event] = {}

    def start(self, name: str, workspace: WorkspaceId = ACME) -> None:
        self.ends[name] = asyncio.Event()
        self.running[name] = asyncio.create_task(self._run(name, workspace))

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await self.running[name]

    async def _run(self, name: str, workspace: WorkspaceId) -> None:
        async with self.turns.take(workspace):
            self.begun.append(name)
            await self.ends[name].wait()


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Work:
    monkeypatch.setattr(concurrency, "TURNS_AT_ONCE", 2)
    return Work()


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_as_many_begin_as_may_at_once_and_then_one_for_each_that_ends(work: Work) -> None:
    for name in "abcd":
        work.start(name)
    await settle()
    assert work.begun == ["a", "b"]

    await work.end("b")
    await settle()

    assert work.begun == ["a", "b", "c"]


async def test_workspaces_alternate_however_much_one_of_them_asks(work: Work) -> None:
    for name in "abcdef":
        work.start(name)
    await settle()
    for name in "yz":
        work.start(name, SMALL)

    for name in "abcydz":
        await work.end(name)
        await settle()

    assert work.begun == [*"abcydzef"]


async def test_work_that_takes_long_makes_way_and_goes_on(work: Work) -> None:
    for name in "abc":
        work.start(name)
    await asyncio.sleep(TURN_HELD_S * 0.9)
    assert work.begun == ["a", "b"]

    await asyncio.sleep(TURN_HELD_S * 0.2)

    assert work.begun == ["a", "b", "c"]
    assert not work.running["a"].done()
    await work.end("a")


async def test_canceled_work_leaves_its_turn_to_the_others(work: Work) -> None:
    for name in "abcd":
        work.start(name)
    await settle()

    work.running["c"].cancel()
    work.running["a"].cancel()
    await settle()

    assert work.begun == ["a", "b", "d"]


async def test_a_turn_that_is_given_at_the_moment_of_a_cancel_is_not_lost(work: Work) -> None:
    for name in "abcd":
        work.start(name)
    await settle()
    await work.end("a")
    await asyncio.sleep(0)  # c has its turn, and does not run yet

    work.running["c"].cancel()
    await settle()

    assert work.begun[-1] == "d"


async def test_few_begin_in_a_turn_of_the_loop_which_acks_share(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "TURNS_AT_ONCE", 100)
    for number in range(100):
        work.start(f"{number}")
    for _ in range(3):  # until the first ones run
        await asyncio.sleep(0)

    before = list[int]()
    for _ in range(5):
        before.append(len(work.begun))
        await asyncio.sleep(0)

    assert all(0 < after - each <= BEGUN_AT_ONCE for each, after in pairwise(before))
