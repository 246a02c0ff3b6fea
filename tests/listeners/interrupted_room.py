"""A local Slack with two processes: one works until it is killed, the other one looks after it."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

import aiohttp
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.listeners.error_boundary import ErrorBoundary, Failures
from bot.listeners.incoming import from_form
from bot.listeners.interrupted import OrphanNotifier
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.playground.slack import LocalSlack, Message, Person, View, running_slack
from bot.process_heartbeat import Processes
from bot.slack.client import open_form
from bot.slack.replies import Replies
from bot.store.documents import Document
from bot.store.encryption import associated_data
from bot.views.blocks import actions, button, form, notice, section
from bot.workspace import WorkspaceId
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.listeners.gated import RING, GatedDocuments, a_tracker
from tests.playground.slack.bolt import bolt_app, by_http

KILLED, LOOKING = "killed", "looking"
DELETE, EDIT_FORM = "digests.delete", "digests.edit"
WAITING = notice("Digests", [section("⏳ Saving…")])


class FakeProcesses(Processes):
    """Processes of which those in `dead` have ended."""

    def __init__(self) -> None:
        super().__init__()
        self.process_id = LOOKING
        self.dead: set[str] = set()

    def is_dead(self, process_id: str) -> bool:
        return process_id in self.dead


@dataclass
class Room:
    """What a command or form asks for goes on for ever; `worked_on` are those who wait."""

    slack: LocalSlack
    app: AsyncApp
    client: AsyncWebClient
    http: aiohttp.ClientSession
    clock: FakeClock = field(default_factory=FakeClock)
    documents: GatedDocuments = field(default_factory=GatedDocuments)
    processes: FakeProcesses = field(default_factory=FakeProcesses)
    tasks: Tasks = field(default_factory=Tasks)
    other_tasks: Tasks = field(default_factory=Tasks)
    unable: Exception | None = None  # why there is no client
    worked_on: asyncio.Queue[Request] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        inflight = a_tracker(
            self.tasks, self.documents, self.clock, process_id=KILLED, noted_after_s=0
        )
        self.answers = inflight.answers
        self.replies = Replies(self.http)
        self.boundary = ErrorBoundary(
            self.tasks,
            cast(Failures, None),
            inflight=inflight,
            first_word_after_s=60,
            first_word_in_home_after_s=0.001,
        )
        self.dispatcher = Dispatcher(self.app, self.boundary, self.replies)
        for command in ("/scan", "/adddomain"):
            self.dispatcher.on_command(command, self.work)
        self.dispatcher.on_command("/domaindigest", self.open_list)
        self.dispatcher.on_press(DELETE, self.work)
        self.app.view(EDIT_FORM)(self._submitted)
        self.looking = self.a_looker()

    def a_looker(self) -> OrphanNotifier:
        return OrphanNotifier(
            self.answers,
            self.processes,
            self.replies,
            self.other_tasks,
            client_for=self.client_for,
        )

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    async def client_for(self, _workspace: WorkspaceId) -> AsyncWebClient:
        if self.unable:
            raise self.unable
        return self.client

    async def work(self, conversation: Request, _about: object) -> None:
        self.worked_on.put_nowait(conversation)
        await asyncio.Event().wait()

    async def open_list(self, conversation: Request, _text: str) -> None:
        """Open a form that can be sent, and has a button to press."""
        blocks = [section("One digest"), *actions(button("Delete", DELETE))]
        filled_in = form(EDIT_FORM, "Digests", "Save", blocks, metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", filled_in)

    async def noted(self, **facts: object) -> None:
        """Wait until it is noted that somebody waits, of whom these facts are true."""
        await self.documents.until(lambda: any(_has(each, facts) for each in self._all_noted()))

    async def struck_off(self, **facts: object) -> None:
        """Wait until no one is noted of whom these facts are true."""
        await self.documents.until(
            lambda: not any(_has(each, facts) for each in self._all_noted())
        )

    async def kill(self) -> None:
        """End the process without a word; half a minute later that is known."""
        await self.tasks.cancel()
        self.processes.dead.add(KILLED)
        self.clock.advance(30)

    async def look(self) -> None:
        await self.looking.tick()
        assert await self.other_tasks.drain(TIME_LIMIT_S)

    async def left(self) -> list[str]:
        return await self.documents.list_keys("")

    def said(self, channel: str = "general") -> list[Message]:
        return self.bob.messages(channel)

    async def form_saying(self, words: str) -> View:
        def look() -> View | None:
            form = self.bob.form
            return form if form and words in form.everything else None

        return await self.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)

    def _all_noted(self) -> list[dict[str, Any]]:
        return [_opened(document) for document in self.documents.now()]

    async def _submitted(self, ack: Any, body: Mapping[str, Any], context: Any) -> None:
        conversation = from_form(body, context, self.replies)
        await ack(response_action="update", view=WAITING)
        self.boundary.start(
            conversation,
            lambda: self.work(conversation, None),
            EDIT_FORM,
            speaks=False,
            form_waits=True,
        )


def _opened(document: Document) -> dict[str, Any]:
    workspace, _, name = document.key.split("/")
    belongs = associated_data("pending-answer", WorkspaceId.parse(workspace), name)
    opened: dict[str, Any] = json.loads(RING.decrypt(document.value["sealed"], belongs))
    return opened


def _has(noted: Mapping[str, object], facts: Mapping[str, object]) -> bool:
    return all(noted[name] == value for name, value in facts.items())


@asynccontextmanager
async def running_room() -> AsyncIterator[Room]:
    async with (
        aiohttp.ClientSession() as http,
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            commands=["/scan", "/adddomain", "/domaindigest"],
            scopes=("chat:write", "im:write", "users:read", "commands"),
            events=["function_executed"],
        ) as slack,
    ):
        app = bolt_app(slack)
        client = AsyncWebClient(
            token=slack.bot_token, base_url=slack.api_url, session=http, retry_handlers=[]
        )
        room = Room(slack, app, client, http)
        async with by_http(app, slack):
            yield room
            await room.tasks.cancel()
            await room.other_tasks.cancel()
