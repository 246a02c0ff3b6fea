"""Departures: everything goes, nothing of others does, and a new installation stays."""

import asyncio
from datetime import datetime, timedelta

import pytest

from bot.installations.installation import UninstallKind
from bot.installations.repository import WAITS_FOR_REINSTALL
from bot.slack.errors import SlackUnreachableError
from bot.store.documents import StoreError
from bot.workspace import WorkspaceId
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S
from tests.installations.builders import (
    ACME,
    HOUR,
    IN_ORG,
    ORG,
    OTHER,
    OTHER_IN_ORG,
    Gate,
    Registry,
    an_installation,
    kept,
)
from tests.loops import loop_over

pytestmark = pytest.mark.anyio

INSTALLED_AT = MOMENT - HOUR  # of the builders
EARLIER = INSTALLED_AT - HOUR
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
EVERYTHING = ["-.T1/digest/d1", "-.T1/installation", "-.T1/key"]
WITHDRAWN = UninstallKind.WITHDRAWN


async def test_of_a_workspace_that_left_nothing_stays(registry: Registry) -> None:
    await registry.install(ACME)
    await registry.install(OTHER)

    await registry.leave(ACME)

    assert await registry.keys("-.T1") == []
    assert len(await registry.keys("-.T2/")) == 3
    assert await registry.inner.due_keys(MOMENT) == ["-.T2/digest/d1"]
    assert registry.emptied == [ACME]
    with pytest.raises(StoreError):
        await registry.documents.put("-.T1/scan/shop.example", {})


async def test_of_a_workspace_without_an_installation_nothing_stays(registry: Registry) -> None:
    await registry.set_up(ACME)

    await registry.leave(ACME)

    assert (await registry.keys(), registry.asked) == ([], [])


async def test_a_deletion_that_is_cut_off_leaves_the_organisations_installation_for_the_end(
    registry: Registry,
) -> None:
    await registry.install(ORG)
    await registry.set_up(IN_ORG)

    await registry.leave(ORG)

    assert registry.inner.deleted == ["E1.T3/", "E1.-/"]


@loop_over(
    ("at", "works", "is_asked", "stays"),
    [
        (EARLIER, True, True, True),
        (EARLIER, False, True, False),
        (INSTALLED_AT, True, True, True),  # within the same second
        (INSTALLED_AT + SECOND, True, False, False),
        (MOMENT, True, False, False),
    ],
)
async def test_only_an_event_that_may_be_of_the_installation_before_needs_slacks_word(
    at: datetime, works: bool, is_asked: bool, stays: bool
) -> None:
    registry = Registry()
    await registry.install()
    registry.working = {ACME} if works else set()

    await registry.leave(at=at)

    assert registry.asked == [ACME] * is_asked
    assert await registry.keys() == EVERYTHING * stays


async def test_an_installation_saved_during_the_deletion_waits_and_stays(
    registry: Registry,
) -> None:
    await registry.install()
    new = an_installation(installed_at=MOMENT + SECOND)
    saving: list[asyncio.Task[object]] = []

    async def reinstall() -> None:
        saving.append(asyncio.create_task(registry.shelf.put(new)))
        await asyncio.sleep(0)

    registry.inner.before["delete_prefix"] = reinstall

    await registry.leave()
    await asyncio.gather(*saving)

    assert (await kept(registry.documents)).installation == new
    assert await registry.keys() == ["-.T1/installation"]
    assert not await registry.is_refused(ACME)


async def test_a_reinstallation_by_a_clock_that_is_behind_slacks_stays(registry: Registry) -> None:
    await registry.install(installed_at=MOMENT + timedelta(seconds=30))  # Slack's own time
    registry.clock.now = MOMENT - 2 * MINUTE

    await registry.leave(at=MOMENT)  # of the one before

    assert await registry.keys() == EVERYTHING


async def test_an_installation_saved_while_slack_is_asked_stays(registry: Registry) -> None:
    await registry.install()
    registry.working.clear()
    registry.during_asking = registry.install

    await registry.leave(at=EARLIER)

    assert registry.asked == [ACME, ACME]
    assert await registry.keys() == EVERYTHING
    assert not await registry.is_refused(ACME)


async def test_a_store_that_fails_is_tried_again_by_ticks_without_hurry_until_it_works(
    registry: Registry,
) -> None:
    await registry.install()

    await registry.fail_to_leave(times=3)
    await registry.tick()
    assert registry.inner.failures == 2
    for _ in range(3):
        assert await registry.keys() == EVERYTHING
        await registry.tick(after=MINUTE)

    assert await registry.keys() == []


async def test_a_mistake_of_ours_does_not_keep_the_others(registry: Registry) -> None:
    async def stumble() -> None:
        raise ValueError("unforeseen")

    for home in (ACME, OTHER):
        await registry.install(home)
        await registry.fail_to_leave(home)
    registry.inner.before["get"] = stumble

    for _ in range(2):
        registry.clock.advance(60)
        await registry.uninstaller.forget_due()

    assert await registry.keys() == []


async def test_while_slack_cannot_be_asked_everything_stays(registry: Registry) -> None:
    await registry.install()
    registry.working.clear()
    registry.is_slack_away = True

    with pytest.raises(SlackUnreachableError):
        await registry.leave(at=EARLIER)
    stayed = await registry.keys()
    registry.is_slack_away = False
    await registry.tick(after=MINUTE)

    assert (stayed, await registry.keys()) == (EVERYTHING, [])


async def test_no_tick_waits_for_a_deletion(registry: Registry) -> None:
    await registry.install()
    gate = registry.inner.before["delete_prefix"] = Gate()
    leaving = asyncio.create_task(registry.leave())
    await gate.until_reached()
    registry.clock.advance(61)

    for _ in range(3):
        registry.uninstaller.look()
    gate.open()

    async with asyncio.timeout(TIME_LIMIT_S):
        await leaving
    assert await registry.tasks.drain(TIME_LIMIT_S)
    assert registry.inner.deleted == ["-.T1/"]


async def test_of_revoked_tokens_the_data_waits_for_thirty_days(registry: Registry) -> None:
    await registry.install()

    await registry.leave(way=UninstallKind.REVOKED)  # the end of another token
    had_tokens = await registry.has_tokens()
    await registry.revoke()
    revoked = (await kept(registry.documents)).installation
    emptied = [*registry.emptied]
    await registry.tick(after=WAITS_FOR_REINSTALL - SECOND)
    before = await registry.keys()
    await registry.tick(after=SECOND)

    assert had_tokens
    assert (revoked.tokens, revoked.revoked_at, emptied) == (None, MOMENT, [ACME])
    assert (before, await registry.keys()) == (EVERYTHING, [])


async def test_of_an_organisation_only_workspaces_with_an_own_installation_stay(
    registry: Registry,
) -> None:
    await registry.install(ORG)
    await registry.set_up(OTHER_IN_ORG)
    await registry.install(IN_ORG)
    await registry.install(ACME)

    await registry.leave(ORG)

    assert await registry.homes() == {"E1.T3", "-.T1"}
    assert not await registry.is_refused(IN_ORG)
    assert await registry.is_refused(WorkspaceId("T5", "E1"))


async def test_who_has_an_own_installation_may_write_all_the_time(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.install(IN_ORG)
    await registry.set_up(OTHER_IN_ORG)

    async def write_during_the_deletion() -> None:
        await registry.set_up(IN_ORG)
        registry.inner.before["delete_prefix"] = lambda: registry.set_up(IN_ORG)

    async def write_during_the_second_look() -> None:
        registry.inner.before["list_keys"] = write_during_the_deletion

    registry.inner.before["list_keys"] = write_during_the_second_look
    await registry.leave(ORG)

    assert not registry.inner.before
    assert await registry.homes() == {"E1.T3"}


async def test_an_own_installation_made_at_the_last_moment_stays(registry: Registry) -> None:
    await registry.install(ORG)
    registry.inner.before["list_keys ends"] = lambda: registry.install(IN_ORG)

    await registry.leave(ORG)

    assert await registry.homes() == {"E1.T3"}
    assert not await registry.is_refused(IN_ORG)


async def test_where_the_organisation_takes_over_the_app_goes_on(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.install(IN_ORG)

    await registry.leave(IN_ORG)
    gone = await registry.keys("E1.T3/")
    await registry.set_up(IN_ORG)
    await registry.leave(IN_ORG)  # Slack's retry

    assert (gone, len(await registry.keys("E1.T3/"))) == ([], 2)


async def test_what_the_organisation_serves_does_not_wait_for_an_own_installation(
    registry: Registry,
) -> None:
    await registry.install(ORG)
    await registry.install(IN_ORG)
    await registry.revoke(IN_ORG)

    await registry.tick(after=WAITS_FOR_REINSTALL)

    assert await registry.keys("E1.T3/") == ["E1.T3/digest/d1", "E1.T3/key"]
    assert not await registry.is_refused(IN_ORG)


class TestWithdrawn:
    """An organisation took the app from a workspace, and may give it back."""

    @pytest.fixture
    async def registry(self) -> Registry:
        registry = Registry()
        await registry.install(ORG)
        await registry.leave(IN_ORG, WITHDRAWN)
        assert await registry.is_refused(IN_ORG)
        return registry

    async def fail(self) -> None:
        raise StoreError("no connection")

    async def test_a_grant_that_failed_is_done_by_a_tick(self, registry: Registry) -> None:
        registry.inner.before["get"] = self.fail
        await registry.uninstaller.grant(IN_ORG, MOMENT)
        before = await registry.keys("E1.T3/")

        await registry.tick(after=MINUTE)

        assert (before, await registry.keys("E1.T3/")) == ([], ["E1.T3/granted"])

    async def test_an_earlier_withdrawal_means_nothing_after_a_grant(
        self, registry: Registry
    ) -> None:
        await registry.uninstaller.grant(IN_ORG, MOMENT + SECOND)
        await registry.uninstaller.grant(IN_ORG, MOMENT - SECOND)  # events come in any order
        await registry.set_up(IN_ORG)

        for process in (registry, registry.beside()):
            await process.leave(IN_ORG, WITHDRAWN)

        assert len(await registry.keys("E1.T3/")) == 3

    async def test_the_time_of_a_grant_goes_with_the_workspace(self, registry: Registry) -> None:
        await registry.uninstaller.grant(IN_ORG, MOMENT)
        assert await registry.keys("E1.T3/") == ["E1.T3/granted"]

        await registry.leave(IN_ORG, WITHDRAWN)

        assert await registry.keys("E1.T3/") == []

    async def test_a_grant_of_an_organisation_that_left_is_not_kept(
        self, registry: Registry
    ) -> None:
        await registry.leave(ORG)

        await registry.uninstaller.grant(OTHER_IN_ORG, MOMENT)

        assert await registry.keys() == []


@loop_over(
    ("way", "at", "since", "works", "asked", "stays"),
    [
        (UninstallKind.REMOVED, MOMENT, INSTALLED_AT, False, 0, False),
        (UninstallKind.REMOVED, EARLIER, INSTALLED_AT, True, 1, True),
        (UninstallKind.REMOVED, MOMENT, None, True, 1, True),
        (UninstallKind.REVOKED, MOMENT, INSTALLED_AT, False, 0, True),  # waits for the operator
    ],
)
async def test_a_bot_with_one_token_has_no_document_that_says_when_it_was_installed(
    way: UninstallKind, at: datetime, since: datetime | None, works: bool, asked: int, stays: bool
) -> None:
    registry = Registry(is_single=True)
    registry.since, registry.working = since, {ACME} if works else set()
    await registry.set_up(ACME)

    await registry.leave(ACME, way, at=at)

    assert registry.asked == [ACME] * asked
    assert len(await registry.keys()) == 2 * stays
    assert await registry.is_refused(ACME) is not stays
