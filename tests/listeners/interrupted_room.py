"""A local Slack with a bot whose work never ends, until it is stopped."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from bot.blocks.builders import actions, button, form, notice, section
from bot.digests.views.modal import EDIT_FORM
from bot.dispatch.incoming import from_form
from bot.dispatch.request import Request
from bot.playground.slack import Message
from bot.slack.client import open_form
from tests.listeners.running import Running, running_listeners

HELD = "held"
WAITING = notice("Digests", [section("⏳ Saving…")])


class Room(Running):
    """What a command or form asks for goes on for ever; `worked_on` are those who wait."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.worked_on = asyncio.Queue[Request]()
        for command in ("/scan", "/adddomain"):
            self.dispatcher.command(command, self.work)
        self.dispatcher.command("/domaindigest", self.open_list)
        self.dispatcher.action(HELD, self.work)
        self.app.view(HELD)(self._submitted)

    async def work(self, conversation: Request, _about: object) -> None:
        self.worked_on.put_nowait(conversation)
        await asyncio.Event().wait()

    async def open_list(self, conversation: Request, _text: str) -> None:
        """Open a form that can be sent, and has a button to press."""
        blocks = [section("One digest"), *actions(button("Delete", HELD))]
        filled_in = form(HELD, "Digests", "Save", blocks, metadata=conversation.as_metadata())
        await open_form(conversation.client, conversation.trigger_id or "", filled_in)

    async def stop(self) -> int:
        """Stop while somebody waits; return how many do."""
        request = await self.worked_on.get()
        while not self._is_settled(request):  # noqa: ASYNC110  # no event tells of it
            await asyncio.sleep(0.001)
        return await self.dispatcher.boundary.cancel_all()

    def _is_settled(self, request: Request) -> bool:
        """Whether nobody else waits, and an open window is known to be open."""
        window = request.window
        is_open = window is None or bool(window.view_id or request.view_id)
        return len(self.dispatcher.boundary.inflight._open) == 1 and is_open

    def said(self, channel: str = "general") -> list[Message]:
        return self.bob.messages(channel)

    async def _submitted(self, ack: Any, body: Mapping[str, Any], context: Any) -> None:
        conversation = from_form(body, context, self.screen.replies)
        await ack(response_action="update", view=WAITING)
        self.dispatcher.boundary.start(
            conversation,
            lambda: self.work(conversation, None),
            EDIT_FORM,
            speaks=False,
            form_waits=True,
        )


@asynccontextmanager
async def running_room() -> AsyncIterator[Room]:
    async with running_listeners(Room) as room:
        yield room
        await room.tasks.cancel()
