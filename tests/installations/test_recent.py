"""What is remembered of installations, and for how long."""

import pytest

from bot.installations.repository import RecentInstallations
from bot.store.documents import ConflictError
from tests.api_keys.unhurried import UnhurriedDocuments
from tests.fakes import FakeClock
from tests.installations.renewals import ONE, a_memory, a_shelf, an_installation

pytestmark = pytest.mark.anyio


class Shop:
    """A store, what is remembered of it, and a clock."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.documents = UnhurriedDocuments()
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


async def test_what_was_forgotten_is_read_anew(shop: Shop) -> None:
    await shop.put("before")
    await shop.name()
    await shop.put("after")

    shop.recent.forget(ONE)

    assert await shop.name() == "after"
