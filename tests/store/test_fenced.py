"""A store that does not take in again what was deleted, as long as it may not.

A measured store does what the store does, and tells how each call ended.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator

import pytest

from bot.installations.installation import scope_of_key
from bot.store.documents import ConflictError, Documents, ForgottenError, StoreError
from bot.store.fenced import ErasableDocuments, FencedDocuments, timed_documents
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.web.metrics import STORE_OPERATIONS, STORE_OUTCOMES
from tests.builders import MOMENT
from tests.installations.builders import Gate
from tests.memory import EventfulDocuments, MemoryDocuments


@pytest.fixture(params=["memory", "postgres"])
def url(request: pytest.FixtureRequest) -> str | None:
    """Return the address of a database, `None` for a store in memory."""
    if request.param == "memory":
        return None
    database: str = request.getfixturevalue("database")
    return database


@pytest.fixture
async def documents(url: str | None) -> AsyncIterator[ErasableDocuments]:
    store: ErasableDocuments = (
        await open_postgres(parse_address(url), beginning_of=scope_of_key)
        if url
        else FencedDocuments(MemoryDocuments(), beginning_of=scope_of_key)
    )
    yield store
    await store.close()


async def takes(documents: Documents, key: str) -> bool:
    try:
        await documents.put(key, {})
    except ForgottenError:
        return False
    return True


async def test_what_was_deleted_is_not_written_again(documents: ErasableDocuments) -> None:
    await documents.put("-.T1/key", {})

    assert await documents.delete_prefix("-.T1/") == 1

    assert not await takes(documents, "-.T1/scan/a.example")
    assert await documents.list_prefix("") == []
    for other in ("-.T10/key", "-.T2/key", "E1.T1/key", "meta/check"):
        assert await takes(documents, other)


async def test_an_installation_makes_its_workspace_welcome(documents: ErasableDocuments) -> None:
    for prefix in ("E1.T1/", "E1.T2/"):
        await documents.delete_prefix(prefix)

    await documents.put("E1.T1/installation", {})

    assert await takes(documents, "E1.T1/key")
    assert not await takes(documents, "E1.T2/key")


@pytest.mark.parametrize("is_installed", [True, False])
async def test_an_organisation_returns_with_all_workspaces(
    documents: ErasableDocuments, is_installed: bool
) -> None:
    for prefix in ("E1.T1/", "E1.T2/", "E1.-/", "E2.T1/"):
        await documents.delete_prefix(prefix)

    if is_installed:
        await documents.put("E1.-/installation", {})
    else:
        await documents.welcome("E1.")

    assert await takes(documents, "E1.T1/key")
    assert await takes(documents, "E1.T2/key")
    assert not await takes(documents, "E2.T1/key")


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
    assert await documents.list_prefix("T1/") == [document]
    assert await documents.list_keys("T1/") == ["T1/a"]
    assert await documents.due_keys(MOMENT, limit=1) == ["T1/a"]
    assert await documents.delete("T1/a", if_rev=document.rev)
    assert await documents.delete_prefix("T1/") == 0
    await documents.welcome("T1/")
    await documents.check()
    await documents.close()

    assert {operation for operation, _ in notes.notified} == set(STORE_OPERATIONS)
    assert {outcome for _, outcome in notes.notified} == {"ok"}
    with pytest.raises(StoreError):
        await stored.get("T1/a")  # it is closed


async def test_a_call_is_measured_by_how_it_ended() -> None:
    notes, stored, gate = Notes(), EventfulDocuments(), Gate()
    documents = timed(stored, notes)
    await documents.put("T1/a", {})
    with pytest.raises(ConflictError):
        await documents.put("T1/a", {}, if_rev=0)
    stored.before["check"] = gate
    asking = asyncio.create_task(documents.check())
    await gate.until_reached()
    await asyncio.sleep(0.02)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await documents.close()
    with pytest.raises(StoreError):
        await documents.get("T1/a")

    ends = ["ok", "conflict", "cut_off", "ok", "failed"]
    assert notes.notified == [*zip(["put", "put", "check", "close", "get"], ends, strict=True)]
    assert {*ends} == {*STORE_OUTCOMES}
    assert notes.longest_s >= 0.02


def test_every_call_of_a_store_is_measured() -> None:
    calls = {
        name
        for name, _ in inspect.getmembers(ErasableDocuments, inspect.isfunction)
        if name[0] != "_"
    }

    assert calls == set(STORE_OPERATIONS)
