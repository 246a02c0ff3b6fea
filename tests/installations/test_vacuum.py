"""What was deleted is soon nowhere in the storage, also after a crash; no one waits for that."""

import pytest

from bot.installations.uninstall import MARK, PAUSE
from bot.store.documents import StoreError
from tests.installations.builders import ACME, OTHER, Registry

pytestmark = pytest.mark.anyio


async def is_owed(registry: Registry) -> bool:
    return await registry.inner.get(MARK) is not None


async def test_traces_are_wiped_soon_and_once_also_after_a_crash(registry: Registry) -> None:
    await registry.install()

    await registry.leave()
    [mark] = await registry.inner.list_prefix("")
    registry.restart()
    await registry.tick()
    await registry.tick()

    assert (mark.key, mark.value, mark.due_at) == (MARK, {"v": 1}, None)  # it names no workspace
    assert registry.inner.wipes == [["-.T1/"]]
    assert not await is_owed(registry)


async def test_a_crash_in_the_middle_of_a_deletion_leaves_the_mark(registry: Registry) -> None:
    await registry.install()

    await registry.fail_to_leave()

    assert await is_owed(registry)


async def test_what_is_deleted_during_a_wipe_gets_another_one(registry: Registry) -> None:
    for home in (ACME, OTHER):
        await registry.install(home)
    await registry.leave(ACME)
    registry.inner.before["vacuum"] = lambda: registry.leave(OTHER)

    await registry.tick()
    owed = await is_owed(registry)
    await registry.tick()

    assert owed
    assert len(registry.inner.wipes) == 2


async def test_a_wipe_that_fails_is_tried_again_and_not_at_every_tick(registry: Registry) -> None:
    tries = []

    async def fail() -> None:
        tries.append(registry.clock())
        registry.inner.before["vacuum"] = fail
        raise StoreError("disk full")

    await registry.install()
    await registry.leave()
    registry.inner.before["vacuum"] = fail
    for _ in range(360):
        await registry.tick()
        registry.clock.advance(10)
    registry.inner.before.clear()
    registry.clock.advance(PAUSE.total_seconds())
    await registry.tick()

    assert 4 <= len(tries) <= 10
    assert len(registry.inner.wipes) == 1


async def test_a_deletion_during_which_another_process_wipes_is_wiped_after_it(
    registry: Registry,
) -> None:
    await registry.install()
    registry.inner.before["delete_prefix"] = registry.beside().tick

    await registry.leave()
    owed = await is_owed(registry)
    await registry.tick()

    assert owed
    assert registry.inner.wipes == [[], ["-.T1/"]]
