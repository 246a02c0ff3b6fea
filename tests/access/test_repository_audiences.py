"""Who may add and scan: the default, the choice, and what cannot be read."""

import pytest

from bot.access.repository import AUDIENCES_KIND, Audiences
from bot.dispatch.commands import Audience
from bot.process.workspace import WorkspaceId
from tests.memory import MemoryDocuments

ACME, OTHER = WorkspaceId("T1"), WorkspaceId("T2")


async def test_a_store_without_a_choice_lets_all_but_guests_add_and_everyone_scan() -> None:
    chosen = await Audiences(MemoryDocuments()).chosen(ACME)

    assert chosen == {"add": Audience.MEMBERS, "scan": Audience.GUESTS}


async def test_a_choice_is_of_one_workspace_and_new_once() -> None:
    audiences = Audiences(MemoryDocuments())

    is_new = [await audiences.choose(ACME, {"scan": Audience.MANAGERS}) for _ in range(2)]

    assert is_new == [True, False]
    assert await audiences.chosen(ACME) == {"add": Audience.MEMBERS, "scan": Audience.MANAGERS}
    assert (await audiences.chosen(OTHER))["scan"] is Audience.GUESTS


@pytest.mark.parametrize("value", [{"add": "all", "scan": "everyone"}, {"scan": "everyone"}])
async def test_a_choice_that_cannot_be_read_is_no_permission(value: dict[str, str]) -> None:
    documents = MemoryDocuments()
    await documents.put(f"{ACME}/{AUDIENCES_KIND}", {"v": 1, **value})

    with pytest.raises(LookupError):
        await Audiences(documents).chosen(ACME)
