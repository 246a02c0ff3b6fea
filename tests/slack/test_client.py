"""What may come back instead of an answer, and whether anything was done then.

What Slack says of a person, above all who may be taken for an admin; and waits.
Forms: drawn again, and once more when Slack fails for a moment.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.builders import notice, section
from bot.playground.slack import LocalSlack
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member, ShortWait, fetch_member, open_form, post_message, update_form
from bot.slack.errors import (
    ChannelClosedError,
    MissingScopeError,
    SlackError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
)
from tests.loops import loop_over
from tests.slack.clients import SaidPerson
from tests.slack.conftest import a_client, settled
from tests.tracker.loopback import service, silence


@asynccontextmanager
async def answering(make: Callable[[], web.Response]) -> AsyncIterator[str]:
    """A server that answers everything with the same; yields its address."""

    async def answer(_request: web.Request) -> web.Response:
        return make()

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with TestServer(app) as server:
        yield str(server.make_url("/api/"))


def as_json(body: object, status: int = 200, **headers: str) -> Callable[[], web.Response]:
    return lambda: web.json_response(
        body,
        status=status,
        headers={name.replace("_", "-"): each for name, each in headers.items()},
    )


def as_text(body: str, kind: str, status: int = 200, **more: Any) -> Callable[[], web.Response]:
    return lambda: web.Response(
        body=body.encode(), status=status, headers={"Content-Type": kind, **more}
    )


async def failure(client: AsyncWebClient) -> SlackError:
    with pytest.raises(SlackError) as caught:
        await post_message(client, "C1", {"text": "hello"})
    return caught.value


NO_ANSWERS = {
    "a page instead of an answer": as_text("<html>hi</html>", "text/html"),
    "plain words": as_text("ok", "text/plain"),
    "half of an answer": as_text('{"ok": tr', "application/json"),
    "nothing at all": as_text("", "application/json"),
    "a list": as_json(["ok"]),
    "an answer in the wrong letters": as_text('{"a": "ü"}', "application/json; charset=ascii"),
    "no without a reason": as_json({"ok": False}),
    "a reason of a broken server": as_json({"ok": False, "error": "is_archived"}, 500),
    "a failure inside Slack": as_json({"ok": False, "error": "internal_error"}),
}


@loop_over("make", NO_ANSWERS.values(), ids=NO_ANSWERS)
async def test_an_unclear_answer_is_uncertain(
    make: Callable[[], web.Response], http: aiohttp.ClientSession
) -> None:
    async with answering(make) as url:
        error = await failure(a_client(url, http))

    assert type(error) is SlackUnavailableError
    assert error.is_outcome_unknown


TOO_FAST = {
    "when to come back": (as_json({"error": "ratelimited"}, 429, Retry_After="30"), 30),
    "no number": (as_json({}, 429, Retry_After="Fri, 31 Dec 2030 23:59:59 GMT"), 1),
    "never": (as_json({}, 429, Retry_After="9" * 400), 3600),
    "in a word": (as_json({"ok": False, "error": "rate_limited"}, Retry_After="9"), 9),
}


@loop_over(("make", "retry_after_s"), TOO_FAST.values(), ids=TOO_FAST)
async def test_a_rate_limit_says_when_to_come_back(
    make: Callable[[], web.Response], retry_after_s: float, http: aiohttp.ClientSession
) -> None:
    async with answering(make) as url:
        error = await failure(a_client(url, http))

    assert isinstance(error, SlackRateLimitedError)
    assert error.retry_after_s == retry_after_s
    assert not error.is_outcome_unknown


async def test_a_refusal_names_the_missing_scope(http: aiohttp.ClientSession) -> None:
    for refusal, expected in (
        (as_json({"ok": False, "error": "is_archived"}, 403), ChannelClosedError),
        (as_json({"ok": False, "error": "missing_scope", "needed": "x:write"}), MissingScopeError),
    ):
        async with answering(refusal) as url:
            error = await failure(a_client(url, http))
        assert isinstance(error, expected)
    assert isinstance(error, MissingScopeError)
    assert error.needed == "x:write"


async def test_nothing_was_done_without_a_server(http: aiohttp.ClientSession) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        error = await failure(a_client(f"http://127.0.0.1:{closed.getsockname()[1]}/api/", http))

    assert isinstance(error, SlackUnreachableError)
    assert not error.is_outcome_unknown


async def test_nothing_was_done_when_no_connection_came_free_in_time(slack: LocalSlack) -> None:
    connector, timeout = aiohttp.TCPConnector(limit=1), aiohttp.ClientTimeout(connect=0.05)
    async with (
        service(silence) as elsewhere,
        aiohttp.ClientSession(connector=connector, connector_owner=False) as patient,
        aiohttp.ClientSession(connector=connector, timeout=timeout) as http,
    ):
        busy = asyncio.create_task(patient.get(elsewhere.url))
        await settled()
        error = await failure(a_client(slack.api_url, http, token=slack.bot_token))
        busy.cancel()

    assert isinstance(error, SlackUnreachableError)
    assert slack.calls == []


ALONE = WorkspaceId("T1")
IN_ORG = WorkspaceId("T1", "E1")


async def member(user: dict[str, Any], workspace: WorkspaceId = ALONE) -> Member:
    client = SaidPerson({"id": "U1", "team_id": "T1"} | user)
    return await fetch_member(client, workspace, "U1")


@loop_over(
    ("user", "is_admin"),
    [
        ({"is_admin": True}, True),
        ({"is_owner": True}, True),
        ({}, False),
        ({"is_admin": "no"}, False),
        ({"is_admin": True, "is_restricted": True}, False),
        ({"is_admin": True, "deleted": True}, False),
        ({"is_admin": True, "is_bot": True}, False),
        ({"is_admin": True, "is_stranger": True}, False),
        ({"is_admin": True, "team_id": "T2"}, False),
        ({"enterprise_user": {"is_admin": True, "enterprise_id": "E1"}}, False),
    ],
    ids=str,
)
async def test_only_admins_and_owners_are_admins(user: dict[str, Any], is_admin: bool) -> None:
    assert (await member(user)).is_admin is is_admin


def of_org(enterprise_id: str = "E1", **fields: Any) -> dict[str, Any]:
    return {"enterprise_user": {"enterprise_id": enterprise_id} | fields}


@loop_over(
    ("user", "is_admin"),
    [
        # of this workspace
        ({"is_admin": True} | of_org(), True),
        ({"is_admin": True}, True),
        # of another workspace of the organisation, and in this one too
        ({"is_admin": True, "team_id": "T2"} | of_org(teams=["T1", "T2"]), False),
        ({"is_owner": True, "team_id": "T2"} | of_org(), False),
        ({"is_admin": True, "team_id": "E1"} | of_org(teams=["T1"]), False),
        # of the organisation
        ({"team_id": "T2"} | of_org(is_admin=True, teams=["T1", "T2"]), True),
        ({"team_id": "T2"} | of_org(is_owner=True), True),
        (of_org(is_admin=True), True),
        # of the organisation, but not in this workspace
        ({"team_id": "T2"} | of_org(is_admin=True, teams=["T2"]), False),
        ({"is_admin": True} | of_org(teams=["T2"]), False),
        # of another organisation
        ({"is_admin": True} | of_org("E2", is_admin=True), True),
        ({"team_id": "T2"} | of_org("E2", is_admin=True, teams=["T1"]), False),
        # of nothing, or no longer
        ({"is_restricted": True} | of_org(is_admin=True), False),
        ({"deleted": True} | of_org(is_owner=True), False),
    ],
    ids=str,
)
async def test_admins_of_an_organisation_are_admins(user: dict[str, Any], is_admin: bool) -> None:
    assert (await member(user, IN_ORG)).is_admin is is_admin


@loop_over(
    ("workspace", "user", "is_stranger"),
    [
        (ALONE, {}, False),
        (ALONE, {"team_id": None}, False),
        (ALONE, {"team_id": "T2"}, True),
        (ALONE, {"is_stranger": True}, True),
        (ALONE, {"team_id": "T2"} | of_org(teams=["T1"]), True),
        (IN_ORG, {"team_id": "T2"} | of_org(), False),
        (IN_ORG, {"team_id": "T2"} | of_org(teams=["T1", "T2"]), False),
        (IN_ORG, {"team_id": "T2"} | of_org(teams=["T2"]), True),
        (IN_ORG, {"team_id": "T2"} | of_org(teams=[]), True),
        (IN_ORG, {"team_id": "T2"} | of_org("E2"), True),
        (IN_ORG, {"team_id": "T2"} | of_org("E2", teams=["T1"]), True),
        (IN_ORG, {"team_id": "T2"}, True),
        (IN_ORG, {}, False),
    ],
    ids=str,
)
async def test_people_of_other_workspaces_are_strangers(
    workspace: WorkspaceId, user: dict[str, Any], is_stranger: bool
) -> None:
    assert (await member(user, workspace)).is_stranger is is_stranger


async def test_an_unreadable_answer_makes_no_one_an_admin() -> None:
    with pytest.raises(SlackUnavailableError):
        await member({"is_admin": True} | of_org(teams=7), IN_ORG)


@loop_over(
    ("user", "field", "value"),
    [
        ({}, "is_guest", False),
        ({"is_restricted": True}, "is_guest", True),  # sees only some channels
        ({"is_ultra_restricted": True}, "is_guest", True),
        ({"tz": "Europe/Berlin"}, "zone", "Europe/Berlin"),
        ({}, "zone", None),
        ({"tz": 7}, "zone", None),
        (
            {"name": "ada", "real_name": "Ada L.", "profile": {"display_name": "countess"}},
            *("name", "countess"),
        ),
    ],
    ids=str,
)
async def test_names_and_zones_are_read(user: dict[str, Any], field: str, value: object) -> None:
    assert getattr(await member(user), field) == value


async def is_repeated(asked_s: str, status: int = 429) -> bool:
    url = "https://slack.com/api/users.info"
    request = HttpRequest(method="POST", url=url, headers={}, body_params={})
    answer = HttpResponse(status_code=status, headers={"Retry-After": asked_s})
    return await ShortWait().can_retry_async(state=RetryState(), request=request, response=answer)


@loop_over(
    ("asked_s", "is_short"),
    [("1", True), ("3", True), ("4", False), ("1800", False), ("9" * 400, False), ("soon", False)],
)
async def test_only_a_short_wait_is_waited_for(asked_s: str, is_short: bool) -> None:
    assert await is_repeated(asked_s) is is_short
    assert not await is_repeated(asked_s, status=503)


METHOD = "views.update"


class Form:
    """A form that bob has before him."""

    def __init__(self, slack: LocalSlack, client: AsyncWebClient, view_id: str) -> None:
        self.slack, self.client, self.view_id = slack, client, view_id

    @property
    def title(self) -> str:
        form = self.slack.person("bob").form
        assert form
        return form.title

    async def update(self) -> None:
        await update_form(self.client, self.view_id, notice("After", [section("after")]))


@pytest.fixture
async def form(slack: LocalSlack, client: AsyncWebClient) -> Form:
    trigger_id = slack.world.triggers.give(slack.person("bob").id, None, None)
    view = notice("Before", [section("before")])
    return Form(slack, client, await open_form(client, trigger_id, view))


@pytest.mark.parametrize("error", [None, "fatal_error", "ratelimited"])
async def test_what_passes_in_a_moment_is_tried_again(form: Form, error: str | None) -> None:
    if error:
        form.slack.fail_next(METHOD, error)

    await form.update()

    assert form.title == "After"


async def test_it_is_not_tried_for_ever(form: Form) -> None:
    form.slack.fail_next(METHOD, "fatal_error", times=2)

    with pytest.raises(SlackUnavailableError):
        await form.update()

    assert form.title == "Before"
