"""A list that one process has made old is asked for again in the others.

Two "processes" are two objects that know nothing of one another but the store.
"""

import asyncio

import pytest

from bot.domains import service
from bot.domains.service import Portfolio, Snapshot, StoredVersions
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document, Documents, StoreError
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists
from tests.memory import MemoryDocuments

HERE, THERE = WorkspaceId("T1"), WorkspaceId("T10")


class TroubledDocuments(MemoryDocuments):
    """A store that fails, or says nothing until `gate` opens."""

    def __init__(self) -> None:
        super().__init__()
        self.is_down = False
        self.gate = asyncio.Event()
        self.gate.set()

    async def get(self, key: str) -> Document | None:
        if self.is_down:
            raise StoreError("down")
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        return await super().get(key)

    async def put(self, key: str, *args: object, **how: object) -> Document:
        if self.is_down:
            raise StoreError("down")
        return await super().put(key, *args, **how)  # type: ignore[arg-type]  # whatever it was


class Processes:
    """Two of them, `one` and `other`, that keep lists of what one service says."""

    def __init__(self, documents: Documents) -> None:
        self.clock, self.service = FakeClock(), FakeLists(a_domain("old.example"))
        self.one, self.other = (
            Portfolio(
                self.service.list_domains, clock=self.clock, versions=StoredVersions(documents)
            )
            for _ in range(2)
        )

    async def hosts(self, portfolio: Portfolio, workspace: WorkspaceId = HERE) -> set[str]:
        return set((await portfolio.snapshot(workspace)).by_host)

    async def asked(self) -> asyncio.Task[Snapshot]:
        """Let the other one list, and return once the service has been asked."""
        self.service.gate.clear()
        self.service.is_asked.clear()
        listing = asyncio.create_task(self.other.snapshot(HERE))
        await asyncio.wait_for(self.service.is_asked.wait(), TIME_LIMIT_S)
        return listing

    async def both_list(self) -> None:
        for portfolio in (self.one, self.other):
            assert await self.hosts(portfolio) == {"old.example"}
        self.service.domains = (a_domain("new.example"),)


@pytest.fixture
def processes(documents: Documents) -> Processes:
    return Processes(documents)


async def test_what_was_added_in_one_process_is_listed_in_the_other(processes: Processes) -> None:
    await processes.both_list()

    await processes.one.invalidate(HERE)

    assert await processes.hosts(processes.other) == {"new.example"}
    assert await processes.hosts(processes.one) == {"new.example"}


async def test_an_older_request_is_not_joined(processes: Processes) -> None:
    early = await processes.asked()
    processes.service.domains = (a_domain("new.example"),)

    await processes.one.invalidate(HERE)
    processes.service.gate.set()
    late = await processes.hosts(processes.other)

    assert (set((await early).by_host), late) == ({"old.example"}, {"new.example"})
    assert await processes.hosts(processes.other) == {"new.example"}


async def test_a_replaced_keys_list_is_gone_in_all_processes(processes: Processes) -> None:
    await processes.both_list()

    await processes.one.forget_everywhere(HERE)

    assert await processes.other.last_snapshot(HERE) is None
    assert await processes.hosts(processes.other) == {"new.example"}


async def test_while_the_store_is_down_each_process_lists_by_itself() -> None:
    documents = TroubledDocuments()
    processes = Processes(documents)
    await processes.both_list()
    documents.is_down = True

    await processes.one.invalidate(HERE)

    assert await processes.hosts(processes.one) == {"new.example"}
    assert await processes.hosts(processes.other) == {"old.example"}
    processes.clock.advance(60)
    assert await processes.hosts(processes.other) == {"new.example"}


async def test_a_silent_store_delays_no_one_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "ASKED_WITHIN_S", 0.001)
    documents = TroubledDocuments()
    processes = Processes(documents)
    await processes.both_list()
    documents.gate.clear()

    assert await processes.hosts(processes.one) == {"old.example"}
    documents.gate.set()
