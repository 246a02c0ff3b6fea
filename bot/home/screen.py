"""Draw the Home tab of a person: what is opened or pressed, and while the service is slow."""

import asyncio
from dataclasses import dataclass, field, replace

import structlog

from bot.blocks.builders import message_of
from bot.blocks.message import Message
from bot.digests.models import StoppedError
from bot.digests.screen import ViewVersions
from bot.dispatch.answer import Answer
from bot.dispatch.request import Request
from bot.domains.service import Snapshot
from bot.home.collector import HomeCollector
from bot.home.views import home_view, refreshable
from bot.process.errors import log_and_suppress
from bot.slack.client import publish_home
from bot.slack.errors import SlackError
from bot.slack.replies import Origin, Replies

logger = structlog.get_logger()
# If the domains take longer, the person sees everything else first.
FIRST_DRAW_AFTER_S = 1.0


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
        origin, client = Origin(request.origin.user_id), request.client
        answer = Answer(origin=origin, client=client, replies=self.replies)
        visit = Request(workspace=request.workspace, origin=origin, client=client, answer=answer)
        number = self._draws.note(_name(visit))
        try:
            await self._draw(visit, number)
        except Exception as error:  # the tab must not stay empty
            if not isinstance(error, SlackError):
                logger.exception("unforeseen failure")
            message = await self.collector.explained(visit, error)
            await self._publish(visit, number, message_of(*refreshable(message)))

    async def _draw(self, visit: Request, number: int) -> None:
        member = await visit.fetch_member()
        visit = replace(visit, member=member)
        domains = None if member.is_stranger else await self._asked(visit, number)
        await self._show(visit, number, domains)

    async def _asked(self, visit: Request, number: int) -> Snapshot | Exception:
        asking = asyncio.create_task(self.collector.fetch_domains(visit.workspace))
        try:
            await asyncio.wait({asking}, timeout=FIRST_DRAW_AFTER_S)
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
        page = await self.collector.fetch_page(visit, domains)
        # Counting 10,000 domains takes some milliseconds: off the loop.
        await self._publish(visit, number, await asyncio.to_thread(home_view, page))

    async def _publish(self, visit: Request, number: int, page: Message) -> None:
        if self._draws.is_latest(_name(visit), number):
            with log_and_suppress("Home was not drawn", SlackError):
                await publish_home(visit.client, visit.origin.user_id, page)


def _name(request: Request) -> str:
    return f"{request.workspace}/{request.origin.user_id}"
