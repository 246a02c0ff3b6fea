"""What a stop does with work that cannot be waited for."""

import asyncio
from typing import Any, cast

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.asking import person, who_asks
from bot.listeners.boundary import Boundary
from bot.listeners.conversation import Conversation
from bot.listeners.failures import Failures
from bot.message import Message
from bot.slack.replies import Origin, Replies, Way
from bot.tasks import Tasks
from bot.workspace import WorkspaceId
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio


class FakeReplies(Replies):
    """Replies that go nowhere, and are remembered."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def send(
        self, client: AsyncWebClient, origin: Origin, message: Message, **how: Any
    ) -> Way:
        self.said.append(message.text)
        return Way.THERE


@pytest.mark.parametrize("is_answered", [True, False])
async def test_a_stop_excuses_itself_only_with_those_who_have_no_answer(is_answered: bool) -> None:
    replies, begun = FakeReplies(), asyncio.Event()
    conversation = Conversation(
        workspace=WorkspaceId("T1"),
        origin=Origin("U1"),
        client=AsyncWebClient(session=cast(aiohttp.ClientSession, None)),
        replies=replies,
    )

    async def work() -> None:
        if is_answered:
            await conversation.reply(Message("the answer"))
        begun.set()
        await asyncio.Event().wait()

    boundary = Boundary(Tasks(), cast(Failures, None))
    boundary.start(conversation, work, "work")
    await begun.wait()

    assert await boundary.cut_off() == (0 if is_answered else 1)
    assert any("being restarted" in text for text in replies.said) is not is_answered


async def test_the_work_is_for_whoever_asked() -> None:
    asked: list[object] = []
    tasks = Tasks()
    conversation = Conversation(
        workspace=WorkspaceId("T1"),
        origin=Origin("U1"),
        client=AsyncWebClient(session=cast(aiohttp.ClientSession, None)),
        replies=FakeReplies(),
    )

    async def work() -> None:
        asked.append(who_asks())

    Boundary(tasks, cast(Failures, None)).start(conversation, work, "work")

    assert await tasks.are_done_within(TIME_LIMIT_S)
    assert asked == [(WorkspaceId("T1"), person("U1"))]
