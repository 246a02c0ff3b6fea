"""A measured store does what the store does, and tells how each call ended."""

import asyncio
import inspect
import time

import pytest

from bot.installations.installation import scope_of_key
from bot.store.documents import ConflictError, Documents, StoreError
from bot.store.fenced import ErasableDocuments, FencedDocuments, timed_documents
from bot.web.metrics import STORE_OPERATIONS, STORE_OUTCOMES
from tests.builders import MOMENT
from tests.installations.builders import Gate
from tests.memory import EventfulDocuments, MemoryDocuments


class Notes:
    """Remembers what it was given, and the longest time."""

    def __init__(self) -> None:
        self.notified: list[tuple[str, str]] = []
        self.longest_s = 0.0

    def __call__(self, operation: str, outcome: str, took_s: float) -> None:
        assert took_s >= 0
        self.notified.append((operation, outcome))
        self.longest_s = max(self.longest_s, took_s)


def timed(stored: MemoryDocuments, notes: Notes) -> ErasableDocuments:
    return timed_documents(FencedDocuments(stored, beginning_of=scope_of_key), notes)


async def test_every_call_passes_through_and_is_measured() -> None:
    notes, stored = Notes(), MemoryDocuments()
    documents: ErasableDocuments = timed(stored, notes)

    document = await documents.put("T1/a", {"x": 1}, due_at=MOMENT, if_rev=0)
    assert await documents.get("T1/a") == document == await stored.get("T1/a")
    assert await documents.list_prefix("T1/", limit=1) == [document]
    assert await documents.list_keys("T1/") == ["T1/a"]
    assert await documents.due_keys(MOMENT, limit=1) == ["T1/a"]
    assert await documents.delete("T1/a", if_rev=document.rev)
    assert await documents.delete_prefix("T1/") == 0
    await documents.vacuum()
    await documents.check()
    await documents.close()

    assert {operation for operation, _ in notes.notified} == set(STORE_OPERATIONS)
    assert {outcome for _, outcome in notes.notified} == {"ok"}
    with pytest.raises(StoreError):
        await stored.get("T1/a")  # it is closed


async def test_a_conflict_is_no_failure_of_the_store() -> None:
    notes = Notes()
    documents = timed(MemoryDocuments(), notes)
    await documents.put("T1/a", {})

    with pytest.raises(ConflictError):
        await documents.put("T1/a", {}, if_rev=0)

    assert notes.notified[-1] == ("put", "conflict")


async def test_a_failure_is_measured_and_passed_on() -> None:
    notes = Notes()
    documents = timed(MemoryDocuments(), notes)
    await documents.close()

    with pytest.raises(StoreError):
        await documents.get("T1/a")

    assert notes.notified == [("get", "failed")]


async def test_a_call_that_somebody_gave_up_is_no_failure_of_the_store() -> None:
    notes, stuck, gate = Notes(), EventfulDocuments(), Gate()
    stuck.before["check"] = gate
    asking = asyncio.create_task(timed(stuck, notes).check())
    await gate.until_reached()
    began = time.perf_counter()

    await asyncio.sleep(0.02)
    least_s = time.perf_counter() - began
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking

    assert notes.notified == [("check", "cut_off")]
    assert notes.longest_s >= least_s
    assert {"ok", "conflict", "failed", "cut_off"} == set(STORE_OUTCOMES)


def test_every_call_of_a_store_is_measured() -> None:
    calls = {
        name for name, _ in inspect.getmembers(Documents, inspect.isfunction) if name[0] != "_"
    }

    assert calls - {"close"} == set(STORE_OPERATIONS)
