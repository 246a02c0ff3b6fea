"""Who did what, in order, bounded, and without a secret; who may add and scan."""

from datetime import timedelta

import pytest

from bot.access.permissions import AUDIENCES_KIND, Permissions
from bot.access.repository import MAX_ENTRIES, Act, Audit
from bot.dispatch.commands import Audience
from bot.process.workspace import WorkspaceId
from tests.builders import KEY, KEY_TAIL, MOMENT
from tests.fakes import FakeClock
from tests.memory import EventfulDocuments, MemoryDocuments

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


async def test_a_secret_does_not_get_in(audit: Audit, documents: EventfulDocuments) -> None:
    await audit.note(ONE, Act.KEY_SET, by="U1", key=KEY, detail=f"with {KEY}")

    assert KEY_TAIL not in str(await documents.list_prefix(""))


async def test_a_store_without_a_choice_lets_all_but_guests_add_and_everyone_scan() -> None:
    chosen = await Permissions(MemoryDocuments()).audiences(ONE)

    assert chosen == {"add": Audience.MEMBERS, "scan": Audience.GUESTS}


async def test_a_choice_is_of_one_workspace_and_new_once() -> None:
    permissions = Permissions(MemoryDocuments())

    chosen = {"scan": Audience.MANAGERS}
    is_new = [await permissions.choose_audiences(ONE, chosen) for _ in range(2)]

    assert is_new == [True, False]
    assert await permissions.audiences(ONE) == {"add": Audience.MEMBERS, "scan": Audience.MANAGERS}
    assert (await permissions.audiences(OTHER))["scan"] is Audience.GUESTS


@pytest.mark.parametrize("value", [{"add": "all", "scan": "everyone"}, {"scan": "everyone"}])
async def test_a_choice_that_cannot_be_read_is_no_permission(value: dict[str, str]) -> None:
    documents = MemoryDocuments()
    await documents.put(f"{ONE}/{AUDIENCES_KIND}", {"v": 1, **value})

    with pytest.raises(LookupError):
        await Permissions(documents).audiences(ONE)
