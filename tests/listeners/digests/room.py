"""The listeners of `/domaindigest` in real Bolt, with a local Slack and a store in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import aiohttp

from bot.admin import Audiences, Managers
from bot.concurrency import Tasks
from bot.deferred_commands import DeferredCommands
from bot.digests.models import Digest, Plan
from bot.listeners.domaindigest import DigestListeners
from bot.listeners.domaindigest_form import DigestFormListeners
from bot.listeners.error_boundary import ErrorBoundary, Failures
from bot.listeners.interrupted import InflightTracker
from bot.listeners.modals import DigestScreen
from bot.listeners.permissions import DigestAccess, Permissions
from bot.listeners.router import Dispatcher
from bot.message import Message as BotMessage
from bot.playground.slack import LocalSlack, Message, Person, View, running_slack
from bot.shared_limits import QuotaService
from bot.slack.replies import Replies
from bot.slack.usergroups import UserGroups
from bot.store.encryption import KeyRing
from bot.tracker.rate_limit import RateLimiter
from bot.views.blocks import actions, button, section
from bot.workspace import WorkspaceId
from tests.digests.office import BOB, DAILY, Office
from tests.fakes import TIME_LIMIT_S
from tests.playground.slack.bolt import bolt_app, by_http

SCOPES = (
    *("commands", "chat:write", "im:write", "users:read"),
    *("channels:read", "groups:read", "usergroups:read"),
)


@dataclass
class Room:
    """`ada` is an admin, `bob` and `cy` are members, `gus` is a guest, `zoe` a stranger."""

    slack: LocalSlack
    office: Office
    tasks: Tasks
    rights: Permissions

    @property
    def workspace(self) -> WorkspaceId:
        return WorkspaceId(self.slack.team_id)

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    @property
    def ada(self) -> Person:
        return self.slack.person("ada")

    def channel_id(self, name: str) -> str:
        channel = self.slack.world.workspace.channel_named(name)
        assert channel is not None
        return channel.id

    async def made(self, channel: str = "general", **plan: Any) -> Digest:
        """Return a digest that somebody has made some time ago."""
        defaults: dict[str, Any] = {"channel_id": self.channel_id(channel), "schedule": DAILY}
        self.office.clock.advance(1)  # the list is in the order in which they were made
        made, _ = await self.office.desk.make(self.workspace, Plan(**(defaults | plan)), by=BOB)
        self.office.posts.posts.clear()
        return made

    async def made_by_bob(self, channel: str = "general", **plan: Any) -> Digest:
        """Return the same, made by the very person who acts in most tests."""
        made = await self.made(channel, **plan)
        own = replace(made, made_by=self.bob.id, made_by_name="bob")
        return await self.office.repository.change(self.workspace, made.digest_id, lambda _: own)

    async def now(self, digest: Digest) -> Digest:
        """Return a digest as it is saved now."""
        return await self.office.desk.get(self.workspace, digest.digest_id)

    async def digests(self, channel: str = "general") -> list[Digest]:
        return await self.office.desk.of_channel(self.workspace, self.channel_id(channel))

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
        """Open the form in which bob makes a digest."""
        return await self.press(await self.list(channel=channel), "New")

    async def change_form(self) -> View:
        """Open the form in which bob changes the first digest."""
        return await self.press(await self.list(), "Change")

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
        """Let a message with a button stand somewhere, as if posted some time ago."""
        place = self.slack.world.workspace
        is_direct = channel == "dm"
        where = (
            place.direct_message(self.bob.member) if is_direct else place.channel_named(channel)
        )
        message = BotMessage(
            "A post", (section("A post"), *actions(button(label, action_id, value)))
        )
        assert where is not None
        self.slack.world.posting.add(where, message.as_args(), user=self.slack.bot_user_id)

    async def shown(self, is_so: Callable[[View], bool]) -> View:
        """Return bob's form once it is so, while work may still go on."""

        def look() -> View | None:
            form = self.bob.form
            return form if form and is_so(form) else None

        return await self.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)

    async def quiet(self) -> None:
        assert await self.tasks.drain(TIME_LIMIT_S)

    async def answer(self, person: Person | None = None, channel: str = "general") -> str:
        """Return the newest message that somebody sees."""
        await self.quiet()
        return (person or self.bob).messages(channel)[-1].everything


@asynccontextmanager
async def running_room() -> AsyncIterator[Room]:
    office, tasks = Office(), Tasks()
    async with (
        aiohttp.ClientSession() as http,
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            clock=office.clock.seconds,
            commands=["/domaindigest"],
            scopes=SCOPES,
        ) as slack,
    ):
        app = bolt_app(slack)
        ring = KeyRing({"k1": b"1" * 32})
        kept = DeferredCommands(office.documents, ring, clock=office.clock)
        rights = Permissions(
            Managers(office.documents),
            Audiences(office.documents),
            UserGroups(clock=office.clock.seconds),
        )
        failures = Failures(
            office.keys,
            kept,
            QuotaService(office.documents, office.keys, RateLimiter(), Tasks()),
            egress_addresses=(),
            clock=office.clock,
            permissions=rights,
        )
        boundary = ErrorBoundary(tasks, failures, inflight=InflightTracker())
        replies = Replies(http)
        dispatcher = Dispatcher(app, boundary, replies)
        access = DigestAccess(office.desk, rights)
        screen = DigestScreen(
            digests=office.desk, access=access, failures=failures, clock=office.clock
        )
        DigestListeners(digests=office.desk, access=access, screen=screen).register(dispatcher)
        DigestFormListeners(digests=office.desk, access=access, screen=screen).register(dispatcher)
        async with by_http(app, slack):
            yield Room(slack, office, tasks, rights)
            await tasks.drain(TIME_LIMIT_S)
