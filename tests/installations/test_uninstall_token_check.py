"""Tokens that Slack no longer takes are found out, although no event told of a removal."""

from datetime import timedelta
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.access.repository import Act
from bot.installations.repository import WAITS_FOR_REINSTALL
from bot.installations.uninstall import still_works
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackError, SlackUnreachableError, TokenRefusedError, slack_error
from bot.store.documents import StoreError
from tests.builders import MOMENT
from tests.installations.builders import ACME, DAY, OTHER, Registry, kept
from tests.loops import loop_over


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


async def test_of_two_processes_one_asks(registry: Registry) -> None:
    await registry.install()
    registry.clock.now += 1.5 * DAY

    for _ in range(2):  # both had read what is due
        await registry.uninstaller.work(ACME)

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


@loop_over("of_client", [False, True])
@loop_over("code", ["account_inactive", "not_authed", "token_revoked"])
async def test_one_that_it_refuses_for_good_is_dead(code: str, of_client: bool) -> None:
    assert not await works(TokenRefusedError(code), of_client=of_client)


@loop_over(
    "error",
    [
        SlackUnreachableError("no such host"),
        *map(slack_error, ("token_expired", "bad_client_secret", "org_login_required")),
        *map(slack_error, ("ratelimited", "internal_error", "team_access_not_granted")),
        slack_error("invalid_auth"),
    ],
    ids=str,
)
async def test_anything_else_says_nothing_of_it(error: SlackError) -> None:
    with pytest.raises(SlackError):
        await works(error)
