"""A workspace that gets the app back can store data again, also when the store fails at first."""

from datetime import timedelta

import pytest

from bot.installations.models import UninstallKind
from bot.store.documents import StoreError
from tests.builders import MOMENT
from tests.installations.builders import IN_ORG, ORG, OTHER_IN_ORG, Registry

pytestmark = pytest.mark.anyio

SECOND = timedelta(seconds=1)


async def withdraw(registry: Registry) -> None:
    await registry.leave(IN_ORG, UninstallKind.WITHDRAWN)


async def is_refused(registry: Registry) -> bool:
    try:
        await registry.documents.put(f"{IN_ORG}/key", {})
    except StoreError:
        return True
    return False


async def fail() -> None:
    raise StoreError("no connection")


@pytest.fixture
async def registry() -> Registry:
    registry = Registry()
    await registry.install(ORG)
    await withdraw(registry)
    assert await is_refused(registry)
    return registry


async def test_a_granted_workspace_stores_again(registry: Registry) -> None:
    await registry.uninstaller.grant(IN_ORG, MOMENT)

    assert not await is_refused(registry)


async def test_a_grant_that_failed_is_done_by_a_tick(registry: Registry) -> None:
    registry.inner.before["get"] = fail
    await registry.uninstaller.grant(IN_ORG, MOMENT)
    kept = await registry.keys("E1.T3/")

    registry.clock.advance(60)
    await registry.tick()

    assert (kept, await registry.keys("E1.T3/")) == ([], ["E1.T3/granted"])


@pytest.mark.parametrize("later", [timedelta(), SECOND])
async def test_of_an_open_grant_and_a_withdrawal_the_later_counts(
    registry: Registry, later: timedelta
) -> None:
    registry.inner.before["get"] = fail
    await registry.uninstaller.grant(IN_ORG, MOMENT + later)

    await withdraw(registry)
    registry.clock.advance(60)
    await registry.tick()

    assert await is_refused(registry) is (later == timedelta())


async def test_an_earlier_withdrawal_means_nothing_after_a_grant(registry: Registry) -> None:
    await registry.uninstaller.grant(IN_ORG, MOMENT + SECOND)
    await registry.uninstaller.grant(IN_ORG, MOMENT - SECOND)  # events come in any order
    await registry.set_up(IN_ORG)

    for process in (registry, registry.beside()):
        await withdraw(process)

    assert len(await registry.keys("E1.T3/")) == 3


async def test_the_time_of_a_grant_goes_with_the_workspace(registry: Registry) -> None:
    await registry.uninstaller.grant(IN_ORG, MOMENT)
    assert await registry.keys("E1.T3/") == ["E1.T3/granted"]

    await withdraw(registry)

    assert await registry.keys("E1.T3/") == []


async def test_a_grant_of_an_organisation_that_left_is_not_kept(registry: Registry) -> None:
    await registry.leave(ORG)

    await registry.uninstaller.grant(OTHER_IN_ORG, MOMENT)

    assert await registry.keys() == []
