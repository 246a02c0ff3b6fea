"""What admins and managers do, in real Bolt, with a local Slack and a store in memory."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.access.repository import Act
from bot.blocks.builders import actions, button, notice, section
from bot.blocks.message import Block
from bot.keys.key_pair import KeyPair
from bot.keys.key_record import KeyRecord
from bot.playground.slack import Message, Person, View
from bot.playground.slack.refusals import CommandFailed, FormError, NothingToPress
from bot.slack.client import open_form
from tests.api_keys.test_repository import a_draft
from tests.builders import KEY, a_domain
from tests.fakes import FakeClock, FakeTracker
from tests.listeners.running import Running, running_listeners

OLD, IN_USE, NEW = KEY.replace("Q", "O"), KEY, KEY.replace("Q", "R")
PRESS = "Press"
_NOT_SENT = (CommandFailed, FormError, NothingToPress)


class AdminRoom(Running):
    """There is a key in use and one before it; `tracker` is the service."""

    tracker: FakeTracker

    async def name(self, *names: str) -> None:
        """Let people be the managers, by their names."""
        people = tuple(self.slack.person(name).id for name in names)
        await self.managers.name(self.workspace, people)

    async def pair(self) -> KeyPair | None:
        return await self.keys.pair(self.workspace)

    async def earlier(self) -> KeyRecord | None:
        pair = await self.pair()
        return pair.earlier.record if pair and pair.earlier else None

    async def acts(self) -> list[Act]:
        return [entry.act for entry in await self.audit.entries(self.workspace)]

    async def stored(self) -> list[object]:
        """Return everything that is kept, to see whether it changes."""
        return [*await self.documents.list_prefix("")]

    def metadata(self, note: str | None = None) -> str:
        """Return what a form carries that was opened in the channel."""
        way = [self.channel_id(), None, True]
        return json.dumps(way if note is None else [*way, note])

    def button(self, person: Person, action_id: str, value: str) -> Message:
        """Let a message with a button stand in the channel; return it as that person sees it."""
        self.post_button(self.channel_id(), PRESS, action_id, value)
        return person.messages()[-1]

    async def open_button(
        self, person: Person, action_id: str, value: str, note: str | None
    ) -> View:
        """Open a form with a button for somebody."""
        blocks = [section("A form"), *actions(button(PRESS, action_id, value))]
        return await self.open(person, notice("A form", blocks, metadata=self.metadata(note)))

    async def open(self, person: Person, form: Block) -> View:
        """Open a form for somebody as if they had been given it some time ago."""
        trigger_id = self.slack.world.triggers.give(person.id, None, None)
        await open_form(self.client, trigger_id, form)
        assert person.form is not None
        return person.form

    async def do(self, *acts: object) -> None:
        """Let what somebody does happen, all at once, until nothing runs any more.

        Slack does not send what is no longer on the screen.
        """
        results = await asyncio.gather(*acts, return_exceptions=True)  # type: ignore[call-overload]  # any awaitables
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, _NOT_SENT):
                raise result
        await self.quiet()

    def seen(self, person: Person) -> str:
        """Return all that somebody sees: the channel, their direct message, their form."""
        form = person.form.everything if person.form else ""
        places = [*person.messages(), *person.messages("dm")]
        return "\n".join([*(each.everything for each in places), form])


@asynccontextmanager
async def running_admin_room() -> AsyncIterator[AdminRoom]:
    tracker = FakeTracker(a_domain())
    async with running_listeners(AdminRoom, tracker=tracker, clock=FakeClock()) as room:
        room.tracker = tracker
        for secret in (OLD, IN_USE):
            room.clock.advance(60)
            await room.keys.save(room.workspace, a_draft(secret), set_by=room.ada.id)
        yield room
