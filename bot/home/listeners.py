"""Handle the Home tab: collect its data, publish it, handle its buttons."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import structlog

from bot.access.permissions import Permissions
from bot.blocks.builders import message_of
from bot.blocks.message import Message
from bot.blocks.window import OPEN_MESSAGES
from bot.digests.models import Digest, StoppedError
from bot.digests.screen import ViewVersions
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.dispatch.usage import greeting_message
from bot.domainkey.listeners import KeyState
from bot.domains.end_dates import KeptEndDates
from bot.domains.service import Portfolio, Snapshot
from bot.home.sections import REFRESH, HomePage, Reader, SetUp, refreshable
from bot.home.views import home_view
from bot.keys.key_record import NoKeyError
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member, publish_home
from bot.slack.errors import SlackError
from bot.slack.replies import Origin, Replies
from bot.store.documents import ConflictError, Documents, StoreError

logger = structlog.get_logger()
GREETED = "greeted"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeCollector:
    """Collects what a person may see from the store, Slack and the service.

    Permissions are checked each time. `digests` returns all digests of a workspace; raises
    StoreError. `reads_messages`: the operator wants command lines in messages.
    """

    permissions: Permissions
    key: KeyState
    portfolio: Portfolio
    ends: KeptEndDates
    digests: Callable[[WorkspaceId], Awaitable[list[Digest]]]
    explain: ExplainFailure
    owned_type: str
    reads_messages: bool = False

    async def ask(self, workspace: WorkspaceId) -> Snapshot | Exception:
        """Return the domains, at most a minute old, or the error; at most one request."""
        try:
            return await self.portfolio.snapshot(workspace)
        except Exception as error:
            if not isinstance(error, BotError):
                logger.exception("unforeseen failure")
            return error

    async def look(self, request: Request, domains: Snapshot | Exception | None) -> HomePage:
        """Return a person's page, `domains=None` while the service is asked; raise SlackError."""
        member = await request.fetch_member()
        if member.is_stranger:
            return HomePage(now=self.key.clock(), reader=Reader.STRANGER)
        reader = Reader.GUEST if member.is_guest else Reader.MEMBER
        begun = HomePage(now=self.key.clock(), reader=reader)
        ends = await self.ends.known(request.workspace, begun.now)
        begun = replace(begun, ends=ends, owned_type=self.owned_type)
        looked = await self._with_set_up(request, member, begun)
        if domains is None:
            kept = await self.portfolio.last_snapshot(request.workspace)
            return replace(looked, portfolio=kept, is_awaited=True)
        if isinstance(domains, Snapshot):
            return replace(looked, portfolio=domains)
        message = await self.explained(request, domains)
        is_connected = not isinstance(domains, NoKeyError)
        return replace(looked, portfolio=message, is_connected=is_connected)

    async def explained(self, request: Request, error: Exception) -> Message:
        """Return the message about a failure; log it under the same reference."""
        if not isinstance(error, NoKeyError):
            logger.warning("not on Home", request=request.reference, error=repr(error))
        return await self.explain(error, request)

    async def _with_set_up(self, request: Request, member: Member, begun: HomePage) -> HomePage:
        try:
            named = await self.key.managers.named(request.workspace)
            chosen = await self.key.audiences.chosen(request.workspace)
            begun = replace(begun, managers=named, audiences=chosen)
            if member.is_admin or await self.permissions.is_manager(request, member):
                return replace(begun, set_up=await self._set_up(request, member))
        except BotError as error:
            if member.is_admin:  # known without the store
                return replace(begun, set_up=await self.explained(request, error))
            logger.warning("a manager or not is unknown", error=repr(error))
        return begun

    async def _set_up(self, request: Request, member: Member) -> SetUp | Message:
        workspace = request.workspace
        try:
            return SetUp(
                key=await self.key.message_for(member, workspace),
                digests=[
                    digest
                    for digest in await self.digests(workspace)
                    if not digest.plan.is_own or digest.made_by == member.user_id
                ],
                zone=member.zone,
                reads_messages=self.reads_messages,
            )
        except StoreError as error:
            return await self.explained(request, error)


# If the domains take longer, the person sees everything else first.
FIRST_LOOK_AFTER_S = 1.0


@dataclass(kw_only=True)
class HomeScreen:
    """Draws the tab of a person; `draw` never raises.

    Of concurrent draws of this process the one begun last stays.
    """

    collector: HomeCollector
    replies: Replies
    _draws: ViewVersions = field(default_factory=ViewVersions, init=False)

    async def draw(self, request: Request) -> None:
        """Draw the tab of the person, at first without domains if the service is slow."""
        visit = Request(
            workspace=request.workspace,
            origin=Origin(request.origin.user_id),
            client=request.client,
            replies=self.replies,
        )
        number = self._draws.note(_name(visit))
        try:
            await self._draw(visit, number)
        except Exception as error:  # the tab must not stay empty
            if not isinstance(error, SlackError):
                logger.exception("unforeseen failure")
            message = await self.collector.explained(visit, error)
            await self._publish(visit, number, message_of(*refreshable(message)))

    async def _draw(self, visit: Request, number: int) -> None:
        visit.member = await visit.fetch_member()
        domains = None if visit.member.is_stranger else await self._asked(visit, number)
        await self._show(visit, number, domains)

    async def _asked(self, visit: Request, number: int) -> Snapshot | Exception:
        asking = asyncio.create_task(self.collector.ask(visit.workspace))
        try:
            await asyncio.wait({asking}, timeout=FIRST_LOOK_AFTER_S)
            if not asking.done():
                await self._show(visit, number, None)
            return await asking
        except asyncio.CancelledError:  # a stop: the tab must not go on saying "please wait"
            await self._show(visit, number, StoppedError("the process stops"))
            raise
        finally:
            asking.cancel()

    async def _show(
        self, visit: Request, number: int, domains: Snapshot | Exception | None
    ) -> None:
        if not self._draws.is_latest(_name(visit), number):
            return
        page = await self.collector.look(visit, domains)
        # Counting 10,000 domains takes some milliseconds: off the loop.
        await self._publish(visit, number, await asyncio.to_thread(home_view, page))

    async def _publish(self, visit: Request, number: int, page: Message) -> None:
        if self._draws.is_latest(_name(visit), number):
            with log_and_suppress("Home was not drawn", SlackError):
                await publish_home(visit.client, visit.origin.user_id, page)


def _name(request: Request) -> str:
    return f"{request.workspace}/{request.origin.user_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeListeners:
    """The listeners of the tab. Its buttons about keys and digests belong to those features."""

    screen: HomeScreen
    documents: Documents

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.event("app_home_opened", self.open)
        for button in (REFRESH, OPEN_MESSAGES):
            dispatcher.action(button, self.leave)
        dispatcher.boundary.after_home(self.follow)

    async def open(self, request: Request, event: Mapping[str, Any]) -> None:
        """Draw the tab when a person opens it, or greet them in the messages tab.

        https://docs.slack.dev/reference/events/app_home_opened
        """
        if event.get("tab") == "messages":
            await self._greet(request)
        if event.get("tab") == "home":
            await self.screen.draw(request)

    async def _greet(self, request: Request) -> None:
        """Show the commands to a person of the workspace who opens the conversation first."""
        if not await self._is_first_visit(request):
            return
        with log_and_suppress("not greeted", SlackError):
            if not (await request.fetch_member()).is_stranger:
                await request.reply(greeting_message())

    async def _is_first_visit(self, request: Request) -> bool:
        """Return whether a person is to be greeted: once, and never if the store fails."""
        workspace, user_id = request.workspace, request.origin.user_id
        with log_and_suppress("not greeted", StoreError), suppress(ConflictError):
            await self.documents.put(f"{workspace}/{GREETED}/{user_id}", {"v": 1}, if_rev=0)
            return True
        return False

    async def leave(self, request: Request, _value: str) -> None:
        """Accept a button with a link, and `Refresh`: a draw follows every press."""

    async def follow(self, request: Request) -> None:
        """Draw the tab after a press on it, or on a form opened from it."""
        await self.screen.draw(request)
