"""The options of a menu: offered while Slack waits, however long what comes before has taken."""

import asyncio
import json
from typing import Any, cast

import aiohttp
import pytest
from slack_bolt.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.authorization.async_authorize import AsyncAuthorize
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.bootstrap.slack_app import TimedAuthorize
from bot.concurrency import Tasks
from bot.listeners.error_boundary import ErrorBoundary, ExternalUserGuard, Failures
from bot.listeners.request import Request
from bot.listeners.router import BEGUN_AT, Dispatcher
from bot.message import Block
from bot.slack.replies import Replies
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio


FOUND: Block = {"text": {"type": "plain_text", "text": "shop.example"}, "value": "shop.example"}
LATE: Block = {"text": {"type": "plain_text", "text": "No answer"}, "value": "none"}
TYPED = {
    "type": "block_suggestion",
    "action_id": "pick",
    "value": "sho",
    "team": {"id": "T1"},
    "user": {"id": "U1", "team_id": "T1"},
}


class Authorization(AsyncAuthorize):
    """Lets everybody in; so many seconds have passed by then."""

    def __init__(self, took_s: float) -> None:
        self.took_s = took_s

    async def __call__(
        self, *, context: AsyncBoltContext, team_id: str | None, **_asked: Any
    ) -> AuthorizeResult:
        context[BEGUN_AT] -= self.took_s
        return AuthorizeResult(enterprise_id=None, team_id=team_id, bot_token="xoxb-1")


class NoStrangers(ExternalUserGuard):
    """Knows everybody without asking Slack."""

    async def check(self, conversation: Request) -> None:
        """Keep no one out."""


async def offered(took_s: float, *, within_s: float, is_found: bool) -> list[Block]:
    """Return what is offered when the authorization has taken so long of what there is."""
    app = AsyncApp(
        name="options",
        authorize=TimedAuthorize(Authorization(took_s), unknown=""),
        process_before_response=True,
        request_verification_enabled=False,
    )

    async def find(_conversation: Request, _typed: str) -> list[Block]:
        await (asyncio.sleep(0) if is_found else asyncio.Event().wait())
        return [FOUND]

    async with aiohttp.ClientSession() as http:
        boundary = ErrorBoundary(Tasks(), cast(Failures, None))
        boundary.external_users = NoStrangers()
        dispatcher = Dispatcher(app, boundary, Replies(http), options_within_s=within_s)
        dispatcher.on_options("pick", find, otherwise=[LATE])
        answer = await app.async_dispatch(
            AsyncBoltRequest(body=TYPED, mode="socket_mode", headers={})
        )
    return cast(list[Block], json.loads(answer.body)["options"])


async def test_the_time_that_was_taken_before_is_not_there_for_finding() -> None:
    async with asyncio.timeout(TIME_LIMIT_S):
        assert await offered(999.99, within_s=1000, is_found=False) == [LATE]
