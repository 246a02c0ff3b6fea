"""A bot that is at home in Slack, with a store that knows nothing of it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.welcome import KIND, DataLossCheck
from bot.message import Message
from bot.slack.errors import (
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.store.documents import Document, StoreError
from bot.workspace import WorkspaceId
from tests.builders import ADMIN_ID
from tests.fakes import FakeClock, FakePosts
from tests.loops import loop_over
from tests.memory import MemoryDocuments
from tests.slack.clients import Pages, channels

pytestmark = pytest.mark.anyio

ACME = WorkspaceId("T1")
PEOPLE = [
    {"id": "U0OWNER", "is_primary_owner": True, "is_owner": True, "is_admin": True},
    {"id": ADMIN_ID, "is_admin": True},
]


class Disk(MemoryDocuments):
    """A store that may be full."""

    is_full = False

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.is_full:
            raise StoreError("disk full")
        return await super().put(key, value, **how)


class Mine(Pages):
    """A workspace with people in charge, whose bot is in some channels."""

    def __init__(self, *channel_ids: str) -> None:
        super().__init__([*channels(*channel_ids)])
        self.people = Pages(PEOPLE)

    async def users_list(self, **asked: Any) -> Any:
        return await self.people.users_list(**asked)


class Start:
    """What a start of the bot finds; `again` is another one on the same store."""

    def __init__(self, *channel_ids: str) -> None:
        self.documents, self.posts, self.clock = Disk(), FakePosts(), FakeClock()
        self.client = Mine(*channel_ids)
        self.error: Exception | None = None
        self.looks = 0
        self.again()

    def again(self) -> None:
        self.check = DataLossCheck(
            self.documents,
            self.posts.send_dm,
            own=self.own,
            client_for=self.client_for,
            words=lambda channel_ids: Message(" ".join(channel_ids)),
            clock=self.clock,
        )

    async def own(self) -> AuthorizeResult:
        self.looks += 1
        if self.error:
            raise self.error
        return AuthorizeResult(enterprise_id=None, team_id=ACME.team_id)

    async def client_for(self, _workspace: WorkspaceId) -> AsyncWebClient:
        return self.client

    async def tick(self) -> None:
        await self.check.check()

    async def is_marked(self) -> bool:
        return await self.documents.get(f"{ACME}/{KIND}") is not None


async def test_the_primary_owner_is_told_once() -> None:
    start = Start("C1", "C2")

    await start.tick()
    await start.tick()
    start.again()
    await start.tick()

    assert start.posts.notified == [("U0OWNER", "C1 C2")]
    assert start.looks == 2


async def a_new_bot() -> Start:
    return Start()


async def a_known_workspace() -> Start:
    start = Start("C1")
    await start.documents.put(f"{ACME}/key", {})
    return start


async def without_permission() -> Start:
    start = Start("C1")
    start.client.scopes = set()
    return start


async def where_all_have_left() -> Start:
    start = Start("C1")
    start.posts.gone = {"U0OWNER", ADMIN_ID}
    return start


@loop_over("made", [a_new_bot, a_known_workspace, without_permission, where_all_have_left])
async def test_where_there_is_nothing_to_say_it_is_marked_now_and_not_said_later(
    made: Callable[[], Awaitable[Start]],
) -> None:
    start = await made()

    await start.tick()
    is_marked = await start.is_marked()
    start.client, start.posts.gone = Mine("C1"), set()
    start.again()
    await start.tick()

    assert (is_marked, start.posts.notified) == (True, [])


async def test_while_slack_is_away_it_is_tried_again_and_what_people_do_hides_no_loss() -> None:
    start = Start("C1")
    start.error = SlackUnreachableError("no such host")
    with pytest.raises(SlackUnreachableError):
        await start.tick()
    start.error = None
    await start.documents.put(f"{ACME}/home-viewers", {})

    await start.tick()

    assert start.posts.notified == [("U0OWNER", "C1")]


async def test_while_the_store_is_full_it_is_said_once() -> None:
    start = Start("C1")
    start.documents.is_full = True
    for _ in range(4):
        with pytest.raises(StoreError):
            await start.tick()
    start.documents.is_full = False
    await start.tick()

    assert len(start.posts.notified) == 1
    assert await start.is_marked()


async def test_what_may_have_been_said_is_not_said_again() -> None:
    start = Start("C1")
    start.posts.errors = [SlackUnavailableError("TimeoutError")]

    await start.tick()
    await start.tick()

    assert start.posts.notified == []
    assert await start.is_marked()


@loop_over("error", [SlackRateLimitedError(300), TokenRefusedError("token_revoked")])
async def test_a_message_that_could_not_be_sent_is_sent_later(error: Exception) -> None:
    start = Start("C1")
    start.posts.errors = [error]

    with pytest.raises(type(error)):
        await start.tick()
    early = await start.is_marked()
    await start.tick()

    assert (early, start.posts.notified) == (False, [("U0OWNER", "C1")])
