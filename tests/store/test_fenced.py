"""A store that does not take in again what was forgotten, as long as it may not."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.store.documents import Documents, ForgottenError
from bot.store.fenced import ErasableDocuments, FencedDocuments
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from tests.fakes import TIME_LIMIT_S
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio


def prefix_begun(key: str) -> str | None:
    home, _, kind = key.partition("/")
    return home.removesuffix("-") if kind == "installation" else None


def beginning_of(key: str) -> str | None:
    return (begun := prefix_begun(key)) and begun + "/" * ("T" in begun)


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
        await open_postgres(parse_address(url), beginning_of=beginning_of)
        if url
        else FencedDocuments(MemoryDocuments(), beginning_of=beginning_of)
    )
    yield store
    await store.close()


async def takes(documents: Documents, key: str) -> bool:
    try:
        await documents.put(key, {})
    except ForgottenError:
        return False
    return True


async def test_what_was_forgotten_is_not_written_again(documents: ErasableDocuments) -> None:
    async with documents.forgetting("-.T1/"):
        assert not await takes(documents, "-.T1/scan/a.example")

    assert not await takes(documents, "-.T1/scan/a.example")
    assert await documents.list_prefix("") == []
    for other in ("-.T10/key", "-.T2/key", "E1.T1/key", "meta/check"):
        assert await takes(documents, other)


async def test_an_installation_makes_its_workspace_welcome(documents: ErasableDocuments) -> None:
    async with documents.forgetting("-.T1/"):
        pass

    await documents.put("-.T1/installation", {})

    assert await takes(documents, "-.T1/key")


async def test_an_installation_waits_until_the_one_before_is_deleted(
    documents: ErasableDocuments,
) -> None:
    async with documents.forgetting("-.T1/"):
        saving = asyncio.create_task(documents.put("-.T1/installation", {"new": True}))
        await asyncio.sleep(0)
        await documents.delete_prefix("-.T1/")

    async with asyncio.timeout(TIME_LIMIT_S):
        await saving
    assert [each.key for each in await documents.list_prefix("")] == ["-.T1/installation"]


async def test_who_is_welcome_from_the_beginning_is_never_refused(
    documents: ErasableDocuments,
) -> None:
    async with documents.forgetting("E1.", but=["E1.T1/"]):
        assert await takes(documents, "E1.T1/key")
        assert not await takes(documents, "E1.T2/key")


async def test_an_organisation_that_comes_back_brings_all_its_workspaces(
    documents: ErasableDocuments,
) -> None:
    for prefix in ("E1.T1/", "E1."):
        async with documents.forgetting(prefix):
            pass

    await documents.put("E1.-/installation", {})

    assert await takes(documents, "E1.T1/key")
    assert await takes(documents, "E1.T2/key")


async def test_an_organisation_that_goes_takes_along_who_stayed_the_last_time(
    documents: ErasableDocuments,
) -> None:
    async with documents.forgetting("E1.", but=["E1.T1/"]):
        pass

    async with documents.forgetting("E1."):
        pass

    assert not await takes(documents, "E1.T1/key")


async def test_one_of_two_that_went_is_welcome_alone(documents: ErasableDocuments) -> None:
    for prefix in ("E1.T1/", "E1.T2/", "E1.", "E2."):
        async with documents.forgetting(prefix):
            pass

    await documents.welcome("E1.T1/")

    assert await takes(documents, "E1.T1/key")
    for key in ("E1.T2/key", "E1.T3/key", "E2.T1/key"):
        assert not await takes(documents, key)


async def test_who_stayed_in_an_organisation_that_went_can_go_later(
    documents: ErasableDocuments,
) -> None:
    async with documents.forgetting("E1.", but=["E1.T1/"]):
        pass

    async with documents.forgetting("E1.T1/"):
        pass

    assert not await takes(documents, "E1.T1/key")
