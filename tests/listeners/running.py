"""The bot's own listeners in real Bolt, with a local Slack and a store in memory."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

import aiohttp
import httpx
import pytest
from pydantic import SecretStr
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.access.repository import Act
from bot.app import features
from bot.app.services import Services
from bot.blocks.builders import actions, button, notice, section
from bot.blocks.message import Block, Message
from bot.digests.models import Digest, Plan
from bot.dispatch.commands import COMMANDS
from bot.dispatch.router import Dispatcher
from bot.home.listeners import HomeListeners
from bot.keys.key_record import KeyPair, KeyRecord
from bot.keys.repository import Keys
from bot.playground.slack import LocalSlack, Person, View, running_slack
from bot.playground.slack import Message as SlackMessage
from bot.playground.slack.refusals import CommandFailed, FormError, NothingToPress
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.settings import Settings
from bot.slack.channels import UserGroups
from bot.slack.client import open_form
from bot.slack.replies import Origin, Replies
from bot.store.deduplication import Dedup
from bot.store.encryption import KeyRing
from bot.tracker.rate_limit import Allowance
from bot.web.metrics import Metrics
from tests.builders import KEY, a_domain
from tests.digests.builders import BOB, DAILY, EVE, DocumentsOnDisk
from tests.dispatch.builders import a_request
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts, FakeTracker
from tests.keys.test_repository import a_draft
from tests.playground.slack.bolt import bolt_app, by_http

SCOPES = (
    *("commands", "chat:write", "im:write", "users:read"),
    *("channels:read", "groups:read", "usergroups:read"),
)
RING = KeyRing({"k1": b"1" * 32})
OLD, IN_USE, NEW = KEY.replace("Q", "O"), KEY, KEY.replace("Q", "R")
PRESS = "Press"
_NOT_SENT = (CommandFailed, FormError, NothingToPress)


class NotingDispatcher(Dispatcher):
    """Remembers the names of all buttons and forms."""

    def __init__(self, *parts: Any, **how: Any) -> None:
        self.names: set[str] = set()
        super().__init__(*parts, **how)

    def action(self, action_id: str, *parts: Any, **how: Any) -> None:
        self.names.add(action_id)
        super().action(action_id, *parts, **how)

    def view(self, callback_id: str, *parts: Any, **how: Any) -> None:
        self.names.add(callback_id)
        super().view(callback_id, *parts, **how)


class FakeConnection(FakeLists):
    """The service, without keys."""

    scan = add_domain = None  # nothing is scanned or added

    def __init__(self, _client: object, keys: Keys, **_how: object) -> None:
        super().__init__(a_domain(score=41))
        self.keys = keys

    async def allowance(self, workspace: WorkspaceId) -> Allowance | None:
        return Allowance() if await self.keys.record(workspace) else None


@dataclass
class Bot:
    """`ada` is an admin, `olga` an owner, `bob` and `cy` members, `gus` a guest, `zoe` a stranger.

    `lists` stands for the service and the keys, unless `tracker` stands for the service alone.
    """

    slack: LocalSlack
    app: AsyncApp
    clock: FakeClock
    documents: DocumentsOnDisk
    posts: FakePosts
    tasks: Tasks
    features: features.Features
    dispatcher: NotingDispatcher
    home_listeners: HomeListeners

    def __post_init__(self) -> None:
        self.service, self.repository = self.features.digests, self.features.repository
        self.portfolio = self.features.portfolio
        self.keys, self.permissions = self.features.keys, self.features.permissions
        self.audit = self.features.audit

    @property
    def lists(self) -> FakeConnection:
        return cast(FakeConnection, self.features.tracker)

    @property
    def client(self) -> AsyncWebClient:
        return self.app.client

    @property
    def workspace(self) -> WorkspaceId:
        return WorkspaceId(self.slack.team_id)

    @property
    def ada(self) -> Person:
        return self.slack.person("ada")

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    def channel_id(self, name: str = "general") -> str:
        return self.slack.channel(name).id

    def post_button(self, channel_id: str, label: str, action_id: str, value: str) -> None:
        """Let a message with a button stand somewhere, as if posted some time ago."""
        blocks = (section("A post"), *actions(button(label, action_id, value)))
        where = self.slack.world.workspace.channels[channel_id]
        sent = Message("A post", blocks).as_args()
        self.slack.world.posting.add(where, sent, user=self.slack.bot_user_id)

    async def shown(
        self, is_so: Callable[[View], bool], person: Person | None = None, *, at_home: bool = False
    ) -> View:
        """Return somebody's form, or Home tab, once it is so, while work may still go on."""

        def look() -> View | None:
            view = (person or self.bob).home if at_home else (person or self.bob).form
            return view if view and is_so(view) else None

        return await self.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)

    async def form_saying(self, words: str, person: Person | None = None) -> View:
        return await self.shown(lambda form: words in form.everything, person)

    async def quiet(self) -> None:
        assert await self.tasks.drain(TIME_LIMIT_S)

    async def opened(self, person: Person | None = None) -> View:
        """Open somebody's Home tab; return it as it stands when all is done."""
        person = person or self.bob
        await person.by_id.open_home()
        return await self.home(person)

    async def home(self, person: Person | None = None) -> View:
        assert await self.tasks.drain(TIME_LIMIT_S)
        home = (person or self.bob).home
        assert home is not None
        return home

    async def home_saying(self, words: str, person: Person | None = None) -> View:
        """Return somebody's Home tab once it says that, while work may still go on."""
        return await self.shown(lambda home: words in home.everything, person, at_home=True)

    def direct_messages(self, person: Person | None = None) -> list[str]:
        return [message.everything for message in (person or self.bob).messages("dm")]

    async def redraw_home(self, person: Person | None = None) -> None:
        """Draw a tab that is open once more."""
        await self.home_listeners.draw(
            a_request(
                self.workspace,
                Origin((person or self.bob).id),
                self.client,
                self.home_listeners.replies,
            )
        )

    async def made(self, channel: str = "general", **plan: Any) -> Digest:
        """Return a digest that somebody has made some time ago."""
        defaults: dict[str, Any] = {"channel_id": self.channel_id(channel), "schedule": DAILY}
        self.clock.advance(1)  # the list is in the order in which they were made
        made, _ = await self.service.make(self.workspace, Plan(**(defaults | plan)), by=BOB)
        self.posts.posts.clear()
        return made

    async def made_by_bob(self, channel: str = "general", **plan: Any) -> Digest:
        """Return the same, made by the very person who acts in most tests."""
        made = await self.made(channel, **plan)
        own = replace(made, made_by=self.bob.id, made_by_name="bob")
        return await self.repository.change(self.workspace, made.digest_id, lambda _: own)

    async def now(self, digest: Digest) -> Digest:
        return await self.service.get(self.workspace, digest.digest_id)

    async def digests(self, channel: str = "general") -> list[Digest]:
        return await self.service.of_channel(self.workspace, self.channel_id(channel))

    async def open_list(self, person: Person | None = None, channel: str = "general") -> View:
        """Type the command; return the form that opens."""
        person = person or self.bob
        await person.type("/domaindigest", channel)
        return await self.settled(person)

    async def press(
        self, form: View | SlackMessage, label: str, person: Person | None = None, nth: int = 0
    ) -> View:
        """Press a button; return the form as it stands when all is done."""
        person = person or self.bob
        await person.press(form, label, nth=nth)
        return await self.settled(person)

    async def new_form(self, channel: str = "general") -> View:
        """Open the form in which bob makes a digest, with all its fields."""
        form = await self.press(await self.open_list(channel=channel), "New")
        return await self.press(form, "More options")

    async def change_form(self) -> View:
        """Open the form in which bob changes the first digest, with all its fields."""
        return await self.press(await self.press(await self.open_list(), "Change"), "More options")

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
        await self.quiet()
        form = (person or self.bob).form
        assert form is not None
        return form

    def post_digest_button(self, action_id: str, label: str, value: str, channel: str) -> None:
        """Let a message with a button stand in a channel, or in bob's direct message."""
        direct = self.slack.world.workspace.direct_message(self.bob.member)
        channel_id = direct.id if channel == "dm" else self.channel_id(channel)
        self.post_button(channel_id, label, action_id, value)

    async def answer(self, person: Person | None = None, channel: str = "general") -> str:
        await self.quiet()
        return (person or self.bob).messages(channel)[-1].everything


B = TypeVar("B", bound=Bot)


@asynccontextmanager
async def running_bot(
    kind: type[B],
    *,
    tracker: FakeTracker | None = None,
    clock: FakeClock | None = None,
) -> AsyncIterator[B]:
    """Register every feature as `bot.app.main` does, in a workspace where nothing was done yet."""
    clock, documents, posts, tasks = (
        clock or FakeClock(EVE),
        DocumentsOnDisk(),
        FakePosts(),
        Tasks(),
    )
    made: dict[str, Any] = {}

    def noted(name: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def making(*given: Any, **named: Any) -> Any:
            made[name] = make(*given, **named)
            return made[name]

        return making

    fakes: dict[str, Callable[..., Any]] = {
        "Features": features.Features,
        "Dispatcher": NotingDispatcher,
        "HomeListeners": HomeListeners,
        "UserGroups": partial(UserGroups, clock=clock.seconds),
        **(
            {"TrackerClient": lambda *_parts, **_how: tracker}
            if tracker
            else {"WorkspaceTracker": FakeConnection}
        ),
    }
    async with (
        aiohttp.ClientSession() as http,
        httpx.AsyncClient() as tracker_http,
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            clock=clock.seconds,
            commands=[*COMMANDS],
            scopes=SCOPES,
            events=("app_home_opened",),
        ) as slack,
    ):
        app = bolt_app(slack)

        parts = Services(
            settings=Settings(
                domain_tracker_url="http://127.0.0.1:9",
                slack_bot_token=SecretStr(slack.bot_token),
                slack_signing_secret=SecretStr(slack.signing_secret),
            ),
            documents=cast(Any, documents),
            ring=RING,
            tasks=tasks,
            slack=cast(Any, None),
            installations=cast(Any, None),
            posting=cast(Any, posts),
            replies=Replies(http),
            tracker_http=tracker_http,
            clock=clock,
            metrics=Metrics(role="all", store="sqlite"),
            seen=Dedup(clock=clock.seconds),
        )
        with pytest.MonkeyPatch.context() as patch:
            for name, make in fakes.items():
                patch.setattr(features, name, noted(name, make))
            features.register_features(app, parts)
        running = kind(
            slack,
            app,
            clock,
            documents,
            posts,
            tasks,
            made["Features"],
            made["Dispatcher"],
            made["HomeListeners"],
        )
        async with by_http(app, slack):
            yield running
            if not tracker:
                running.lists.gate.set()
            await running.quiet()


class AdminBot(Bot):
    """There is a key in use and one before it; `tracker` is the service."""

    tracker: FakeTracker

    async def name(self, *names: str) -> None:
        """Let people be the managers, by their names."""
        people = tuple(self.slack.person(name).id for name in names)
        await self.permissions.name_managers(self.workspace, people)

    async def pair(self) -> KeyPair | None:
        return await self.keys.pair(self.workspace)

    async def earlier(self) -> KeyRecord | None:
        pair = await self.pair()
        return pair.earlier.record if pair and pair.earlier else None

    async def acts(self) -> list[Act]:
        return [entry.act for entry in await self.audit.entries(self.workspace)]

    async def stored(self) -> list[object]:
        return [*await self.documents.list_prefix("")]

    def metadata(self, note: str | None = None) -> str:
        way = [self.channel_id(), None, True]
        return json.dumps(way if note is None else [*way, note])

    def button(self, person: Person, action_id: str, value: str) -> SlackMessage:
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
async def running_admin_bot() -> AsyncIterator[AdminBot]:
    tracker = FakeTracker(a_domain())
    async with running_bot(AdminBot, tracker=tracker, clock=FakeClock()) as bot:
        bot.tracker = tracker
        for secret in (OLD, IN_USE):
            bot.clock.advance(60)
            await bot.keys.save(bot.workspace, a_draft(secret), set_by=bot.ada.id)
        yield bot
