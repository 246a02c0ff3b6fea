"""The Home tab in real Bolt, with a local Slack, a store in memory and lists that may be slow."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.admin import Audiences, Audit, Managers
from bot.concurrency import Tasks
from bot.deferred_commands import DeferredCommands
from bot.listeners.domainkey import KeyState
from bot.listeners.error_boundary import ErrorBoundary, Failures
from bot.listeners.home import HomeCollector, HomeListeners, HomeScreen
from bot.listeners.interrupted import InflightTracker
from bot.listeners.permissions import Permissions
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.playground.slack import LocalSlack, Person, View, running_slack
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.service import Portfolio
from bot.shared_limits import QuotaService
from bot.slack.replies import Origin, Replies
from bot.slack.usergroups import UserGroups
from bot.store.encryption import KeyRing
from bot.tracker.rate_limit import RateLimiter
from bot.workspace import WorkspaceId
from tests.builders import a_domain
from tests.digests.office import Office
from tests.fakes import TIME_LIMIT_S, FakeLists
from tests.listeners.digests.room import SCOPES
from tests.playground.slack.bolt import bolt_app, by_http


@dataclass
class Room:
    """`ada` is an admin, `bob` and `cy` are members, `gus` is a guest, `zoe` a stranger."""

    slack: LocalSlack
    client: AsyncWebClient
    office: Office
    tasks: Tasks
    dispatcher: Dispatcher
    managers: Managers
    screen: HomeScreen
    portfolio: Portfolio

    @property
    def workspace(self) -> WorkspaceId:
        return WorkspaceId(self.slack.team_id)

    @property
    def lists(self) -> FakeLists:
        return self.office.lists

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    @property
    def ada(self) -> Person:
        return self.slack.person("ada")

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

        def look() -> View | None:
            home = (person or self.bob).home
            return home if home and words in home.everything else None

        return await self.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)

    async def window(self, words: str, person: Person | None = None) -> View:
        """Return the window over somebody's Home tab once it says that."""

        def look() -> View | None:
            form = (person or self.bob).form
            return form if form and words in form.everything else None

        return await self.slack.world.workspace.change_event.until(look, TIME_LIMIT_S)

    def direct(self, person: Person | None = None) -> list[str]:
        """Return what lies in somebody's messages with the bot."""
        return [message.everything for message in (person or self.bob).messages("dm")]

    async def redraw(self, person: Person | None = None) -> None:
        """Draw a tab that is open once more."""
        request = Request(
            workspace=self.workspace,
            origin=Origin((person or self.bob).id),
            client=self.client,
            replies=self.screen.replies,
        )
        await self.screen.draw(request)

    def draws(self) -> int:
        """Return how often a Home tab was published."""
        return sum(call.method == "views.publish" for call in self.slack.calls)


@asynccontextmanager
async def running_room() -> AsyncIterator[Room]:
    office, tasks = Office(), Tasks()
    office.lists.domains = (a_domain(), a_domain("www.example", 97))
    async with (
        aiohttp.ClientSession() as http,
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            clock=office.clock.seconds,
            scopes=SCOPES,
            events=("app_home_opened",),
        ) as slack,
    ):
        app = bolt_app(slack)
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url, session=http)

        kept = DeferredCommands(office.documents, KeyRing({"k1": b"1" * 32}), clock=office.clock)
        managers, audiences = Managers(office.documents), Audiences(office.documents)
        replies = Replies(http)
        allowances = QuotaService(office.documents, office.keys, RateLimiter(), Tasks())
        rights = Permissions(managers, audiences, UserGroups())
        failures = Failures(
            office.keys,
            kept,
            allowances,
            egress_addresses=(),
            clock=office.clock,
            permissions=rights,
        )
        boundary = ErrorBoundary(tasks, failures, inflight=InflightTracker())
        dispatcher = Dispatcher(app, boundary, replies)
        portfolio = Portfolio(office.lists, clock=office.clock)
        collector = HomeCollector(
            permissions=rights,
            key=KeyState(
                keys=office.keys,
                managers=managers,
                audiences=audiences,
                allowances=allowances,
                clock=office.clock,
            ),
            audit=Audit(office.documents, clock=office.clock),
            portfolio=portfolio,
            ends=KeptEndDates(office.documents),
            digests=office.repository.of_workspace,
            failures=failures,
        )
        screen = HomeScreen(collector=collector, replies=replies)
        HomeListeners(screen=screen, documents=office.documents).register(dispatcher)
        async with by_http(app, slack):
            yield Room(slack, client, office, tasks, dispatcher, managers, screen, portfolio)
            office.lists.gate.set()
            await tasks.drain(TIME_LIMIT_S)
