"""Two keys of one workspace: the one in use, and for a week the one before it."""

import asyncio
from datetime import timedelta

import pytest

from bot.keys.key_record import KeyRecord, KeysChangedError
from bot.keys.repository import Keys
from bot.process.workspace import WorkspaceId
from bot.store.documents import UnreadableSecretError
from bot.store.encryption import KeyRing
from tests.builders import KEY
from tests.fakes import FakeClock
from tests.keys.test_repository import RING, a_draft
from tests.memory import EventfulDocuments

ONE, OTHER = WorkspaceId("T1"), WorkspaceId("T2")
OLD, NEW, NEWEST = (KEY.replace("Q", letter) for letter in "QRS")
WEEK = timedelta(days=7)


class Safe:
    """Keys around a store in memory, and a clock that is moved."""

    def __init__(self) -> None:
        self.documents = EventfulDocuments()
        self.clock = FakeClock()
        self.keys = Keys(self.documents, RING, clock=self.clock)

    async def save(self, *secrets: str) -> None:
        """Set keys one after the other, a day apart."""
        for secret in secrets:
            self.clock.now += timedelta(days=1)
            await self.keys.save(ONE, a_draft(secret), set_by="U1")

    async def in_use(self) -> str:
        return (await self.keys.stored(ONE)).secret

    async def remove(self) -> KeyRecord | None:
        return await self.keys.remove(ONE, (await self.keys.stored(ONE)).record.mark)

    async def earlier_mark(self) -> str | None:
        pair = await self.keys.pair(ONE)
        return pair.earlier.record.mark if pair and pair.earlier else None


@pytest.fixture
async def safe() -> Safe:
    safe = Safe()
    await safe.save(OLD, NEW)
    return safe


async def test_the_key_before_can_be_put_back_and_the_other_one_again(safe: Safe) -> None:
    mark = await safe.earlier_mark() or ""
    pair = await safe.keys.roll_back(ONE, await safe.keys.earlier(ONE, mark))
    back = await safe.in_use()
    with pytest.raises(KeysChangedError):  # which a second press asks for
        await safe.keys.earlier(ONE, mark)

    await safe.keys.roll_back(ONE, await safe.keys.earlier(ONE, await safe.earlier_mark() or ""))

    assert pair.earlier is not None
    assert pair.earlier.record.last4 == NEW[-4:]
    assert (back, await safe.in_use()) == (OLD, NEW)


async def test_two_rollbacks_at_once_swap_once(safe: Safe) -> None:
    earlier = await safe.keys.earlier(ONE, await safe.earlier_mark() or "")

    ended = await asyncio.gather(
        *(safe.keys.roll_back(ONE, earlier) for _ in range(2)), return_exceptions=True
    )

    assert [type(each) for each in ended].count(KeysChangedError) == 1
    assert await safe.in_use() == OLD


async def test_the_way_back_ends_after_seven_days(safe: Safe) -> None:
    mark = await safe.earlier_mark() or ""
    safe.clock.now += WEEK - timedelta(seconds=1)
    assert (await safe.keys.earlier(ONE, mark)).secret == OLD

    safe.clock.advance(1)

    with pytest.raises(KeysChangedError):
        await safe.keys.earlier(ONE, mark)


async def test_a_key_that_can_not_be_read_any_more_can_be_replaced(safe: Safe) -> None:
    unreadable = (await safe.keys.stored(ONE)).record.mark
    stranger = Keys(safe.documents, KeyRing({"k2": b"2" * 32}), clock=safe.clock)
    safe.clock.advance(1)

    await stranger.save(ONE, a_draft(NEWEST), set_by="U1")

    assert (await stranger.stored(ONE)).secret == NEWEST
    pair = await stranger.pair(ONE)
    assert pair is not None
    assert pair.earlier is not None
    assert pair.earlier.record.mark == unreadable
    with pytest.raises(UnreadableSecretError):
        await stranger.earlier(ONE, unreadable)


async def test_removing_removes_both(safe: Safe) -> None:
    assert await safe.remove()

    assert await safe.documents.list_prefix(f"{ONE}/") == []
    assert await safe.keys.remove(ONE, "any") is None


async def test_what_is_known_of_the_old_key_comes_back_with_it() -> None:
    safe = Safe()
    await safe.save(OLD)
    await safe.keys.note_lacking(ONE, await safe.keys.stored(ONE), "add")
    await safe.keys.note_refused(ONE, await safe.keys.stored(ONE))
    await safe.save(NEW)

    await safe.keys.roll_back(ONE, await safe.keys.earlier(ONE, await safe.earlier_mark() or ""))

    record = (await safe.keys.stored(ONE)).record
    assert (record.lacks, record.works, record.refused_at) == (("add",), ("list",), None)


async def test_what_succeeded_is_written_once(safe: Safe) -> None:
    await safe.keys.note_accepted(ONE, await safe.keys.stored(ONE), "scan")
    [before] = await safe.documents.list_prefix("")

    for operation in ("scan", "list"):
        await safe.keys.note_accepted(ONE, await safe.keys.stored(ONE), operation)

    [after] = await safe.documents.list_prefix("")
    assert after.rev == before.rev
    assert after.value["record"]["works"] == ["list", "scan"]


async def test_what_is_refused_for_a_scope_no_longer_works(safe: Safe) -> None:
    await safe.keys.note_accepted(ONE, await safe.keys.stored(ONE), "scan")

    await safe.keys.note_lacking(ONE, await safe.keys.stored(ONE), "scan")

    record = (await safe.keys.stored(ONE)).record
    assert (record.works, record.lacks) == (("list",), ("scan",))


async def test_what_is_no_news_is_said_to_be_none(safe: Safe) -> None:
    key = await safe.keys.stored(ONE)
    assert await safe.keys.note_accepted(ONE, key, "list") is False

    await safe.save(NEWEST)
    assert await safe.keys.note_refused(ONE, key) is False
    assert (await safe.keys.stored(ONE)).record.refused_at is None
    await safe.remove()

    assert await safe.keys.note_refused(ONE, key) is False
    assert await safe.keys.note_accepted(ONE, key, "scan") is False


async def test_a_key_that_is_set_in_the_middle_of_removing_another_stays(safe: Safe) -> None:
    mark = (await safe.keys.stored(ONE)).record.mark
    safe.documents.before["delete"] = lambda: safe.save(NEWEST)

    with pytest.raises(KeysChangedError):
        await safe.keys.remove(ONE, mark)

    assert await safe.in_use() == NEWEST


async def test_no_key_is_shown_and_no_sealed_one_either(safe: Safe) -> None:
    pair = await safe.keys.pair(ONE)
    assert pair is not None
    assert pair.earlier is not None

    shown = repr([pair, a_draft(NEW), await safe.keys.stored(ONE)])

    for kept in (pair.sealed, pair.earlier.sealed, NEW):
        assert kept not in shown
