"""Slack's events about the app itself: what is read of them, and what Slack hears."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.installations.installation import UninstallEvent, UninstallKind, organisation
from bot.installations.listeners import LifecycleListeners, read_departures
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from tests.builders import MOMENT
from tests.fakes import TIME_LIMIT_S
from tests.installations.builders import ACME, IN_ORG, ORG, Registry
from tests.loops import loop_over

Json = dict[str, Any]
SECONDS = int(MOMENT.timestamp()) - 60
AT = datetime.fromtimestamp(SECONDS, UTC)


def an_event(kind: str = "app_uninstalled", **fields: Any) -> Json:
    """Return an event as Slack documents it; fields of the event itself go into `event`."""
    event = {"type": kind, **fields.pop("event", {})}
    defaults = {"type": "event_callback", "team_id": "T1", "event_time": SECONDS, "event": event}
    return defaults | fields


def an_authorization(team_id: str | None, enterprise_id: str | None, *, is_whole: object) -> Json:
    return {
        "team_id": team_id,
        "enterprise_id": enterprise_id,
        "is_bot": True,
        "is_enterprise_install": is_whole,
    }


def homes(body: Json) -> list[WorkspaceId]:
    return [departure.home for departure in read_departures(body)]


def test_a_removal_is_read() -> None:
    assert read_departures(an_event()) == [UninstallEvent(ACME, UninstallKind.REMOVED, AT)]


def test_a_workspace_of_an_organisation_may_be_known_by_two_names() -> None:
    body = an_event(authorizations=[an_authorization("T1", "E1", is_whole=False)])

    assert homes(body) == [WorkspaceId("T1", "E1"), ACME]


@loop_over(
    "fields",
    [
        pytest.param({"team_id": None, "enterprise_id": "E1"}, id="no team"),
        pytest.param({"team_id": "E1", "enterprise_id": "E1"}, id="twice"),
        pytest.param({"team_id": "E1"}, id="in the place of the team"),
        pytest.param(
            {"team_id": None, "authorizations": [an_authorization(None, "E1", is_whole=True)]},
            id="said by the authorization alone",
        ),
    ],
)
def test_a_whole_organisation_is_recognised(fields: Json) -> None:
    assert homes(an_event(**fields)) == [organisation("E1")]


@loop_over("is_whole", [True, "true", False])
@loop_over("team_id", ["", None, "E1", "T1"])
def test_a_named_workspace_spares_its_organisation(team_id: str | None, is_whole: object) -> None:
    body = an_event(authorizations=[an_authorization(team_id, "E1", is_whole=is_whole)])

    assert homes(body) == [WorkspaceId("T1", "E1"), ACME]


@loop_over(
    ("tokens", "count"), [({"bot": ["U0BOT"]}, 1), ({"oauth": ["U1"], "bot": []}, 0), ({}, 0)]
)
def test_only_the_bots_own_token_counts(tokens: Json, count: int) -> None:
    found = read_departures(an_event("tokens_revoked", event={"tokens": tokens}))

    assert [departure.kind for departure in found] == [UninstallKind.REVOKED] * count


class Authorizing(AsyncAuthorize):
    """Lets everybody in, and remembers who that was."""

    def __init__(self) -> None:
        self.asked: list[str | None] = []

    async def __call__(self, *, team_id: str | None, **_request: Any) -> AuthorizeResult:
        self.asked.append(team_id)
        return AuthorizeResult(enterprise_id="E1", team_id=team_id, bot_token="xoxb-1")


async def _greet_nobody(_workspace: WorkspaceId) -> None:
    return None


class Site:
    """Bolt with the listeners, as `bot/app/main.py` joins them."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.authorize = Authorizing()
        self.app = AsyncApp(
            name="lifecycle",
            authorize=self.authorize,
            process_before_response=True,
            request_verification_enabled=False,
        )
        self.tasks = Tasks()
        LifecycleListeners(
            self.registry.uninstaller, self.tasks, on_granted=_greet_nobody
        ).register(self.app)

    async def send(self, body: Json) -> int:
        response = await self.app.async_dispatch(
            AsyncBoltRequest(body=body, mode="socket_mode", headers={})
        )
        return int(response.status)


async def test_slack_hears_503_while_the_store_fails_and_asks_again() -> None:
    site = Site()
    await site.registry.install()
    site.registry.inner.failures = 1

    statuses = [await site.send(an_event()) for _ in range(2)]

    assert statuses == [503, 200]
    assert await site.registry.keys() == []
    assert site.authorize.asked == []  # there is no token left to authorize it with


async def test_slack_hears_503_when_it_takes_longer_and_it_goes_on() -> None:
    site, gate = Site(), asyncio.Event()
    await site.registry.install()
    site.registry.inner.before["delete_prefix"] = gate.wait

    status = await site.send(an_event())
    gate.set()

    assert status == 503
    assert await site.tasks.drain(TIME_LIMIT_S)
    assert await site.registry.keys() == []


async def test_access_goes_and_comes_back() -> None:
    site = Site()
    await site.registry.install(ORG)
    await site.registry.set_up(IN_ORG)
    of_org = {"team_id": None, "enterprise_id": "E1", "event": {"team_ids": ["T3"]}}

    gone = await site.send(an_event("team_access_revoked", **of_org))
    left = await site.registry.keys("E1.T3/")
    back = await site.send(an_event("team_access_granted", **of_org, event_time=SECONDS + 1))

    assert (gone, left, back) == (200, [], 200)
    await site.registry.set_up(IN_ORG)
