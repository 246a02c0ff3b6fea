"""A local Slack with a bot whose work never ends, until it is stopped."""

import asyncio
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
from bot.listeners.interrupted import InflightTracker
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.playground.slack import LocalSlack, Message, Person, View, running_slack
from bot.slack.client import open_form
from bot.slack.replies import Replies
from bot.views.blocks import actions, button, form, notice, section
from tests.fakes import TIME_LIMIT_S
from tests.playground.slack.bolt import bolt_app, by_http

DELETE, EDIT_FORM = "digests.delete", "digests.edit"
WAITING = notice("Digests", [section("⏳ Saving…")])


@dataclass
class Room:
    """What a command or form asks for goes on for ever; `worked_on` are those who wait."""

    slack: LocalSlack
    app: AsyncApp
    client: AsyncWebClient
    http: aiohttp.ClientSession
    tasks: Tasks = field(default_factory=Tasks)
    worked_on: asyncio.Queue[Request] = field(default_factory=asyncio.Queue)

    def __post_init__(self) -> None:
        self.replies = Replies(self.http)
        self.boundary = ErrorBoundary(
            self.tasks,
            cast(Failures, None),
            inflight=InflightTracker(),
        )
        self.dispatcher = Dispatcher(self.app, self.boundary, self.replies)
        for command in ("/scan", "/adddomain"):
            self.dispatcher.on_command(command, self.work)
        self.dispatcher.on_command("/domaindigest", self.open_list)
        self.dispatcher.on_press(DELETE, self.work)
        self.app.view(EDIT_FORM)(self._submitted)

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    async def work(self, conversation: Request, _about: object) -> None:
        self.worked_on.put_nowait(conversation)
        await asyncio.Event().wait()

    async def open_list(self, conversation: Request, _text: str) -> None:
        """Open a form that can be sent, and has a button to press."""
        blocks = [section("One digest"), *actions(button("Delete", DELETE))]
        filled_in = form(EDIT_FORM, "Digests", "Save", blocks, metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", filled_in)

    async def stop(self) -> int:
        """Stop while somebody waits; return how many do."""
        async with asyncio.timeout(TIME_LIMIT_S):
            request = await self.worked_on.get()
            while not self._is_settled(request):  # noqa: ASYNC110  # no event tells of it
                await asyncio.sleep(0.001)
        return await self.boundary.cancel_all()

    def _is_settled(self, request: Request) -> bool:
        """Whether nobody else waits, and an open window is known to be open."""
        window = request.window
        is_open = window is None or bool(window.view_id or request.view_id)
        return len(self.boundary.inflight._open) == 1 and is_open

    def said(self, channel: str = "general") -> list[Message]:
        return self.bob.messages(channel)

    async def form_saying(self, words: str) -> View:
        def look() -> View | None:
            form = self.bob.form
            return form if form and words in form.everything else None

        return await self.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)

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


@asynccontextmanager
async def running_room() -> AsyncIterator[Room]:
    async with (
        aiohttp.ClientSession() as http,
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            commands=["/scan", "/adddomain", "/domaindigest"],
            scopes=("chat:write", "im:write", "users:read", "commands"),
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
