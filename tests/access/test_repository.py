"""Who did what, in order, bounded, and without a secret."""

import asyncio
from datetime import timedelta

import pytest

from bot.access.repository import MAX_ENTRIES, Act, Audit
from bot.process.workspace import WorkspaceId
from tests.builders import KEY, KEY_TAIL, MOMENT
from tests.fakes import FakeClock
from tests.memory import EventfulDocuments

ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def documents() -> EventfulDocuments:
    return EventfulDocuments()


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def audit(documents: EventfulDocuments, clock: FakeClock) -> Audit:
    return Audit(documents, clock=clock)


async def test_what_was_done_comes_back_the_latest_first(audit: Audit, clock: FakeClock) -> None:
    await audit.note(ONE, Act.KEY_SET, by="U1", key="service_sk_…abcd")
    clock.advance(60)
    await audit.note(ONE, Act.MANAGERS_CHANGED, by="U2", added=("U3",), removed=("U4", "U5"))
    await audit.note(ONE, Act.DIGEST_MADE, by="U3", channel_id="C1")
    await audit.note(ONE, Act.AUDIENCES_CHANGED, by="U2", detail="scan domains: admins")

    audiences, digest, managers, key = await audit.entries(ONE)

    assert (audiences.by, audiences.detail) == ("U2", "scan domains: admins")
    assert (digest.act, digest.by, digest.channel_id) == (Act.DIGEST_MADE, "U3", "C1")
    assert (managers.added, managers.removed) == (("U3",), ("U4", "U5"))
    assert (key.key, key.at, managers.at - key.at) == ("service_sk_…abcd", MOMENT, MINUTE)
    assert await audit.entries(OTHER) == []


async def test_only_the_last_ones_are_kept(audit: Audit) -> None:
    for number in range(MAX_ENTRIES + 3):
        await audit.note(ONE, Act.KEY_SET, by=f"U{number}")

    entries = await audit.entries(ONE)

    assert len(entries) == MAX_ENTRIES
    assert (entries[0].by, entries[-1].by) == (f"U{MAX_ENTRIES + 2}", "U3")


async def test_acts_at_the_same_time_are_all_there(audit: Audit) -> None:
    await asyncio.gather(*(audit.note(ONE, Act.KEY_SET, by=f"U{n}") for n in range(20)))

    assert {entry.by for entry in await audit.entries(ONE)} == {f"U{n}" for n in range(20)}


async def test_a_secret_does_not_get_in(audit: Audit, documents: EventfulDocuments) -> None:
    await audit.note(ONE, Act.KEY_SET, by="U1", key=KEY, detail=f"with {KEY}")

    assert KEY_TAIL not in str(await documents.list_prefix(""))
