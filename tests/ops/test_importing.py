"""Written digest by digest: cut off, the next import does the rest."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.admin import OPERATOR, Act, Audiences, Audit, Entry, Managers, Named
from bot.commands import Audience
from bot.digests.models import UnknownDigestError
from bot.digests.repository import DigestRepository
from bot.digests.schedule import next_slot
from bot.ops.import_diff import Difference, difference_between, write
from bot.ops.import_file import read_file
from bot.store.documents import ConflictError, Document, StoreError
from tests.digests.builders import a_digest, a_past_run, a_schedule
from tests.memory import FailingDocuments
from tests.ops.builders import ACME, a_file, holdings_of

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 12, 24, 12, 0, tzinfo=UTC)
SCHEDULE = a_schedule(days=(0, 4))
HELD = a_digest(schedule=SCHEDULE, past=(a_past_run(),), next=next_slot(SCHEDULE, NOW))
FILE = a_file(
    {"time": "10:00"},
    {"id": "d2"},
    {"id": "d3"},
    editors="admins",
    managers={"people": ["U2"], "groups": ["S1"]},
    who_may={"scan": "managers"},
)


@pytest.fixture
async def documents() -> FailingDocuments:
    documents = FailingDocuments()
    await DigestRepository(documents).put(ACME, HELD)
    return documents


async def difference(documents: FailingDocuments, raw: bytes = FILE) -> Difference:
    return difference_between(holdings_of(await documents.list_prefix("")), read_file(raw), NOW)


async def history(documents: FailingDocuments) -> list[Entry]:
    return await Audit(documents, clock=lambda: NOW).entries(ACME)


async def test_what_was_told_is_written(documents: FailingDocuments) -> None:
    shelf = DigestRepository(documents)

    await write(documents, await difference(documents), NOW)

    digests = {each.digest_id: each for each in await shelf.of_workspace(ACME)}
    assert {*digests} == {"d1", "d2", "d3"}
    assert f"{digests['d1'].plan.schedule.at:%H:%M}" == "10:00"
    assert digests["d1"].past == HELD.past
    assert await shelf.is_restricted(ACME)
    assert (await Managers(documents).named(ACME)).ids == ("U2", "S1")
    assert (await Audiences(documents).chosen(ACME))["scan"] is Audience.MANAGERS


async def test_an_import_is_in_the_history(documents: FailingDocuments) -> None:
    await Managers(documents).name(ACME, Named(("U1", "U2")))

    await write(documents, await difference(documents), NOW)

    (entry,) = await history(documents)
    assert (entry.act, entry.by, entry.at) == (Act.IMPORTED, OPERATOR, NOW)
    assert (entry.added, entry.removed) == (("S1",), ("U1",))
    assert entry.detail == (
        "2 digests added, 1 digest changed, digests are changed by admins, scan domains: managers"
    )


async def test_a_workspace_in_which_nothing_changes_has_nothing_in_its_history(
    documents: FailingDocuments,
) -> None:
    await write(documents, await difference(documents, a_file({})), NOW)

    assert await history(documents) == []


@pytest.mark.parametrize("writes", range(7))
async def test_cut_off_anywhere_the_next_import_does_the_rest(
    documents: FailingDocuments, writes: int
) -> None:
    documents.writes_left = writes
    with pytest.raises(StoreError, match="killed"):
        await write(documents, await difference(documents), NOW)
    documents.writes_left = None

    await write(documents, await difference(documents), NOW)

    assert (await difference(documents)).is_empty
    assert (await Managers(documents).named(ACME)).ids == ("U2", "S1")
    assert len(await DigestRepository(documents).of_workspace(ACME)) == 3


class Busy(FailingDocuments):
    """Documents that somebody else changes just before the first write of each."""

    def __init__(self, change: str) -> None:
        super().__init__()
        self.change = change
        self.is_busy = False
        self._touched: set[str] = set()

    async def put(self, key: str, value: Mapping[str, Any], **more: Any) -> Document:
        if self.is_busy and self.change in key and key not in self._touched:
            self._touched.add(key)
            found = await self.get(key)
            await super().put(key, found.value if found else value)
        return await super().put(key, value, **more)


@pytest.fixture
async def busy(request: pytest.FixtureRequest) -> Busy:
    documents = Busy(request.param)
    await DigestRepository(documents).put(ACME, HELD)
    return documents


@pytest.mark.parametrize("busy", ["/digest/d1", "/audit"], indirect=True)
async def test_what_others_write_meanwhile_is_read_again(busy: Busy) -> None:
    wanted, busy.is_busy = await difference(busy), True

    await write(busy, wanted, NOW)

    assert (await difference(busy)).is_empty
    assert len(await history(busy)) == (2 if busy.change == "/audit" else 1)


@pytest.mark.parametrize("busy", ["/digest/d2"], indirect=True)
async def test_what_others_have_made_meanwhile_is_never_replaced(busy: Busy) -> None:
    wanted, busy.is_busy = await difference(busy), True

    with pytest.raises(ConflictError):
        await write(busy, wanted, NOW)


async def test_a_digest_that_others_delete_meanwhile_stays_deleted(
    documents: FailingDocuments,
) -> None:
    wanted = await difference(documents)
    await DigestRepository(documents).delete(ACME, "d1")

    with pytest.raises(UnknownDigestError):
        await write(documents, wanted, NOW)
