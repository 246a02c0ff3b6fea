"""Which documents are worked on when they are due, and how many at once."""

import asyncio
from dataclasses import dataclass, field

import pytest

from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.store.documents import StoreError
from bot.store.due_work import DueWork
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import MemoryDocuments

WORKSPACES = [WorkspaceId(f"T{number}") for number in range(5)]


@dataclass(slots=True)
class Work(DueWork):
    """Work that goes on once `may_end` is set; it fails for those in `broken`."""

    kind = "work"
    at_once = 2
    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    begun: list[WorkspaceId] = field(default_factory=list)
    broken: set[WorkspaceId] = field(default_factory=set)

    async def work(self, workspace: WorkspaceId) -> None:
        self.begun.append(workspace)
        await self.may_end.wait()
        if workspace in self.broken:
            raise StoreError("it cannot be read")

    async def end(self) -> None:
        self.may_end.set()
        assert await self.tasks.drain(TIME_LIMIT_S)


@pytest.fixture
async def work() -> Work:
    work = Work(MemoryDocuments(), Tasks(), clock=FakeClock())
    for number, workspace in enumerate(WORKSPACES):
        due_at = MOMENT.replace(microsecond=number)
        await work.documents.put(f"{workspace}/work", {}, due_at=due_at)
    work.clock.now = MOMENT.replace(second=59)  # type: ignore[attr-defined]  # a FakeClock
    return work


async def test_a_few_are_worked_on_at_once_and_the_others_as_these_end(work: Work) -> None:
    await work.run_due()
    await asyncio.sleep(0)
    at_first, has_waiting = [*work.begun], work.has_waiting
    await work.end()

    assert (at_first, has_waiting) == (WORKSPACES[:2], True)
    assert (work.begun, work.has_waiting) == (WORKSPACES, False)


async def test_what_fails_again_and_again_keeps_no_other_workspace_waiting(work: Work) -> None:
    work.broken.update(WORKSPACES[:3])

    await work.run_due()
    await work.end()

    assert work.begun == WORKSPACES


async def test_what_is_under_way_is_not_begun_a_second_time(work: Work) -> None:
    for _ in range(2):
        await work.run_due()
        await asyncio.sleep(0)

    await work.end()

    assert work.begun == WORKSPACES


async def test_a_process_that_stops_begins_nothing_more(work: Work) -> None:
    await work.run_due()
    await asyncio.sleep(0)
    work.tasks.stop()
    await work.end()

    assert work.begun == WORKSPACES[:2]
