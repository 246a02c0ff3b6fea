"""Who was named, and that no one's naming is lost."""

import pytest

from bot.access.repository import Managers, Named
from bot.process.workspace import WorkspaceId
from tests.memory import MemoryDocuments

ONE = WorkspaceId("T1")


@pytest.fixture
def managers() -> Managers:
    return Managers(MemoryDocuments())


async def test_named_managers_are_kept_in_order(managers: Managers) -> None:
    assert await managers.named(ONE) == Named()
    await managers.name(ONE, Named(("U2", "U1"), ("S2", "S1")))

    named = await managers.named(ONE)
    assert (named.user_ids, named.group_ids) == (("U2", "U1"), ("S2", "S1"))
    assert named.ids == ("U2", "U1", "S2", "S1")
    assert (await managers.named(WorkspaceId("T2"))).ids == ()


async def test_naming_replaces_all_and_returns_the_earlier_managers(managers: Managers) -> None:
    await managers.name(ONE, Named(("U1",), ("S1",)))

    assert await managers.name(ONE, Named(("U2",))) == Named(("U1",), ("S1",))
    assert await managers.named(ONE) == Named(("U2",))
