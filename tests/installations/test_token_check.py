"""Tokens that Slack no longer takes are found out, although nobody told of a removal."""

import asyncio
from datetime import timedelta

import pytest

from bot.installations.models import Tokens
from bot.installations.repository import WAITS_FOR_REINSTALL, next_check
from bot.installations.token_check import AT_ONCE, RECHECKED_AFTER_S
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

DAY = timedelta(days=1)


@pytest.fixture
def registry() -> Registry:
    return Registry()


async def has_tokens(registry: Registry, home: WorkspaceId = ACME) -> bool:
    kept = await registry.shelf.get(home)
    assert kept
    return kept.installation.tokens is not None


class TestDaily:
    async def test_a_missed_removal_keeps_nothing_for_ever(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()

        registry.clock.advance(2 * DAY.total_seconds())
        await registry.tick()
        kept = await registry.shelf.get(ACME)
        registry.clock.advance(WAITS_FOR_REINSTALL.total_seconds())
        await registry.tick()

        assert kept is not None
        assert kept.installation.tokens is None
        assert kept.installation.revoked_at == MOMENT + 2 * DAY
        assert registry.revoked == [ACME]
        assert ACME in registry.emptied
        assert await registry.keys() == []

    async def test_each_is_asked_about_once_a_day(self, registry: Registry) -> None:
        await registry.install()

        for _ in range(10 * 24 * 6):
            registry.clock.advance(600)
            await registry.tick()

        assert len(registry.asked) in {9, 10}  # the first time after up to a day and a half
        assert await has_tokens(registry)

    async def test_they_do_not_all_come_at_once(self) -> None:
        moments = [next_check(WorkspaceId(f"T{number}"), MOMENT) for number in range(1000)]

        assert min(moments) >= MOMENT + DAY / 2
        assert max(moments) < MOMENT + 1.5 * DAY
        hours = [moment.hour for moment in moments]
        assert all(20 < hours.count(hour) < 70 for hour in range(24))

    async def test_while_slack_does_not_say_all_stays_until_tomorrow(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.working.clear()
        registry.is_slack_away = True
        registry.clock.advance(1.5 * DAY.total_seconds())

        await registry.tick()
        await registry.tick()
        asked, stayed = [*registry.asked], await has_tokens(registry)
        registry.is_slack_away = False
        registry.clock.advance(1.5 * DAY.total_seconds())
        await registry.tick()

        assert (asked, stayed) == ([ACME], True)
        assert not await has_tokens(registry)

    async def test_an_organisation_is_proved_by_its_own_token(self, registry: Registry) -> None:
        await registry.install(ORG)
        await registry.set_up(IN_ORG)
        registry.clock.advance(2 * DAY.total_seconds())

        await registry.tick()

        assert registry.asked == [ORG]

    async def test_only_a_few_are_proved_at_once_and_no_tick_waits(
        self, registry: Registry
    ) -> None:
        gate, under_way, most = Gate(), 0, 0

        async def still_works(_home: WorkspaceId) -> bool:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            if under_way == AT_ONCE or most == AT_ONCE:
                await gate()
            else:
                await asyncio.sleep(0.01)
            under_way -= 1
            return True

        for number in range(3 * AT_ONCE):
            await registry.install(WorkspaceId(f"T{number}"))
        registry.checker.still_works = still_works
        registry.clock.advance(2 * DAY.total_seconds())

        for _ in range(3):
            registry.checking.begin()
            await asyncio.sleep(0)
        await gate.until_reached()
        gate.open()

        assert await registry.tasks.drain(TIME_LIMIT_S)
        assert most == AT_ONCE

    async def test_one_that_cannot_be_proved_does_not_keep_the_others(
        self, registry: Registry
    ) -> None:
        async def fail() -> None:
            raise StoreError("unreadable")

        for home in (ACME, OTHER):
            await registry.install(home)
        registry.working.clear()
        registry.clock.advance(2 * DAY.total_seconds())
        registry.inner.before["get"] = fail

        await registry.checker.check_due()
        await registry.checker.check_due()
        first = [await has_tokens(registry, home) for home in (ACME, OTHER)]
        registry.clock.advance(1.5 * DAY.total_seconds())
        await registry.checker.check_due()

        assert sorted(first) == [False, True]
        assert not await has_tokens(registry, ACME)
        assert not await has_tokens(registry, OTHER)

    async def test_an_installation_made_meanwhile_keeps_its_tokens(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.working.clear()
        registry.during_asking = registry.install
        registry.clock.advance(2 * DAY.total_seconds())

        await registry.tick()

        assert await has_tokens(registry)
        assert registry.revoked == []

    async def test_a_token_renewed_meanwhile_keeps_its_lease_and_its_turn(
        self, registry: Registry
    ) -> None:
        await registry.install()
        renewed = an_installation(tokens=Tokens(access="xoxb-renewed"))
        until = MOMENT + 2 * DAY + HOUR

        async def lease() -> None:
            await registry.shelf.put(renewed, refreshing_until=until, check_at=MOMENT + DAY)

        registry.during_asking = lease
        registry.clock.advance(2 * DAY.total_seconds())
        await registry.tick()

        kept = await registry.shelf.get(ACME)
        assert kept is not None
        assert (kept.installation, kept.refreshing_until) == (renewed, until)
        assert kept.check_at == next_check(ACME, registry.clock())

    async def test_who_left_while_slack_was_asked_does_not_come_back(
        self, registry: Registry
    ) -> None:
        await registry.install()
        registry.during_asking = registry.leave
        registry.clock.advance(2 * DAY.total_seconds())

        await registry.tick()

        assert await registry.keys() == []


class TestDoubt:
    async def test_a_refused_token_is_proved_at_once(self, registry: Registry) -> None:
        await registry.install()
        registry.working.clear()

        registry.checker.recheck(ACME)
        assert await registry.tasks.drain(TIME_LIMIT_S)

        assert not await has_tokens(registry)

    async def test_many_refusals_are_one_question(self, registry: Registry) -> None:
        await registry.install()

        for _ in range(50):
            registry.checker.recheck(ACME)
        assert await registry.tasks.drain(TIME_LIMIT_S)
        registry.clock.advance(RECHECKED_AFTER_S + 1)
        registry.checker.recheck(ACME)
        assert await registry.tasks.drain(TIME_LIMIT_S)

        assert registry.asked == [ACME, ACME]
        assert await has_tokens(registry)

    async def test_what_an_organisation_serves_is_a_doubt_of_its_token(
        self, registry: Registry
    ) -> None:
        await registry.install(ORG)
        await registry.install(IN_ORG)

        for home in (IN_ORG, OTHER_IN_ORG):
            registry.checker.recheck(home)
        assert await registry.tasks.drain(TIME_LIMIT_S)

        assert registry.asked == [IN_ORG, ORG]

    async def test_who_is_not_there_is_not_asked_about(self, registry: Registry) -> None:
        registry.checker.recheck(ACME)
        assert await registry.tasks.drain(TIME_LIMIT_S)

        assert registry.asked == []

    async def test_a_slack_that_does_not_say_changes_nothing(self, registry: Registry) -> None:
        await registry.install()
        registry.is_slack_away = True

        registry.checker.recheck(ACME)
        assert await registry.tasks.drain(TIME_LIMIT_S)

        assert await has_tokens(registry)
        with pytest.raises(SlackUnreachableError):
            await registry.checker.check(ACME)
