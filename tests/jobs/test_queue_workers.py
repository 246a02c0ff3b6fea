"""A worker that ends is followed by another, until the shift is over."""

import asyncio
from typing import cast

import pytest
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

from bot.jobs import queue
from bot.jobs.queue import WorkerSupervisor
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio


class FakeWorker:
    """Ends as it is told: with an error, by itself, or not before `stop`."""

    def __init__(self, error: Exception | None, *, ends: bool) -> None:
        self.worker_id: int | None = None
        self.is_stopped, self.has_left = asyncio.Event(), asyncio.Event()
        self._error, self._ends = error, ends

    async def run(self) -> None:
        self.worker_id = 7
        if self._ends:
            self.has_left.set()
        if self._error:
            raise self._error
        if not self._ends:
            await self.is_stopped.wait()

    def stop(self) -> None:
        self.is_stopped.set()


class Office:
    """Hires these workers, one after the other; the last one stays."""

    def __init__(self, *workers: FakeWorker) -> None:
        self._waiting = [*workers]
        self.is_staffed = asyncio.Event()

    def hire(self) -> Worker:
        worker = self._waiting.pop(0)
        if not self._waiting:
            self.is_staffed.set()
        return cast(Worker, worker)


@pytest.fixture(autouse=True)
def no_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "FIRST_DELAY_S", 0.01)


@pytest.mark.parametrize(
    "leaver",
    [
        pytest.param(FakeWorker(None, ends=True), id="ends without an error"),
        pytest.param(FakeWorker(ConnectorException(), ends=True), id="has lost the database"),
        pytest.param(FakeWorker(ZeroDivisionError(), ends=True), id="has met a mistake"),
    ],
)
async def test_a_worker_that_ends_is_followed_by_another(leaver: FakeWorker) -> None:
    stayer = FakeWorker(None, ends=False)
    office = Office(leaver, stayer)
    shift = WorkerSupervisor(office.hire)

    running = asyncio.create_task(shift.run())
    async with asyncio.timeout(TIME_LIMIT_S):
        await office.is_staffed.wait()
        await asyncio.sleep(0)
        assert shift.worker_id == 7
        shift.stop()
        await running

    assert stayer.is_stopped.is_set()
    assert shift.worker_id is None


async def test_a_stop_while_nobody_works_hires_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "FIRST_DELAY_S", 60)
    leaver = FakeWorker(None, ends=True)
    office = Office(leaver, FakeWorker(None, ends=False))
    shift = WorkerSupervisor(office.hire)

    running = asyncio.create_task(shift.run())
    async with asyncio.timeout(TIME_LIMIT_S):
        await leaver.has_left.wait()
        shift.stop()
        await running

    assert not office.is_staffed.is_set()


async def test_a_stop_before_the_start_works_nothing() -> None:
    office = Office(FakeWorker(None, ends=False))
    shift = WorkerSupervisor(office.hire)

    shift.stop()
    async with asyncio.timeout(TIME_LIMIT_S):
        await shift.run()

    assert not office.is_staffed.is_set()
