"""What is remembered of installations, and for how long."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from bot.installations.repository import RecentInstallations
from bot.store.documents import ConflictError, Document
from tests.api_keys.unhurried import UnhurriedDocuments
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.installations.renewals import ONE, a_memory, a_shelf, an_installation

pytestmark = pytest.mark.anyio


class SlowDocuments(UnhurriedDocuments):
    """Hands over what it has read when `gate` opens."""

    def __init__(self) -> None:
        super().__init__()
        self.gate, self.has_read = asyncio.Event(), asyncio.Event()
        self.gate.set()

    async def get(self, key: str) -> Document | None:
        found = await super().get(key)
        self.has_read.set()
        async with asyncio.timeout(TIME_LIMIT_S):
            await self.gate.wait()
        return found


class Shop:
    """A store, what is remembered of it, and a clock."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.documents = SlowDocuments()
        self.recent: RecentInstallations = a_memory(self.documents, self.clock.seconds)

    async def put(self, name: str) -> None:
        await a_shelf(self.documents).put(an_installation(name=name))

    async def name(self) -> str | None:
        found = await self.recent.get(ONE)
        return found.installation.name if found else None


@pytest.fixture
def shop() -> Shop:
    return Shop()


async def test_an_installation_is_read_once_a_minute(shop: Shop) -> None:
    await shop.put("before")
    assert [await shop.name() for _ in range(50)] == ["before"] * 50
    await shop.put("after")
    shop.clock.advance(59)
    assert await shop.name() == "before"
    assert len(shop.documents.read) == 1

    shop.clock.advance(2)

    assert await shop.name() == "after"


async def test_beside_other_processes_an_installation_is_remembered_for_a_shorter_time(
    shop: Shop,
) -> None:
    shelf = a_shelf(shop.documents)
    shop.recent = RecentInstallations(shelf, clock_s=shop.clock.seconds, for_s=5)
    await shop.put("before")
    await shop.name()
    await shop.put("after")
    shop.clock.advance(4)
    before = await shop.name()

    shop.clock.advance(2)

    assert (before, await shop.name()) == ("before", "after")


async def test_that_there_is_none_is_remembered_too(shop: Shop) -> None:
    assert [await shop.name() for _ in range(3)] == [None] * 3
    assert len(shop.documents.read) == 1


async def test_what_was_written_here_is_known_at_once(shop: Shop) -> None:
    await shop.name()

    await shop.recent.put(an_installation(name="new"), if_rev=0)
    reads = len(shop.documents.read)

    assert await shop.name() == "new"
    assert len(shop.documents.read) == reads


async def test_what_was_not_written_here_is_read_anew(shop: Shop) -> None:
    await shop.put("before")
    await shop.name()
    await shop.put("after")

    with pytest.raises(ConflictError):
        await shop.recent.put(an_installation(name="too late"), if_rev=0)

    assert await shop.name() == "after"


class TestSlowReader:
    """Somebody has read "before", and does not come back with it before something else happens."""

    @pytest.fixture
    async def reading(self, shop: Shop) -> AsyncIterator[Callable[[], Awaitable[object]]]:
        """Yield what lets the reader come back."""
        await shop.put("before")
        held = shop.documents.gate = asyncio.Event()
        reader = asyncio.create_task(shop.name())
        await shop.documents.has_read.wait()
        shop.documents.gate = asyncio.Event()
        shop.documents.gate.set()  # the others come back at once

        async def come_back() -> str | None:
            held.set()
            return await reader

        yield come_back
        await come_back()

    async def test_does_not_bring_back_what_is_older_than_what_was_written(
        self, shop: Shop, reading: Callable[[], Awaitable[object]]
    ) -> None:
        await shop.recent.put(an_installation(name="after"), if_rev=None)

        await reading()

        assert await shop.name() == "after"

    async def test_does_not_bring_back_what_is_older_than_what_was_read(
        self, shop: Shop, reading: Callable[[], Awaitable[object]]
    ) -> None:
        await shop.put("after")
        read = await shop.recent.read(ONE)

        await reading()

        assert read is not None
        assert (read.installation.name, await shop.name()) == ("after", "after")

    async def test_is_not_shared_with_who_asks_for_what_was_forgotten(
        self, shop: Shop, reading: Callable[[], Awaitable[object]]
    ) -> None:
        await shop.put("after")

        shop.recent.forget(ONE)

        assert await shop.name() == "after"
        assert await reading() == "before"


async def test_what_was_forgotten_is_read_anew(shop: Shop) -> None:
    await shop.put("before")
    await shop.name()
    await shop.put("after")

    shop.recent.forget(ONE)

    assert await shop.name() == "after"
