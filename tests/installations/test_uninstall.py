"""Departures: everything goes, nothing of others does, and a new installation stays.

Tokens that Slack no longer takes are found out, although no event told of a removal.
"""

import asyncio
import itertools
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.access.repository import Act
from bot.installations.installation import UninstallKind
from bot.installations.repository import WAITS_FOR_REINSTALL
from bot.installations.uninstall import still_works
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackError, SlackUnreachableError, TokenRefusedError, slack_error
from bot.store.documents import Document, StoreError
from tests.builders import MOMENT
from tests.installations.builders import (
    ACME,
    DAY,
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


async def test_a_missed_removal_keeps_nothing_for_ever(registry: Registry) -> None:
    await registry.install()
    registry.working.clear()

    await registry.tick(after=2 * DAY)
    revoked, noted = await kept(registry.documents), await registry.noted()
    await registry.tick(after=WAITS_FOR_REINSTALL)

    assert (revoked.token, revoked.revoked_at) == (None, MOMENT + 2 * DAY)
    assert noted == [Act.ACCESS_REVOKED]
    assert ACME in registry.emptied
    assert await registry.keys() == []


async def test_each_is_asked_about_once_a_day(registry: Registry) -> None:
    await registry.install()

    for _ in range(10 * 24 * 6):
        await registry.tick(after=timedelta(minutes=10))

    assert len(registry.asked) in {9, 10}
    assert await registry.has_token()


async def test_of_two_processes_one_asks(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    await registry.install()
    registry.clock.now += 1.5 * DAY
    read = registry.inner.get

    async def both_have_read(key: str) -> Document | None:
        document = await read(key)
        await asyncio.sleep(0)
        return document

    monkeypatch.setattr(registry.inner, "get", both_have_read)
    await asyncio.gather(*(registry.uninstaller.work(ACME) for _ in range(2)))

    assert registry.asked == [ACME]


async def test_while_slack_does_not_say_all_stays_until_tomorrow(registry: Registry) -> None:
    await registry.install()
    registry.working.clear()
    registry.is_slack_away = True

    await registry.tick(after=1.5 * DAY)
    await registry.tick()
    asked, stayed = [*registry.asked], await registry.has_token()
    registry.is_slack_away = False
    await registry.tick(after=1.5 * DAY)

    assert (asked, stayed) == ([ACME], True)
    assert not await registry.has_token()


async def test_one_that_cannot_be_proved_does_not_keep_the_others(registry: Registry) -> None:
    async def fail() -> None:
        raise StoreError("unreadable")

    for home in (ACME, OTHER):
        await registry.install(home)
    registry.working.clear()
    registry.inner.before["get"] = fail

    await registry.tick(after=2 * DAY)
    first = [await registry.has_token(home) for home in (ACME, OTHER)]
    await registry.tick()

    assert sorted(first) == [False, True]
    assert not [home for home in (ACME, OTHER) if await registry.has_token(home)]


@pytest.mark.parametrize("is_event", [False, True], ids=["daily", "event"])
async def test_a_newer_installation_keeps_its_tokens(registry: Registry, is_event: bool) -> None:
    await registry.install()
    registry.working.clear()
    registry.during_asking = registry.install

    await (registry.revoke() if is_event else registry.tick(after=2 * DAY))

    assert len(registry.asked) == 2  # the one before, and this one
    assert await registry.has_token()
    assert await registry.noted() == []


async def test_a_workspace_removed_during_the_check_stays_removed(registry: Registry) -> None:
    await registry.install()
    registry.during_asking = registry.leave

    await registry.tick(after=2 * DAY)

    assert await registry.keys() == []


class Said(AsyncWebClient):
    """Answers `auth.test` with an error, or that all is well."""

    def __init__(self, error: SlackError | None) -> None:
        super().__init__()
        self.error = error

    async def auth_test(self, **_asked: Any) -> Any:
        if self.error:
            raise self.error


async def works(error: SlackError | None = None, *, of_client: bool = False) -> bool:
    async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
        if error and of_client:
            raise error
        return Said(error)

    return await still_works(client_for, ACME)


async def test_only_a_token_that_is_refused_for_good_is_dead() -> None:
    for code in ("account_inactive", "not_authed", "token_revoked"):
        for of_client in (False, True):
            assert not await works(TokenRefusedError(code), of_client=of_client)
    for code in (
        *("token_expired", "bad_client_secret", "org_login_required", "invalid_auth"),
        *("ratelimited", "internal_error", "team_access_not_granted"),
    ):
        with pytest.raises(SlackError):
            await works(slack_error(code))
    with pytest.raises(SlackError):
        await works(SlackUnreachableError("no such host"))
