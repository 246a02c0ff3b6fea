"""Departures: everything goes, nothing of others does, and a new installation stays."""

import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from bot.installations.installation import UninstallKind
from bot.installations.repository import WAITS_FOR_REINSTALL
from bot.store.documents import StoreError
from tests.builders import MOMENT
from tests.installations.builders import (
    ACME,
    HOUR,
    IN_ORG,
    ORG,
    OTHER,
    OTHER_IN_ORG,
    Registry,
    kept,
)
from tests.loops import loop_over

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

    assert await registry.keys() == []


async def test_an_organisation_leaves_with_its_workspaces_and_returns(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.set_up(IN_ORG)

    await registry.leave(ORG)
    deleted = [*registry.inner.deleted]
    await registry.install(ORG)

    assert deleted == ["E1.T3/", "E1.-/"]  # its own installation at the end
    assert not await registry.is_refused(IN_ORG)


@loop_over(
    ("at", "stays"),
    [
        (EARLIER, True),
        (INSTALLED_AT - SECOND, True),
        (INSTALLED_AT, False),  # within the same second
        (MOMENT, False),
    ],
)
async def test_an_event_older_than_the_installation_is_ignored(at: datetime, stays: bool) -> None:
    registry = Registry()
    await registry.install()

    await registry.leave(at=at)

    assert await registry.keys() == EVERYTHING * stays


@loop_over("ways", itertools.permutations([UninstallKind.REMOVED, UninstallKind.REVOKED]))
async def test_events_of_one_removal_may_come_in_any_order(ways: Sequence[UninstallKind]) -> None:
    registry = Registry()
    await registry.install()
    registry.working.clear()

    for way in ways:
        await registry.leave(way=way)

    assert await registry.keys() == []


async def test_a_reinstallation_by_a_clock_that_is_behind_slacks_stays(registry: Registry) -> None:
    await registry.install(installed_at=MOMENT + timedelta(seconds=30))  # Slack's own time
    registry.clock.now = MOMENT - 2 * MINUTE

    await registry.leave(at=MOMENT)  # of the one before

    assert await registry.keys() == EVERYTHING


async def test_of_revoked_tokens_the_data_waits_for_thirty_days(registry: Registry) -> None:
    await registry.install()

    await registry.leave(way=UninstallKind.REVOKED)  # the end of another token
    had_tokens = await registry.has_token()
    await registry.revoke()
    revoked = await kept(registry.documents)
    emptied = [*registry.emptied]
    await registry.tick(after=WAITS_FOR_REINSTALL - SECOND)
    before = await registry.keys()
    await registry.tick(after=SECOND)

    assert had_tokens
    assert (revoked.token, revoked.revoked_at, emptied) == (None, MOMENT, [ACME])
    assert (before, await registry.keys()) == (["-.T1/audit", *EVERYTHING], [])


async def test_only_own_installations_survive_the_organisations(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.set_up(OTHER_IN_ORG)
    await registry.install(IN_ORG)
    await registry.install(ACME)

    await registry.leave(ORG)

    assert await registry.homes() == {"E1.T3", "-.T1"}
    assert not await registry.is_refused(IN_ORG)
    assert await registry.is_refused(OTHER_IN_ORG)


async def test_where_the_organisation_takes_over_the_app_goes_on(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.install(IN_ORG)

    for _ in range(2):  # Slack may send it again
        await registry.leave(IN_ORG)

    assert await registry.keys("E1.T3/") == ["E1.T3/digest/d1", "E1.T3/key"]
    assert not await registry.is_refused(IN_ORG)


async def test_workspaces_of_the_organisation_do_not_wait(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.install(IN_ORG)
    await registry.revoke(IN_ORG)

    await registry.tick(after=WAITS_FOR_REINSTALL)

    assert await registry.keys("E1.T3/") == ["E1.T3/audit", "E1.T3/digest/d1", "E1.T3/key"]
    assert not await registry.is_refused(IN_ORG)


async def test_what_an_organisation_takes_away_it_can_give_back(registry: Registry) -> None:
    await registry.install(ORG)
    await registry.set_up(IN_ORG)

    await registry.leave(IN_ORG, WITHDRAWN)
    left, is_refused = await registry.keys("E1.T3/"), await registry.is_refused(IN_ORG)
    await registry.uninstaller.grant(IN_ORG)

    assert (left, is_refused) == ([], True)
    assert not await registry.is_refused(IN_ORG)


@loop_over(
    ("way", "at", "since", "stays"),
    [
        (UninstallKind.REMOVED, MOMENT, INSTALLED_AT, False),
        (UninstallKind.REMOVED, EARLIER, INSTALLED_AT, True),
        (UninstallKind.REMOVED, MOMENT, None, False),
        (UninstallKind.REVOKED, MOMENT, INSTALLED_AT, True),  # waits for the operator
    ],
)
async def test_a_single_token_records_no_installation_date(
    way: UninstallKind, at: datetime, since: datetime | None, stays: bool
) -> None:
    registry = Registry(is_single=True)
    registry.since = since
    await registry.set_up(ACME)

    await registry.leave(ACME, way, at=at)

    assert len(await registry.keys()) == 2 * stays
    assert await registry.is_refused(ACME) is not stays
