"""What the boundary notes of those who wait: beside the work, and never in its way."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, cast

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.inflight_requests import Pending, Place
from bot.listeners.error_boundary import ErrorBoundary, Failures
from bot.listeners.request import Request
from bot.message import Message
from bot.slack.errors import SlackUnavailableError
from bot.slack.replies import Origin
from bot.workspace import WorkspaceId
from tests.builders import KEY
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.listeners.gated import GatedDocuments, a_tracker
from tests.listeners.test_error_boundary import FakeReplies

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")
URL = "https://hooks.example/commands/1"


@dataclass
class Desk:
    """A boundary with its tracker. Work waits until `gate` is open."""

    documents: GatedDocuments = field(default_factory=GatedDocuments)
    replies: FakeReplies = field(default_factory=FakeReplies)
    tasks: Tasks = field(default_factory=Tasks)
    gate: asyncio.Event = field(default_factory=asyncio.Event)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    noted_after_s: float = 0

    def __post_init__(self) -> None:
        self.clock = FakeClock()
        inflight = a_tracker(
            self.tasks, self.documents, self.clock, noted_after_s=self.noted_after_s
        )
        self.answers = inflight.answers
        self.boundary = ErrorBoundary(self.tasks, cast(Failures, None), inflight=inflight)

    def conversation(self, line: str = "/scan shop.example") -> Request:
        return Request(
            workspace=ONE,
            origin=Origin("U1", "C1", URL),
            client=AsyncWebClient(session=cast(aiohttp.ClientSession, None)),
            replies=self.replies,
            command_line=line,
        )

    def start(
        self, conversation: Request | None = None, name: str = "/scan", **how: Any
    ) -> Request:
        conversation = conversation or self.conversation()

        async def work() -> None:
            self.begun.set()
            await self.gate.wait()
            await conversation.reply(Message("the answer"))

        self.boundary.start(conversation, work, name, admits_strangers=True, **how)
        return conversation

    async def noted(self) -> list[str]:
        return await self.documents.list_keys("")

    async def pending(self) -> Pending | None:
        self.clock.advance(60)
        return await self.answers.take(Place(ONE, "ab12", 1))

    async def done(self) -> None:
        self.gate.set()
        assert await self.tasks.drain(TIME_LIMIT_S)


@pytest.fixture
async def desk() -> Desk:
    return Desk()


async def test_a_store_that_hangs_holds_no_answer_up_and_nothing_stays_behind(desk: Desk) -> None:
    desk.documents.gate.clear()
    desk.start()
    await desk.documents.until(lambda: desk.documents.waiting == 1)

    desk.gate.set()
    async with asyncio.timeout(TIME_LIMIT_S):
        await desk.replies.changed.wait()
    desk.documents.gate.set()
    await desk.done()

    assert desk.documents.puts == 1
    assert await desk.noted() == []


async def test_only_what_takes_long_is_noted_at_once() -> None:
    quick, long = Desk(noted_after_s=3600), Desk(noted_after_s=3600)
    quick.start(name="/domains")
    long.start(name="/scan")

    await long.documents.until(lambda: long.documents.puts == 1)
    await quick.done()
    await long.done()

    assert quick.documents.puts == 0


async def test_a_key_that_was_typed_is_not_noted(desk: Desk) -> None:
    desk.start(desk.conversation(f"/domainkey {KEY}"))
    await desk.documents.until(lambda: desk.documents.puts == 1)

    pending = await desk.pending()

    assert pending
    assert pending.command_line is None
    await desk.done()


async def test_a_line_with_half_a_character_is_noted(desk: Desk) -> None:
    desk.start(desk.conversation("/scan a\ud800b"))
    await desk.documents.until(lambda: desk.documents.puts == 1)

    pending = await desk.pending()

    assert pending
    assert pending.command_line == "/scan a\ud800b"
    await desk.done()


async def test_who_could_not_be_told_by_a_stop_is_left_to_the_others(desk: Desk) -> None:
    desk.start()
    await desk.documents.until(lambda: desk.documents.puts == 1)
    desk.replies.errors = [SlackUnavailableError("away")]

    await desk.boundary.cancel_all()

    assert await desk.noted() == ["-.T1/pending/ab12-1"]


async def test_who_had_the_answer_when_the_stop_came_is_struck_off(desk: Desk) -> None:
    conversation = desk.conversation()

    async def work() -> None:
        await conversation.reply(Message("the answer"))
        desk.begun.set()
        await asyncio.Event().wait()  # what follows the answer

    desk.documents.gate.clear()
    desk.boundary.start(conversation, work, "/scan", admits_strangers=True)
    await desk.begun.wait()
    desk.documents.gate.set()
    await desk.boundary.cancel_all()

    assert await desk.noted() == []
    assert desk.replies.said == ["the answer"]
