"""Draw the Home tab and handle its buttons; greet who opens the conversation."""

import asyncio
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import structlog

from bot.access.permissions import Permissions
from bot.blocks.builders import message_of
from bot.blocks.message import Message
from bot.digests.models import StoppedError
from bot.digests.repository import DigestRepository
from bot.dispatch.commands import Audience
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.request import OPEN_MESSAGES, Request, request_from
from bot.dispatch.router import Dispatcher
from bot.dispatch.usage import greeting_message
from bot.domainkey.service import KeyService
from bot.domains.kept_facts import FactsRepository
from bot.domains.service import Portfolio, Snapshot
from bot.home.views import REFRESH, HomePage, home_view, refreshable
from bot.keys.key_record import NoKeyError
from bot.process.errors import BotError, log_and_suppress
from bot.slack.client import Member, publish_home
from bot.slack.errors import SlackError
from bot.slack.replies import Origin, Replies
from bot.store.documents import ConflictError, Documents, StoreError

logger = structlog.get_logger()
GREETED = "greeted"
# If the domains take longer, the person sees everything else first.
FIRST_DRAW_AFTER_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeListeners:
    """Draw the tab of a person after all that happens on it; `draw` never raises.

    Of concurrent draws of this process the one begun last stays. Permissions are checked each
    time. The buttons about keys and digests belong to those features.
    """

    permissions: Permissions
    key_service: KeyService
    portfolio: Portfolio
    kept_facts: FactsRepository
    digests: DigestRepository
    documents: Documents
    explain: ExplainFailure
    replies: Replies
    latest: MutableMapping[str | None, str]
    reads_messages: bool = False

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.event("app_home_opened", self.open)
        for button in (REFRESH, OPEN_MESSAGES):
            dispatcher.action(button, self.leave)
        dispatcher.boundary.after_home = self.draw

    async def open(self, request: Request, event: Mapping[str, Any]) -> None:
        """Draw the tab when a person opens it, or greet them in the messages tab.

        https://docs.slack.dev/reference/events/app_home_opened
        """
        if event.get("tab") == "messages":
            await self._greet(request)
        if event.get("tab") == "home":
            await self.draw(request)

    async def _greet(self, request: Request) -> None:
        """Show the commands to a person of the workspace once, and never if the store fails."""
        workspace, user_id = request.workspace, request.origin.user_id
        with log_and_suppress("not greeted", StoreError, SlackError), suppress(ConflictError):
            await self.documents.put(f"{workspace}/{GREETED}/{user_id}", {"v": 1}, if_rev=0)
            if not (await request.fetch_member()).is_stranger:
                await request.reply(greeting_message())

    async def leave(self, request: Request, _value: str) -> None:
        """Accept a button with a link, and `Refresh`: a draw follows every press."""

    async def draw(self, request: Request) -> None:
        """Draw the tab of the person, at first without domains if the service is slow."""
        origin = Origin(request.origin.user_id)
        visit = request_from(request.workspace, origin, request.client, self.replies)
        self.latest[_name(visit)] = visit.reference
        try:
            member = await visit.fetch_member()
            visit = replace(visit, member=member)
            domains = None if member.is_stranger else await self._fetch_domains(visit)
            await self._show(visit, domains)
        except Exception as error:  # the tab must not stay empty
            if not isinstance(error, SlackError):
                logger.exception("unforeseen failure")
            message = await self._explained(visit, error)
            await self._publish(visit, message_of(*refreshable(message)))

    async def _fetch_domains(self, visit: Request) -> Snapshot | Exception:
        """Return the domains, at most a minute old, or the error; at most one request."""
        asking = asyncio.create_task(self.portfolio.snapshot(visit.workspace))
        try:
            await asyncio.wait({asking}, timeout=FIRST_DRAW_AFTER_S)
            if not asking.done():
                await self._show(visit, None)
            return await asking
        except asyncio.CancelledError:  # a stop: the tab must not go on saying "please wait"
            await self._show(visit, StoppedError("the process stops"))
            raise
        except Exception as error:
            if not isinstance(error, BotError):
                logger.exception("unforeseen failure")
            return error
        finally:
            asking.cancel()

    async def _show(self, visit: Request, domains: Snapshot | Exception | None) -> None:
        """Draw the tab; `domains=None` while the service is asked."""
        if self.latest.get(_name(visit), visit.reference) == visit.reference:
            page = await self._fetch_page(visit, domains)
            # Counting 10,000 domains takes some milliseconds: off the loop.
            await self._publish(visit, await asyncio.to_thread(home_view, page))

    async def _publish(self, visit: Request, page: Message) -> None:
        if self.latest.get(_name(visit), visit.reference) == visit.reference:
            with log_and_suppress("Home was not drawn", SlackError):
                await publish_home(visit.client, visit.origin.user_id, page)

    async def _fetch_page(self, visit: Request, domains: Snapshot | Exception | None) -> HomePage:
        member, now = await visit.fetch_member(), self.portfolio.clock()
        if member.is_stranger:
            return HomePage(now=now, audience=None)
        page = HomePage(
            now=now,
            audience=Audience.GUESTS if member.is_guest else Audience.MEMBERS,
            facts=await self.kept_facts.known(visit.workspace, now),
            owned_type=self.portfolio.owned_type,
            zone=member.zone,
            reads_messages=self.reads_messages,
        )
        page = await self._with_set_up(visit, member, page)
        if isinstance(domains, Exception):
            is_connected = not isinstance(domains, NoKeyError)
            message = await self._explained(visit, domains)
            return replace(page, portfolio=message, is_connected=is_connected)
        listed = domains or await self.portfolio.last_snapshot(visit.workspace)
        return replace(page, portfolio=listed, is_awaited=domains is None)

    async def _with_set_up(self, visit: Request, member: Member, page: HomePage) -> HomePage:
        """Return the page with what admins and managers see, or whom others ask."""
        workspace, manages = visit.workspace, member.is_admin  # known without the store
        try:
            named = await self.permissions.managers(workspace)
            chosen = await self.permissions.audiences(workspace)
            page = replace(page, managers=named, audiences=chosen)
            manages = manages or await self.permissions.is_configurer(workspace, member)
            if not manages:
                return page
            listed = await self.digests.of_workspace(workspace)
            key = await self.key_service.state_message(member, workspace)
            digests = [d for d in listed if not d.plan.is_own or d.made_by == member.user_id]
            page = replace(page, digests=digests)
        except BotError as error:
            if not manages:
                logger.warning("a manager or not is unknown", error=repr(error))
                return page
            key = await self._explained(visit, error)
        return replace(page, audience=Audience.MANAGERS, key=key)

    async def _explained(self, visit: Request, error: Exception) -> Message:
        """Return the message about a failure; log it under the same reference."""
        if not isinstance(error, NoKeyError):
            logger.warning("not on Home", request=visit.reference, error=repr(error))
        return await self.explain(error, visit)


def _name(request: Request) -> str:
    return f"{request.workspace}/{request.origin.user_id}"
