"""For whom a request is answered, through Bolt itself."""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.dispatch.incoming import answer_unread
from bot.installations.authorize import KNOWN_WITHIN_S, InstalledWorkspaces, correct_workspace
from bot.installations.installation import organisation
from bot.process.workspace import WorkspaceId
from bot.slack.auth import workspace_of
from bot.store.deduplication import ASKED_WITHIN_S
from tests.fakes import FakeClock
from tests.installations.builders import (
    a_memory,
    a_repository,
    a_revoked_installation,
    an_installation,
)
from tests.loops import loop_over
from tests.memory import MemoryDocuments

ONE, TWO, IN_ORG = WorkspaceId("T1"), WorkspaceId("T2"), WorkspaceId("T1", "E1")
WHOLE, OTHER_WHOLE = organisation("E1"), organisation("E2")
FOREIGN = "The bot is not installed in this workspace."
FORM: dict[str, str | Sequence[str]] = {"content-type": "application/x-www-form-urlencoded"}
JSON: dict[str, str | Sequence[str]] = {"content-type": "application/json"}


class Bot:
    """A Bolt app with one listener of each kind; remembers for which workspace each was asked."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.documents = MemoryDocuments()
        self.served: list[tuple[WorkspaceId, str | None, Any]] = []
        recent = a_memory(self.documents, self.clock.seconds)
        self.app = AsyncApp(
            name="authorizing",
            logger=logging.getLogger("slack_bolt"),
            client=AsyncWebClient(),
            authorize=InstalledWorkspaces(recent, AsyncWebClient, FOREIGN),
            before_authorize=correct_workspace,
            process_before_response=True,
            request_verification_enabled=False,
        )
        self.app.error(answer_unread)
        self.app.command("/domains")(self._serve)
        self.app.action("press")(self._serve)
        self.app.view("form")(self._serve)
        self.app.event("app_home_opened")(self._serve)

    async def _serve(self, ack: Any, context: Any) -> None:
        client: AsyncWebClient = context.client
        team = client.default_params.get("team_id")
        self.served.append((workspace_of(context.authorize_result), client.token, team))
        await ack()

    async def install(self, *homes: WorkspaceId) -> None:
        for home in homes:
            await a_repository(self.documents).put(an_installation(home))

    async def command(self, **fields: str) -> BoltResponse:
        body = {"command": "/domains", "team_id": "T1", "user_id": "U1", **fields}
        return await self.app.async_dispatch(AsyncBoltRequest(body=urlencode(body), headers=FORM))

    async def interact(self, **payload: Any) -> BoltResponse:
        body = {"user": {"id": "U1", "team_id": "T1"}, **payload}
        text = urlencode({"payload": json.dumps(body)})
        return await self.app.async_dispatch(AsyncBoltRequest(body=text, headers=FORM))

    async def press(self, **payload: Any) -> BoltResponse:
        action = {"type": "button", "action_id": "press", "block_id": "b", "value": "x"}
        return await self.interact(type="block_actions", actions=[action], **payload)

    async def submit(self, view: dict[str, Any], **payload: Any) -> BoltResponse:
        view = {"type": "modal", "callback_id": "form", "state": {"values": {}}, **view}
        return await self.interact(type="view_submission", view=view, **payload)

    async def event(self, **payload: Any) -> BoltResponse:
        event = {"type": "app_home_opened", "user": "U1", "tab": "home"}
        body = {"type": "event_callback", "event": event, **payload}
        return await self.app.async_dispatch(AsyncBoltRequest(body=json.dumps(body), headers=JSON))


@pytest.fixture
def bot() -> Bot:
    return Bot()


def as_org(team_id: str | None) -> dict[str, Any]:
    return {"enterprise_id": "E1", "is_enterprise_install": True, "team_id": team_id}


@loop_over(
    ("kind", "payload"),
    [
        ("command", {"enterprise_id": "E1", "is_enterprise_install": "true"}),
        ("press", {"team": None, "user": {"id": "W1", "team_id": "T1"}}),
        ("press", {"team": {"id": "T1"}}),
        ("press", {"team": {"id": "T1"}, "view": {"id": "V1", "app_installed_team_id": "E1"}}),
        (
            "press",
            {"team": None, "view": {"id": "V1", "team_id": "T1", "app_installed_team_id": "E1"}},
        ),
        ("press", {"team": {"id": "T1"}, "view": {"id": "V1", "app_installed_team_id": "T1"}}),
        ("event", {"authorizations": [as_org("T1")], "team_id": "T1"}),
        ("event", {"authorizations": [as_org(None)], "team_id": "T1"}),
        ("event", {"authorizations": [as_org(None)], "team_id": "T9", "context_team_id": "T1"}),
    ],
)
async def test_in_an_organisation_the_bot_acts_locally(kind: str, payload: dict[str, Any]) -> None:
    bot = Bot()
    await bot.install(WHOLE)
    if kind == "press":
        payload = {"enterprise": {"id": "E1"}, "is_enterprise_install": True, **payload}
    elif kind == "event":
        payload = {"enterprise_id": "E1", **payload}

    await getattr(bot, kind)(**payload)

    assert bot.served == [(IN_ORG, "xoxb-E1.-", "T1")]


async def test_what_an_organisation_does_with_the_app_is_heard_without_a_token(bot: Bot) -> None:
    heard: list[list[str]] = []

    async def hear(event: dict[str, Any]) -> None:
        heard.append(event["team_ids"])

    bot.app.event("team_access_granted")(hear)
    await bot.event(
        event={"type": "team_access_granted", "team_ids": ["T3"]},
        enterprise_id="E1",
        authorizations=[as_org(None)],
    )

    assert heard == [["T3"]]


async def test_a_workspace_that_joins_an_organisation_keeps_its_data(bot: Bot) -> None:
    await bot.install(ONE, TWO)

    await bot.command(team_id="T2")
    await bot.command(enterprise_id="E1", is_enterprise_install="false")

    assert bot.served == [(TWO, "xoxb--.T2", "T2"), (ONE, "xoxb--.T1", "T1")]


@loop_over(
    ("installed", "served"),
    [
        ([ONE, WorkspaceId("T2", "E2"), OTHER_WHOLE], [(ONE, "xoxb--.T1", "T1")]),
        ([WHOLE, OTHER_WHOLE], []),  # their organisation's token must not act in another
    ],
)
async def test_a_guest_of_a_shared_channel_uses_the_installed_app(
    installed: list[WorkspaceId], served: list[object]
) -> None:
    bot = Bot()
    await bot.install(*installed)

    answer = await bot.submit(
        {"app_installed_team_id": "T1", "team_id": "T1"},
        team={"id": "T2"},
        enterprise={"id": "E2"},
        user={"id": "U2", "team_id": "T2"},
        is_enterprise_install=True,
    )

    assert (bot.served, answer.status) == (served, 200)


async def test_an_event_of_a_shared_channel_goes_to_the_installed_side(bot: Bot) -> None:
    await bot.install(ONE, OTHER_WHOLE)
    ours = {"enterprise_id": None, "team_id": "T1", "is_enterprise_install": False}

    await bot.event(
        team_id="T2", enterprise_id="E2", authorizations=[ours], is_ext_shared_channel=True
    )

    assert bot.served == [(ONE, "xoxb--.T1", "T1")]

    bot = Bot()  # its own is removed, and the organisation's must not act for it
    await bot.install(WHOLE)
    removed = {"enterprise_id": "E1", "team_id": "T1", "is_enterprise_install": False}
    await bot.event(team_id="T1", enterprise_id="E1", authorizations=[removed])
    assert bot.served == []


async def test_a_command_without_a_token_is_answered(bot: Bot) -> None:
    answers = [await bot.command()]
    await a_repository(bot.documents).put(a_revoked_installation())  # it ended for good
    answers.append(await bot.command())

    assert [(each.status, json.loads(each.body)["text"]) for each in answers] == [
        (200, FOREIGN)
    ] * 2
    assert not bot.served


@asynccontextmanager
async def response_url() -> AsyncIterator[tuple[str, list[dict[str, Any]]]]:
    """Yield an address for answers, and what is posted there."""
    heard: list[dict[str, Any]] = []

    async def hear(request: web.Request) -> web.Response:
        heard.append(await request.json())
        return web.Response(text="ok")

    app = web.Application()
    app.router.add_post("/", hear)
    async with TestServer(app) as server:
        yield str(server.make_url("/")), heard


@pytest.mark.parametrize(
    ("works", "text"), [(True, FOREIGN), (False, "The app's database is unavailable")]
)
async def test_a_press_explains_why_it_failed(bot: Bot, works: bool, text: str) -> None:
    if not works:
        await bot.documents.close()

    async with response_url() as (url, heard):
        answer = await bot.press(team={"id": "T1"}, response_url=url)

    [said] = heard
    assert (answer.status, text in said["text"]) == (200, True)
    assert works or said["replace_original"] is False


@pytest.mark.parametrize("is_slow", [True, False])
async def test_a_store_that_fails_or_is_slow_is_explained(
    bot: Bot, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_slow: bool
) -> None:
    async def hang(_key: str) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(secrets, "token_hex", lambda _bytes: "cafe0001")
    await bot.documents.close()
    if is_slow:
        monkeypatch.setattr(bot.documents, "get", hang)

    answer = await bot.command()

    assert answer.status == 200
    for words in ("The app's database is unavailable", "try again", "cafe0001"):
        assert words in answer.body
    assert "cafe0001" in capsys.readouterr().out


def test_what_is_asked_before_the_ack_leaves_slack_a_second() -> None:
    assert ASKED_WITHIN_S + KNOWN_WITHIN_S <= 2


async def test_a_press_on_a_form_while_the_store_fails_is_refused(bot: Bot) -> None:
    """Slack marks what was pressed then, as nothing can be said there."""
    await bot.documents.close()

    answer = await bot.press(team={"id": "T1"}, view={"id": "V1"})

    assert answer.status == 503
