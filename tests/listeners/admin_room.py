"""What admins and managers do, in real Bolt, with a local Slack and a store in memory."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.admin import Act, Audiences, Audit, Managers, Named
from bot.api_keys.key_pair import KeyPair
from bot.api_keys.key_record import KeyRecord, StoredKey
from bot.api_keys.key_service import KeyService, WorkspaceTracker
from bot.api_keys.notifications import ManagerNotifier
from bot.api_keys.repository import Keys
from bot.concurrency import Tasks
from bot.deferred_commands import DeferredCommands
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery, DigestRenderer
from bot.digests.repository import DigestRepository
from bot.digests.service import DigestService
from bot.listeners.domaindigest import DigestListeners
from bot.listeners.domainkey import AdminListeners, KeyListeners, KeyState
from bot.listeners.domainkey_forms import KeyFormListeners
from bot.listeners.error_boundary import ErrorBoundary, Failures
from bot.listeners.interrupted import InflightTracker
from bot.listeners.modals import DigestScreen, KeyScreen
from bot.listeners.permissions import DigestAccess, Permissions
from bot.listeners.router import Dispatcher
from bot.message import Block
from bot.message import Message as BotMessage
from bot.playground.slack import LocalSlack, Message, Person, View, running_slack
from bot.playground.slack.refusals import CommandFailed, FormError, NothingToPress
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.service import Portfolio
from bot.shared_limits import QuotaService
from bot.slack.client import open_form
from bot.slack.replies import Replies
from bot.slack.usergroups import UserGroups
from bot.tracker.rate_limit import RateLimiter
from bot.views.admin import appointed_message
from bot.views.blocks import actions, button, notice, section
from bot.views.digests.alert import alert_message
from bot.views.digests.post import announcement_message, digest_message, heartbeat_message
from bot.workspace import WorkspaceId
from tests.api_keys.test_repository import RING, a_draft
from tests.builders import KEY, a_domain
from tests.fakes import TIME_LIMIT_S, FakeClock, FakePosts, FakeTracker
from tests.memory import MemoryDocuments
from tests.playground.slack.bolt import bolt_app, by_http

SCOPES = (
    *("commands", "chat:write", "im:write", "users:read"),
    *("channels:read", "groups:read", "usergroups:read"),
)
OLD, IN_USE, NEW = KEY.replace("Q", "O"), KEY, KEY.replace("Q", "R")
PRESS = "Press"
_NOT_SENT = (CommandFailed, FormError, NothingToPress)


@dataclass
class AdminRoom:
    """`ada` is an admin, `olga` an owner, `bob` and `cy` members, `gus` a guest, `zoe` a stranger.

    There is a key in use and one before it.
    """

    slack: LocalSlack
    client: AsyncWebClient
    documents: MemoryDocuments
    clock: FakeClock
    tasks: Tasks = field(default_factory=Tasks)
    tracker: FakeTracker = field(default_factory=lambda: FakeTracker(a_domain()))
    posts: FakePosts = field(default_factory=FakePosts)

    def __post_init__(self) -> None:
        self.keys = Keys(self.documents, RING, clock=self.clock)
        self.managers = Managers(self.documents)
        self.audit = Audit(self.documents, clock=self.clock)
        self.shelf = DigestRepository(self.documents)

    @property
    def workspace(self) -> WorkspaceId:
        return WorkspaceId(self.slack.team_id)

    @property
    def ada(self) -> Person:
        return self.slack.person("ada")

    def group_id(self, handle: str) -> str:
        groups = self.slack.world.workspace.user_groups.values()
        return next(group.id for group in groups if group.handle == handle)

    def fill_group(self, handle: str, *names: str) -> None:
        """Let these people, and no one else, be in a user group."""
        groups = self.slack.world.workspace.user_groups
        group = groups[self.group_id(handle)]
        members = tuple(self.slack.person(name).id for name in names)
        groups[group.id] = replace(group, members=members)

    async def name(self, *names: str, groups: tuple[str, ...] = ()) -> None:
        """Let people and user groups be the managers, by their names."""
        people = tuple(self.slack.person(name).id for name in names)
        ids = tuple(map(self.group_id, groups))
        await self.managers.name(self.workspace, Named(people, ids))

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
        channel = self.slack.world.workspace.channel_named("general")
        assert channel is not None
        way = [channel.id, None, True]
        return json.dumps(way if note is None else [*way, note])

    def post_button(self, person: Person, action_id: str, value: str) -> Message:
        """Let a message with a button stand in the channel; return it as that person sees it."""
        channel = self.slack.world.workspace.channel_named("general")
        assert channel is not None
        blocks = (section("A message"), *actions(button(PRESS, action_id, value)))
        message = BotMessage("A message", blocks)
        self.slack.world.posting.add(channel, message.as_args(), user=self.slack.bot_user_id)
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

    async def quiet(self) -> None:
        assert await self.tasks.drain(TIME_LIMIT_S)

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


def listeners_of(
    room: AdminRoom, dispatcher: Dispatcher, failures: Failures, permissions: Permissions
) -> None:
    """Attach everything that admins and managers do."""
    screen = KeyScreen(failures)
    connection = WorkspaceTracker(room.tracker, room.keys, on_refusal=_tell_nobody)
    portfolio = Portfolio(connection, clock=room.clock)
    key_service = KeyService(room.keys, connection, portfolio, room.audit)
    digests = _digests(room, portfolio)
    KeyListeners(
        permissions=permissions,
        key_service=key_service,
        state=KeyState(
            keys=room.keys,
            managers=room.managers,
            audiences=Audiences(room.documents),
            allowances=QuotaService(room.documents, room.keys, RateLimiter(), Tasks()),
            clock=room.clock,
        ),
        digests=digests,
        audit=room.audit,
        screen=screen,
    ).register(dispatcher)
    KeyFormListeners(
        permissions=permissions,
        keys=room.keys,
        key_service=key_service,
        deferred=DeferredCommands(room.documents, RING, clock=room.clock),
        lines=dispatcher.lines,
        digests=digests,
        screen=screen,
        clock=room.clock,
    ).register(dispatcher)
    AdminListeners(
        permissions=permissions,
        audit=room.audit,
        notifier=ManagerNotifier(room.posts, appointed_message, room.tasks),
        screen=screen,
    ).register(dispatcher)
    access = DigestAccess(digests, permissions)
    modals = DigestScreen(digests=digests, access=access, failures=failures, clock=room.clock)
    DigestListeners(digests=digests, access=access, screen=modals).register(dispatcher)


def _digests(room: AdminRoom, portfolio: Portfolio) -> DigestService:
    posts = FakePosts()
    collector = Collector(portfolio, room.shelf, KeptEndDates(room.documents), clock=room.clock)
    words = DigestRenderer(digest_message, heartbeat_message, announcement_message, alert_message)
    delivery = Delivery(room.shelf, collector, posts, words, clock=room.clock)
    return DigestService(
        room.shelf,
        collector,
        delivery,
        clock=room.clock,
        notes=room.audit.note_digest,
    )


async def _tell_nobody(workspace: WorkspaceId, key: StoredKey) -> None:
    return None


@asynccontextmanager
async def running_admin_room(
    documents: MemoryDocuments | None = None,
) -> AsyncIterator[AdminRoom]:
    documents, clock = documents or MemoryDocuments(), FakeClock()
    async with (
        aiohttp.ClientSession() as http,
        running_slack(
            answers_within_s=TIME_LIMIT_S,
            clock=clock.seconds,
            commands=["/domainkey", "/domaindigest"],
            scopes=SCOPES,
        ) as slack,
    ):
        app = bolt_app(slack)
        room = AdminRoom(slack, app.client, documents, clock)
        for secret in (OLD, IN_USE):
            clock.advance(60)
            await room.keys.save(room.workspace, a_draft(secret), set_by=room.ada.id)
        kept = DeferredCommands(documents, RING, clock=clock)
        rights = Permissions(room.managers, Audiences(documents), UserGroups(clock=clock.seconds))
        failures = Failures(
            room.keys,
            kept,
            QuotaService(room.documents, room.keys, RateLimiter(), Tasks()),
            egress_addresses=(),
            clock=clock,
            permissions=rights,
        )
        boundary = ErrorBoundary(room.tasks, failures, inflight=InflightTracker())
        dispatcher = Dispatcher(app, boundary, Replies(http))
        listeners_of(room, dispatcher, failures, rights)
        async with by_http(app, slack):
            yield room
            await room.quiet()
