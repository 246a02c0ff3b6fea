"""Departures: everything goes, nothing of others does, and a new installation stays."""

import asyncio
from datetime import timedelta

import pytest

from bot.installations.models import UninstallKind
from bot.installations.repository import WAITS_FOR_REINSTALL
from bot.installations.uninstall import GIVEN_UP_AFTER
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
)

pytestmark = pytest.mark.anyio

EARLIER = MOMENT - 2 * HOUR  # before `installed_at` of the builders
EVERYTHING = ["-.T1/digest/d1", "-.T1/installation", "-.T1/key"]


@pytest.fixture
def registry() -> Registry:
    return Registry()


async def test_of_a_workspace_that_left_nothing_stays(registry: Registry) -> None:
    await registry.install(ACME)
    await registry.install(OTHER)

    await registry.leave(ACME)

    assert await registry.keys("-.T1") == []
    assert len(await registry.keys("-.T2/")) == 3
    assert await registry.inner.due_keys(MOMENT) == ["-.T2/digest/d1"]
    assert registry.emptied == [ACME]


async def test_the_event_may_come_twice_and_in_any_order(registry: Registry) -> None:
    await registry.install()
    registry.working.clear()

    for way in (
        UninstallKind.REVOKED,
        UninstallKind.REMOVED,
        UninstallKind.REMOVED,
        UninstallKind.REVOKED,
    ):
        await registry.leave(way=way)

    assert await registry.keys() == []


async def test_what_ends_after_the_deletion_writes_nothing_back(registry: Registry) -> None:
    await registry.install()

    await registry.leave()

    with pytest.raises(StoreError):
        await registry.documents.put("-.T1/scan/shop.example", {})


class TestReinstalledMeanwhile:
    """The event of the old installation, and the new one, at every moment of each other."""

    async def test_an_event_of_before_leaves_a_working_installation(
        self, registry: Registry
    ) -> None:
        await registry.install()

        await registry.leave(at=EARLIER)

        assert await registry.keys() == EVERYTHING

    async def test_within_the_same_second_slack_is_asked(self, registry: Registry) -> None:
        await registry.install()

        await registry.leave(at=MOMENT - HOUR)

        assert registry.asked == [ACME]
        assert await registry.keys() == EVERYTHING

    async def test_an_event_that_looks_early_deletes_when_the_token_is_dead(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.working.clear()

        await registry.leave(at=EARLIER)

        assert await registry.keys() == []

    @pytest.mark.parametrize("later", [timedelta(seconds=1), HOUR])
    async def test_a_later_event_deletes_without_asking(
        self, registry: Registry, later: timedelta
    ) -> None:
        await registry.install()

        await registry.leave(at=MOMENT - HOUR + later)

        assert registry.asked == []
        assert await registry.keys() == []

    async def test_an_installation_saved_during_the_deletion_waits_and_stays(
        self, registry: Registry
    ) -> None:
        await registry.install()
        new = an_installation(installed_at=MOMENT + timedelta(seconds=1))
        saving: list[asyncio.Task[object]] = []

        async def reinstall() -> None:
            saving.append(asyncio.create_task(registry.shelf.put(new)))
            await asyncio.sleep(0)

        registry.inner.before["delete_prefix"] = reinstall

        await registry.leave()
        await asyncio.gather(*saving)

        kept = await registry.shelf.get(ACME)
        assert kept is not None
        assert kept.installation == new
        assert await registry.keys() == ["-.T1/installation"]
        await registry.set_up(ACME)  # it is welcome

    async def test_a_reinstallation_by_a_clock_that_is_behind_slacks_stays(
        self, registry: Registry
    ) -> None:
        await registry.install(installed_at=MOMENT + timedelta(seconds=30))  # Slack's own time
        registry.clock.now = MOMENT - timedelta(minutes=2)

        await registry.leave(at=MOMENT)  # of the one before

        assert await registry.keys() == EVERYTHING

    async def test_an_installation_saved_while_slack_is_asked_stays(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.working.clear()
        registry.during_asking = registry.install

        await registry.leave(at=EARLIER)

        assert registry.asked == [ACME, ACME]
        assert await registry.keys() == EVERYTHING
        await registry.set_up(ACME)  # it is welcome

    async def test_a_token_renewed_while_slack_is_asked_is_no_new_installation(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.working.clear()
        registry.during_asking = lambda: registry.shelf.put(an_installation())

        await registry.leave(at=EARLIER)

        assert await registry.keys() == []

    async def test_an_installation_saved_while_tokens_are_looked_at_keeps_them(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.working.clear()
        registry.during_asking = registry.install

        await registry.leave(way=UninstallKind.REVOKED)

        kept = await registry.shelf.get(ACME)
        assert kept is not None
        assert kept.installation.tokens is not None

    async def test_what_was_done_is_not_done_again_by_the_tick(self, registry: Registry) -> None:
        await registry.install()
        await registry.leave()
        await registry.install()

        registry.clock.advance(3600)
        await registry.uninstaller.forget_due()

        assert await registry.keys() == EVERYTHING

    async def test_an_installation_made_after_the_deletion_begins_anew(
        self, registry: Registry
    ) -> None:
        await registry.install()
        await registry.leave()

        await registry.shelf.put(an_installation(installed_at=MOMENT + HOUR), if_rev=0)
        registry.working.add(ACME)
        await registry.leave()  # Slack's retry of the same event

        assert await registry.keys() == ["-.T1/installation"]


class TestFailures:
    async def test_a_store_that_fails_is_tried_again_until_it_works(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.inner.failures = 3

        with pytest.raises(StoreError):
            await registry.leave()
        assert await registry.keys() == EVERYTHING
        for _ in range(3):
            registry.clock.advance(60)
            await registry.uninstaller.forget_due()

        assert await registry.keys() == []

    async def test_it_is_given_up_after_a_day(self, registry: Registry) -> None:
        await registry.install()
        registry.inner.failures = 10_000

        with pytest.raises(StoreError):
            await registry.leave()
        registry.clock.advance(GIVEN_UP_AFTER.total_seconds())
        await registry.uninstaller.forget_due()
        for _ in range(5):
            registry.clock.advance(60)
            await registry.uninstaller.forget_due()

        assert registry.inner.failures == 10_000 - 3

    async def test_a_mistake_of_ours_does_not_keep_the_others(self, registry: Registry) -> None:
        async def stumble() -> None:
            raise ValueError("unforeseen")

        for home in (ACME, OTHER):
            await registry.install(home)
            registry.inner.failures = 1
            with pytest.raises(StoreError):
                await registry.leave(home)
        registry.inner.before["get"] = stumble

        for _ in range(2):
            registry.clock.advance(60)
            await registry.uninstaller.forget_due()

        assert await registry.keys() == []

    async def test_it_is_not_hurried(self, registry: Registry) -> None:
        await registry.install()
        registry.inner.failures = 1

        with pytest.raises(StoreError):
            await registry.leave()
        await registry.uninstaller.forget_due()

        assert await registry.keys() == EVERYTHING

    async def test_while_slack_cannot_be_asked_everything_stays(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()
        registry.is_slack_away = True

        with pytest.raises(SlackUnreachableError):
            await registry.leave(at=EARLIER)
        kept = await registry.keys()
        registry.is_slack_away = False
        registry.clock.advance(60)
        await registry.uninstaller.forget_due()

        assert kept == EVERYTHING
        assert await registry.keys() == []


class TestTick:
    async def test_no_tick_waits_for_a_deletion(self, registry: Registry) -> None:
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

    async def test_a_tick_goes_on_with_what_failed(self, registry: Registry) -> None:
        await registry.install()
        registry.inner.failures = 1
        with pytest.raises(StoreError):
            await registry.leave()

        registry.clock.advance(60)
        await registry.tick()

        assert await registry.keys() == []


class TestRevoked:
    async def test_only_the_tokens_go_at_first(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()

        await registry.leave(way=UninstallKind.REVOKED)

        kept = await registry.shelf.get(ACME)
        assert kept is not None
        assert kept.installation.tokens is None
        assert kept.installation.revoked_at == MOMENT
        assert await registry.keys() == EVERYTHING
        assert registry.emptied == [ACME]

    async def test_the_end_of_another_token_changes_nothing(self, registry: Registry) -> None:
        await registry.install()

        await registry.leave(way=UninstallKind.REVOKED)

        kept = await registry.shelf.get(ACME)
        assert kept is not None
        assert kept.installation.tokens is not None

    async def test_after_thirty_days_the_rest_goes_too(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()
        await registry.leave(way=UninstallKind.REVOKED)

        registry.clock.now = MOMENT + WAITS_FOR_REINSTALL - timedelta(seconds=1)
        await registry.uninstaller.forget_due()
        before = await registry.keys()
        registry.clock.advance(1)
        await registry.uninstaller.forget_due()

        assert before == EVERYTHING
        assert await registry.keys() == []

    async def test_a_new_installation_ends_the_wait(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()
        await registry.leave(way=UninstallKind.REVOKED)

        await registry.install(installed_at=MOMENT)
        registry.clock.now = MOMENT + 2 * WAITS_FOR_REINSTALL
        await registry.uninstaller.forget_due()

        assert await registry.keys() == EVERYTHING

    async def test_a_removal_ends_it_too(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()
        await registry.leave(way=UninstallKind.REVOKED)

        await registry.leave(at=EARLIER)

        assert await registry.keys() == []


class TestOrganisation:
    async def test_its_workspaces_go_but_for_those_with_an_own_installation(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        await registry.set_up(OTHER_IN_ORG)
        await registry.install(IN_ORG)
        await registry.install(ACME)

        await registry.leave(ORG)

        assert {key.split("/")[0] for key in await registry.keys()} == {"E1.T3", "-.T1"}
        await registry.set_up(IN_ORG)
        with pytest.raises(StoreError):
            await registry.set_up(WorkspaceId("T5", "E1"))

    async def test_who_has_an_own_installation_may_write_all_the_time(
        self, registry: Registry
    ) -> None:
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
        assert {key.split("/")[0] for key in await registry.keys()} == {"E1.T3"}

    async def test_an_own_installation_made_at_the_last_moment_stays(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        registry.inner.before["list_keys ends"] = lambda: registry.install(IN_ORG)

        await registry.leave(ORG)

        assert {key.split("/")[0] for key in await registry.keys()} == {"E1.T3"}
        await registry.set_up(IN_ORG)

    async def test_a_workspace_that_lost_access_goes_alone(self, registry: Registry) -> None:
        await registry.install(ORG)
        for home in (IN_ORG, OTHER_IN_ORG):
            await registry.set_up(home)

        await registry.leave(IN_ORG, UninstallKind.WITHDRAWN)

        assert await registry.keys("E1.T3/") == []
        assert len(await registry.keys("E1.T4/")) == 2
        assert await registry.shelf.get(ORG) is not None

    async def test_an_own_installation_does_not_need_the_access(self, registry: Registry) -> None:
        await registry.install(IN_ORG)

        await registry.leave(IN_ORG, UninstallKind.WITHDRAWN)

        assert len(await registry.keys("E1.T3/")) == 3

    async def test_a_workspace_that_got_access_back_is_welcome(self, registry: Registry) -> None:
        await registry.install(ORG)
        await registry.leave(IN_ORG, UninstallKind.WITHDRAWN)

        await registry.uninstaller.grant(IN_ORG, MOMENT + HOUR)
        await registry.set_up(IN_ORG)
        await registry.leave(IN_ORG, UninstallKind.WITHDRAWN)  # Slack's retry

        assert len(await registry.keys("E1.T3/")) == 3  # and since when it has the app

    async def test_a_grant_in_another_process_a_moment_before_the_deletion_counts(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        await registry.set_up(IN_ORG)

        async def grant() -> None:
            await registry.beside().uninstaller.grant(IN_ORG, MOMENT + timedelta(seconds=1))

        registry.inner.before["list_keys"] = grant
        await registry.leave(IN_ORG, UninstallKind.WITHDRAWN)

        assert not registry.inner.before
        assert len(await registry.keys("E1.T3/")) == 3
        await registry.set_up(IN_ORG)

    async def test_where_the_organisation_takes_over_the_app_goes_on(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        await registry.install(IN_ORG)

        await registry.leave(IN_ORG)
        gone = await registry.keys("E1.T3/")
        await registry.set_up(IN_ORG)
        await registry.leave(IN_ORG)  # Slack's retry

        assert gone == []
        assert len(await registry.keys("E1.T3/")) == 2

    async def test_what_the_organisation_serves_does_not_wait_for_an_own_installation(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        await registry.install(IN_ORG)
        registry.working.discard(IN_ORG)
        await registry.leave(IN_ORG, UninstallKind.REVOKED)

        registry.clock.now = MOMENT + WAITS_FOR_REINSTALL
        await registry.uninstaller.forget_due()

        assert await registry.keys("E1.T3/") == ["E1.T3/digest/d1", "E1.T3/key"]
        await registry.set_up(IN_ORG)

    async def test_an_organisation_that_waited_in_vain_goes_whole(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        await registry.set_up(IN_ORG)
        registry.working.clear()
        await registry.leave(ORG, UninstallKind.REVOKED)

        registry.clock.now = MOMENT + WAITS_FOR_REINSTALL
        await registry.uninstaller.forget_due()

        assert await registry.keys() == []


class TestOneToken:
    """A bot with one token has no document that tells when it was installed."""

    async def test_everything_goes_and_nothing_comes_back(self) -> None:
        registry = Registry(is_single=True)
        await registry.set_up(ACME)

        await registry.leave(ACME)

        assert await registry.keys() == []
        with pytest.raises(StoreError):
            await registry.set_up(ACME)

    async def test_an_event_of_before_its_start_is_checked_with_slack(self) -> None:
        registry = Registry(is_single=True)
        await registry.set_up(ACME)
        registry.working.add(ACME)

        await registry.leave(ACME, at=EARLIER)

        assert len(await registry.keys()) == 2

    async def test_while_it_is_not_known_since_when_slack_is_asked(self) -> None:
        registry = Registry(is_single=True)
        registry.since = None
        await registry.set_up(ACME)
        registry.working.add(ACME)

        await registry.leave(ACME)

        assert registry.asked == [ACME]
        assert len(await registry.keys()) == 2

    async def test_a_revoked_token_waits_for_the_operator(self) -> None:
        registry = Registry(is_single=True)
        await registry.set_up(ACME)

        await registry.leave(ACME, UninstallKind.REVOKED)

        assert len(await registry.keys()) == 2
