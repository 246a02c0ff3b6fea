"""Of a workspace that one process has forgotten, no other process writes anything any more."""

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any

import pytest

from bot.concurrency import Tasks
from bot.installations.installation import scope_of_key
from bot.installations.repository import InstallationRepository
from bot.installations.uninstall import Purger, VacuumScheduler
from bot.store.documents import ConflictError, StoreError
from bot.store.postgres.address import Address, parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from bot.workspace import WorkspaceId
from tests.builders import MOMENT
from tests.fakes import GROWING_S, TIME_LIMIT_S, FakeClock
from tests.installations.builders import RING, an_installation
from tests.store.postgres.database import run, wait_until

pytestmark = pytest.mark.anyio

AN_HOUR_AGO = "UPDATE forgotten SET until = until - interval '1 hour'"


@pytest.fixture
async def hasty(address: Address) -> AsyncIterator[PostgresDocuments]:
    """Return the store of a third process, which waits for no one."""
    opened = await open_postgres(address, beginning_of=scope_of_key, timeout_s=0.2)
    yield opened
    await opened.close()


async def takes(store: PostgresDocuments, key: str, name: str) -> bool:
    try:
        await store.put(key, {"of": name})
    except StoreError:
        return False
    return True


async def write_until_refused(store: PostgresDocuments, home: str, begun: asyncio.Event) -> int:
    """Write one document after another under `home`; return how many were taken."""
    for number in count():
        try:
            await store.put(f"{home}/scan/{id(begun)}-{id(store)}/{number}", {"n": number})
        except StoreError:
            return number
        if number == 10:
            begun.set()
    raise AssertionError


prefixes = pytest.mark.parametrize(
    ("home", "prefix"),
    [
        pytest.param("-.T1", "-.T1/", id="workspace"),
        pytest.param("E1.T1", "E1.T1/", id="workspace-of-an-organisation"),
        pytest.param("E1.T1", "E1.", id="organisation"),
    ],
)


@prefixes
async def test_of_many_racing_writes_none_is_left(
    store: PostgresDocuments, other: PostgresDocuments, home: str, prefix: str
) -> None:
    taken = 0
    for _ in range(4):
        begun = [asyncio.Event() for _ in range(10)]
        writing = [
            asyncio.create_task(write_until_refused(each, home, event))
            for event in begun
            for each in (store, other)
        ]
        await asyncio.gather(*(event.wait() for event in begun))

        async with store.forgetting(prefix):
            await store.delete_prefix(prefix)

        async with asyncio.timeout(TIME_LIMIT_S):
            taken += sum(await asyncio.gather(*writing))
        assert await store.list_keys(prefix) == []
        await store.welcome(prefix)
    assert taken >= 4 * 10, "each event means a write that was taken"


@prefixes
async def test_a_write_that_was_allowed_a_moment_ago_ends_before_the_deletion(
    store: PostgresDocuments, other: PostgresDocuments, home: str, prefix: str
) -> None:
    async def forget() -> None:
        async with store.forgetting(prefix):
            await store.delete_prefix(prefix)

    async with store.pool.connection() as first, first.transaction(force_rollback=True):
        await first.execute("INSERT INTO document VALUES (%s, '{}', 1)", (f"{home}/key",))
        writing = asyncio.create_task(other.put(f"{home}/key", {}))
        await wait_until(store, waiting=1)
        forgetting = asyncio.create_task(forget())
        await wait_until(store, waiting=2, or_else=forgetting.done)

    await asyncio.gather(writing, forgetting)
    assert await store.list_keys("") == []


@pytest.mark.parametrize(
    "queue_up",
    [
        lambda store: store.put("-.T1/installation", {}),
        lambda store: forgotten(store, "-.T1/"),
    ],
    ids=["installing", "forgetting"],
)
async def test_who_waits_for_a_deletion_leaves_it_a_connection(
    database: str, other: PostgresDocuments, queue_up: Callable[[PostgresDocuments], Any]
) -> None:
    small = await open_postgres(
        parse_address(f"{database}&pool_size=2"), beginning_of=scope_of_key, timeout_s=TIME_LIMIT_S
    )
    looks = count()

    async with small.forgetting("-.T1/"):
        waiting = [asyncio.create_task(queue_up(small)) for _ in range(3)]
        await wait_until(other, waiting=1, or_else=lambda: next(looks) > 20)
        await small.delete_prefix("-.T1/")

    await asyncio.gather(*waiting)
    await small.close()


async def forgotten(store: PostgresDocuments, prefix: str) -> None:
    async with store.forgetting(prefix):
        pass


async def outlasts_a_call(store: PostgresDocuments, address: Address, within_s: float) -> bool:
    """Say whether a deletion that takes longer than a call may was done; `False`: not begun."""
    hasty, has_begun = await open_postgres(address, timeout_s=within_s), False
    try:
        async with hasty.forgetting("-.T1/"):
            has_begun = True
            await run(store, f"SELECT pg_sleep({1.5 * within_s})")
    except StoreError:
        if has_begun:
            raise
    finally:
        await hasty.close()
    return has_begun


async def test_a_deletion_may_take_longer_than_a_call(
    store: PostgresDocuments, address: Address
) -> None:
    for within_s in GROWING_S:
        if await outlasts_a_call(store, address, within_s):
            return
    pytest.fail("it did not even begin")


async def test_an_installation_of_another_process_waits_for_the_deletion(
    store: PostgresDocuments, other: PostgresDocuments, hasty: PostgresDocuments
) -> None:
    await store.put("-.T1/installation", {"n": 1})

    async with store.forgetting("-.T1/"):
        with pytest.raises(StoreError, match="did not answer"):
            await hasty.put("-.T1/installation", {"n": 2})
        saving = asyncio.create_task(other.put("-.T1/installation", {"n": 3}))
        await other.put("-.T2/installation", {})  # somebody else's does not wait
        await store.delete_prefix("-.T1/")

    saved = await saving
    assert await store.list_prefix("-.T1/") == [saved]
    await store.put("-.T1/key", {})


async def test_nobody_else_forgets_the_same_organisation_meanwhile(
    store: PostgresDocuments, other: PostgresDocuments, hasty: PostgresDocuments
) -> None:
    async with store.forgetting("E1."):
        with pytest.raises(StoreError, match="did not answer"):
            async with hasty.forgetting("E1.T1/"):
                pytest.fail("it is not its turn")
        async with other.forgetting("E2."):
            pass


async def test_a_deletion_that_is_cut_off_keeps_nobody_waiting(
    store: PostgresDocuments, other: PostgresDocuments
) -> None:
    with pytest.raises(StoreError):
        async with store.forgetting("-.T1/"):
            await run(
                other,
                "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_stat_activity"
                " USING (pid) WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
            )

    with pytest.raises(StoreError, match="removed"):  # nothing is written, all the same
        await other.put("-.T1/key", {})
    await other.put("-.T1/installation", {})


async def test_after_an_hour_the_refusal_ends_by_itself(
    store: PostgresDocuments, other: PostgresDocuments
) -> None:
    for prefix in ("E1.", "-.T1/"):
        async with store.forgetting(prefix, but=["E1.T2/"]):
            pass
    assert await run(store, "SELECT count(*) FROM forgotten") == [(3,)]

    await run(store, AN_HOUR_AGO)

    await other.put("-.T1/key", {})
    await other.put("E1.T1/key", {})
    await store.drop_old()
    assert await run(store, "SELECT count(*) FROM forgotten") == [(0,)]


async def test_what_has_ended_goes_with_the_next_deletion_and_with_the_wiping(
    store: PostgresDocuments,
) -> None:
    async with store.forgetting("-.T1/"):
        pass
    await run(store, AN_HOUR_AGO)

    async with store.forgetting("-.T2/"):
        pass
    after_deletion = await run(store, "SELECT count(*) FROM forgotten")
    await run(store, AN_HOUR_AGO)
    await store.vacuum()

    assert after_deletion == [(1,)]
    assert await run(store, "SELECT count(*) FROM forgotten") == [(0,)]


async def test_no_id_is_left_of_whom_was_forgotten(store: PostgresDocuments) -> None:
    async with store.forgetting("E0GONE.", but=["E0GONE.T0STAYS/"]):
        pass

    left = str(await run(store, "SELECT * FROM forgotten"))
    assert "E0" not in left
    assert "T0" not in left


async def test_whoever_installs_again_during_the_deletion_stands_alone_or_is_kept(
    store: PostgresDocuments, other: PostgresDocuments
) -> None:
    home = WorkspaceId("T1", "E1")
    tasks = Tasks()
    erasure = Purger(store, VacuumScheduler(store, tasks, clock=FakeClock(MOMENT)), [])
    shelf = InstallationRepository(other, RING)
    erased = number = 0
    while number < 10 or not 0 < erased < number:  # until both have been tried
        await shelf.put(an_installation(home, name=f"old {number}"))
        for scan in range(20):
            await other.put(f"{home}/scan/{scan}", {})

        async def come_back(name: str, later: int) -> None:
            for _ in range(later):
                await other.get(f"{home}/key")
            await shelf.put(an_installation(home, name=name))
            while not await takes(other, f"{home}/key", name):
                pass  # a deletion looks whom it is about, and takes its refusal back

        outcome, came_back = await asyncio.gather(
            erasure.erase(home, await erasure.stamp(home)),
            come_back(f"new {number}", later=number % 10),
            return_exceptions=True,
        )

        assert outcome is None or isinstance(outcome, ConflictError)
        assert came_back is None
        erased += outcome is None
        kept, key = await shelf.get(home), await store.get(f"{home}/key")
        assert kept is not None
        assert kept.installation.name == f"new {number}"
        assert key is not None
        assert key.value == {"of": f"new {number}"}
        if outcome is None:
            assert await store.list_keys(f"{home}/scan/") == []
        number += 1
