"""The bot's own listeners in real Bolt, with a local Slack and a store in memory."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar, cast

import aiohttp
import httpx
import pytest
from pydantic import SecretStr
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.app import features
from bot.app.services import Services, Stored, build_shared_state
from bot.blocks.builders import actions, button, section
from bot.blocks.message import Message
from bot.dispatch.commands import COMMANDS
from bot.dispatch.deferred_commands import DeferredCommands
from bot.dispatch.interrupted import InflightTracker
from bot.dispatch.router import Dispatcher
from bot.home.listeners import HomeScreen
from bot.playground.slack import LocalSlack, Person, View, running_slack
from bot.process.concurrency import Tasks
from bot.process.workspace import WorkspaceId
from bot.settings import Settings
from bot.slack.replies import Replies
from bot.slack.usergroups import UserGroups
from bot.store.encryption import KeyRing
from bot.web.metrics import Metrics
from tests.builders import a_domain
from tests.digests.office import EVE, DocumentsOnDisk
from tests.fakes import TIME_LIMIT_S, FakeClock, FakeLists, FakePosts, FakeTracker
from tests.playground.slack.bolt import bolt_app, by_http

SCOPES = (
    *("commands", "chat:write", "im:write", "users:read"),
    *("channels:read", "groups:read", "usergroups:read"),
)
RING = KeyRing({"k1": b"1" * 32})


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

    def __init__(self, *_parts: object, **_how: object) -> None:
        super().__init__(a_domain(score=41))


@dataclass
class Running:
    """`ada` is an admin, `olga` an owner, `bob` and `cy` members, `gus` a guest, `zoe` a stranger.

    `lists` stands for the service and the keys, unless `tracker` stands for the service alone.
    """

    slack: LocalSlack
    app: AsyncApp
    clock: FakeClock
    documents: DocumentsOnDisk
    posts: FakePosts
    tasks: Tasks
    cases: features.UseCases
    dispatcher: NotingDispatcher
    screen: HomeScreen

    def __post_init__(self) -> None:
        self.desk, self.repository = self.cases.digests, self.cases.repository
        self.portfolio, self.rights = self.cases.portfolio, self.cases.admin.permissions
        self.keys, self.managers = self.cases.admin.keys, self.cases.admin.managers
        self.audit = self.cases.admin.audit

    @property
    def lists(self) -> FakeConnection:
        return cast(FakeConnection, self.cases.tracker)

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


R = TypeVar("R", bound=Running)


@asynccontextmanager
async def running_listeners(
    kind: type[R],
    *,
    tracker: FakeTracker | None = None,
    clock: FakeClock | None = None,
) -> AsyncIterator[R]:
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
        "UseCases": features.UseCases,
        "Dispatcher": NotingDispatcher,
        "HomeScreen": HomeScreen,
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
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, session=http)

        async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
            return client

        stored = Stored(documents=cast(Any, documents), ring=RING)
        parts = Services(
            settings=Settings(
                domain_tracker_url="http://127.0.0.1:9",
                slack_bot_token=SecretStr(slack.bot_token),
                slack_signing_secret=SecretStr(slack.signing_secret),
            ),
            documents=stored.documents,
            ring=RING,
            deferred=DeferredCommands(documents, RING, clock=clock),
            tasks=tasks,
            client_for=client_for,
            posting=cast(Any, posts),
            replies=Replies(http),
            tracker_http=tracker_http,
            clock=clock,
            metrics=Metrics(role="all", store="sqlite"),
            commons=build_shared_state(stored),
            inflight=InflightTracker(),
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
            made["UseCases"],
            made["Dispatcher"],
            made["HomeScreen"],
        )
        async with by_http(app, slack):
            yield running
            if not tracker:
                running.lists.gate.set()
            await running.quiet()
