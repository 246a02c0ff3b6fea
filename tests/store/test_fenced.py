"""A store that does not take in again what was deleted, as long as it may not."""

from collections.abc import AsyncIterator

import pytest

from bot.installations.installation import scope_of_key
from bot.store.documents import Documents, ForgottenError
from bot.store.fenced import ErasableDocuments, FencedDocuments
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from tests.memory import MemoryDocuments


@pytest.fixture(params=["memory", "postgres"])
def url(request: pytest.FixtureRequest) -> str | None:
    """Return the address of a database, `None` for a store in memory."""
    if request.param == "memory":
        return None
    database: str = request.getfixturevalue("database")
    return database


@pytest.fixture
async def documents(url: str | None) -> AsyncIterator[ErasableDocuments]:
    store: ErasableDocuments = (
        await open_postgres(parse_address(url), beginning_of=scope_of_key)
        if url
        else FencedDocuments(MemoryDocuments(), beginning_of=scope_of_key)
    )
    yield store
    await store.close()


async def takes(documents: Documents, key: str) -> bool:
    try:
        await documents.put(key, {})
    except ForgottenError:
        return False
    return True


async def test_what_was_deleted_is_not_written_again(documents: ErasableDocuments) -> None:
    await documents.put("-.T1/key", {})

    assert await documents.delete_prefix("-.T1/") == 1

    assert not await takes(documents, "-.T1/scan/a.example")
    assert await documents.list_prefix("") == []
    for other in ("-.T10/key", "-.T2/key", "E1.T1/key", "meta/check"):
        assert await takes(documents, other)


async def test_an_installation_makes_its_workspace_welcome(documents: ErasableDocuments) -> None:
    for prefix in ("E1.T1/", "E1.T2/"):
        await documents.delete_prefix(prefix)

    await documents.put("E1.T1/installation", {})

    assert await takes(documents, "E1.T1/key")
    assert not await takes(documents, "E1.T2/key")


@pytest.mark.parametrize("is_installed", [True, False])
async def test_an_organisation_returns_with_all_workspaces(
    documents: ErasableDocuments, is_installed: bool
) -> None:
    for prefix in ("E1.T1/", "E1.T2/", "E1.-/", "E2.T1/"):
        await documents.delete_prefix(prefix)

    if is_installed:
        await documents.put("E1.-/installation", {})
    else:
        await documents.welcome("E1.")

    assert await takes(documents, "E1.T1/key")
    assert await takes(documents, "E1.T2/key")
    assert not await takes(documents, "E2.T1/key")
