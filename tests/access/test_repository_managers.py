"""Who was named, and that no one's naming is lost."""

import pytest

from bot.access.repository import Managers
from bot.process.workspace import WorkspaceId
from tests.memory import MemoryDocuments

ONE = WorkspaceId("T1")


@pytest.fixture
def managers() -> Managers:
    return Managers(MemoryDocuments())


async def test_named_managers_are_kept_in_order(managers: Managers) -> None:
    assert await managers.named(ONE) == ()
    await managers.name(ONE, ("U2", "U1"))

    assert await managers.named(ONE) == ("U2", "U1")
    assert await managers.named(WorkspaceId("T2")) == ()


async def test_naming_replaces_all_and_returns_the_earlier_managers(managers: Managers) -> None:
    await managers.name(ONE, ("U1",))

    assert await managers.name(ONE, ("U2",)) == ("U1",)
    assert await managers.named(ONE) == ("U2",)
