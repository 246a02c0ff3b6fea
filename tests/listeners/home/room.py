"""The Home tab in real Bolt, with a local Slack, a store in memory and lists that may be slow."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.dispatch.request import Request
from bot.playground.slack import Person, View
from bot.slack.replies import Origin
from tests.builders import a_domain
from tests.fakes import TIME_LIMIT_S
from tests.listeners.running import Running, running_listeners


class Room(Running):
    """A workspace with two domains; no one has opened Home."""

    async def opened(self, person: Person | None = None) -> View:
        """Open somebody's Home tab; return it as it stands when all is done."""
        person = person or self.bob
        await person.by_id.open_home()
        return await self.home(person)

    async def home(self, person: Person | None = None) -> View:
        """Return somebody's Home tab once all work is done."""
        assert await self.tasks.drain(TIME_LIMIT_S)
        home = (person or self.bob).home
        assert home is not None
        return home

    async def saying(self, words: str, person: Person | None = None) -> View:
        """Return somebody's Home tab once it says that, while work may still go on."""
        return await self.shown(lambda home: words in home.everything, person, at_home=True)

    def direct(self, person: Person | None = None) -> list[str]:
        """Return what lies in somebody's messages with the bot."""
        return [message.everything for message in (person or self.bob).messages("dm")]

    async def redraw(self, person: Person | None = None) -> None:
        """Draw a tab that is open once more."""
        await self.screen.draw(
            Request(
                workspace=self.workspace,
                origin=Origin((person or self.bob).id),
                client=self.client,
                replies=self.screen.replies,
            )
        )

    def draws(self) -> int:
        """Return how often a Home tab was published."""
        return sum(call.method == "views.publish" for call in self.slack.calls)


@asynccontextmanager
async def running_room() -> AsyncIterator[Room]:
    async with running_listeners(Room) as room:
        room.lists.domains = (a_domain(), a_domain("www.example", 97))
        yield room
