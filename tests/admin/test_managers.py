"""Who was named, and that nobody's naming is lost."""

import pytest

from bot.admin.managers import MAX_MANAGERS, Managers, Named
from bot.store.errors import ConflictError
from bot.store.memory import MemoryDocuments
from bot.workspace import WorkspaceId

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")


@pytest.fixture
def managers() -> Managers:
    return Managers(MemoryDocuments())


async def test_at_first_nobody_is_named(managers: Managers) -> None:
    assert await managers.named(ONE) == Named()


async def test_who_was_named_is_there_in_order(managers: Managers) -> None:
    await managers.name(ONE, ("U2", "U1"), rev=0)

    assert (await managers.named(ONE)).user_ids == ("U2", "U1")
    assert (await managers.named(WorkspaceId("T2"))).user_ids == ()


async def test_who_names_by_an_old_list_changes_nothing(managers: Managers) -> None:
    await managers.name(ONE, ("U1",), rev=0)

    with pytest.raises(ConflictError):
        await managers.name(ONE, ("U2",), rev=0)

    assert (await managers.named(ONE)).user_ids == ("U1",)


async def test_nobody_can_be_a_manager_any_more(managers: Managers) -> None:
    await managers.name(ONE, ("U1",), rev=0)

    await managers.name(ONE, (), rev=(await managers.named(ONE)).rev)

    assert (await managers.named(ONE)).user_ids == ()


async def test_there_is_an_end_to_it(managers: Managers) -> None:
    await managers.name(ONE, tuple(f"U{number}" for number in range(99)), rev=0)

    assert len((await managers.named(ONE)).user_ids) == MAX_MANAGERS
