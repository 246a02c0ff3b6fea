"""What people do with digests, in real Bolt, with a local Slack and a store in memory."""

from dataclasses import replace
from typing import Any

from bot.digests.models import Digest, Plan
from bot.playground.slack import Message, Person, View
from tests.digests.office import BOB, DAILY
from tests.listeners.running import Running


class Room(Running):
    """A workspace without digests; the clock stands at noon."""

    async def made(self, channel: str = "general", **plan: Any) -> Digest:
        """Return a digest that somebody has made some time ago."""
        defaults: dict[str, Any] = {"channel_id": self.channel_id(channel), "schedule": DAILY}
        self.clock.advance(1)  # the list is in the order in which they were made
        made, _ = await self.desk.make(self.workspace, Plan(**(defaults | plan)), by=BOB)
        self.posts.posts.clear()
        return made

    async def made_by_bob(self, channel: str = "general", **plan: Any) -> Digest:
        """Return the same, made by the very person who acts in most tests."""
        made = await self.made(channel, **plan)
        own = replace(made, made_by=self.bob.id, made_by_name="bob")
        return await self.repository.change(self.workspace, made.digest_id, lambda _: own)

    async def now(self, digest: Digest) -> Digest:
        """Return a digest as it is saved now."""
        return await self.desk.get(self.workspace, digest.digest_id)

    async def digests(self, channel: str = "general") -> list[Digest]:
        return await self.desk.of_channel(self.workspace, self.channel_id(channel))

    async def list(self, person: Person | None = None, channel: str = "general") -> View:
        """Type the command; return the form that opens."""
        person = person or self.bob
        await person.type("/domaindigest", channel)
        return await self.settled(person)

    async def press(
        self, form: View | Message, label: str, person: Person | None = None, nth: int = 0
    ) -> View:
        """Press a button; return the form as it stands when all is done."""
        person = person or self.bob
        await person.press(form, label, nth=nth)
        return await self.settled(person)

    async def new_form(self, channel: str = "general") -> View:
        """Open the form in which bob makes a digest, with all its fields."""
        form = await self.press(await self.list(channel=channel), "New")
        return await self.press(form, "More options")

    async def change_form(self) -> View:
        """Open the form in which bob changes the first digest, with all its fields."""
        return await self.press(await self.press(await self.list(), "Change"), "More options")

    async def choose(self, form: View, name: str, answer: Any) -> View:
        """Let bob choose in a field; return the form as it then stands."""
        await self.bob.choose(form, name, answer)
        return await self.settled()

    async def submit(
        self, form: View, fields: dict[str, Any] | None = None, person: Person | None = None
    ) -> View:
        """Fill in a form and send it; return what stands there when all is done."""
        person = person or self.bob
        delivery = await person.submit(form, fields or {})
        assert not delivery.errors, delivery.errors
        return await self.settled(person)

    async def settled(self, person: Person | None = None) -> View:
        """Return somebody's form once all work is done."""
        await self.quiet()
        form = (person or self.bob).form
        assert form is not None
        return form

    def post(self, action_id: str, label: str, value: str, channel: str) -> None:
        """Let a message with a button stand in a channel, or in bob's direct message."""
        direct = self.slack.world.workspace.direct_message(self.bob.member)
        channel_id = direct.id if channel == "dm" else self.channel_id(channel)
        self.post_button(channel_id, label, action_id, value)

    async def answer(self, person: Person | None = None, channel: str = "general") -> str:
        """Return the newest message that somebody sees."""
        await self.quiet()
        return (person or self.bob).messages(channel)[-1].everything
