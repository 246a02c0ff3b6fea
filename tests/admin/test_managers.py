"""Who was named, and that no one's naming is lost."""

import pytest

from bot.admin import MAX_GROUPS, MAX_MANAGERS, Managers, Named
from bot.store.documents import ConflictError
from bot.workspace import WorkspaceId
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")


@pytest.fixture
def managers() -> Managers:
    return Managers(MemoryDocuments())


async def test_who_was_named_is_there_in_order(managers: Managers) -> None:
    assert await managers.named(ONE) == Named()
    await managers.name(ONE, Named(("U2", "U1"), ("S2", "S1")))

    named = await managers.named(ONE)
    assert (named.user_ids, named.group_ids) == (("U2", "U1"), ("S2", "S1"))
    assert named.ids == ("U2", "U1", "S2", "S1")
    assert (await managers.named(WorkspaceId("T2"))).ids == ()


async def test_who_names_by_an_old_list_changes_nothing(managers: Managers) -> None:
    await managers.name(ONE, Named(("U1",)))

    with pytest.raises(ConflictError):
        await managers.name(ONE, Named(("U2",), ("S1",)))
    assert (await managers.named(ONE)).ids == ("U1",)

    await managers.name(ONE, Named(rev=(await managers.named(ONE)).rev))
    assert (await managers.named(ONE)).ids == ()


async def test_there_is_an_end_to_it(managers: Managers) -> None:
    people, groups = (tuple(f"{kind}{n}" for n in range(99)) for kind in "US")

    await managers.name(ONE, Named(people, groups))

    named = await managers.named(ONE)
    assert (len(named.user_ids), len(named.group_ids)) == (MAX_MANAGERS, MAX_GROUPS)
