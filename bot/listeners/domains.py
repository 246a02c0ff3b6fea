"""Handle `/domains`: the portfolio, worst first, in pages, shared on demand."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

import structlog

from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.message import Message
from bot.portfolio.query import parse_query, select
from bot.portfolio.service import Portfolio, Snapshot
from bot.tracker.models import UnavailableError
from bot.views.domains import SHARE_DOMAINS, domains_message, outdated_message
from bot.views.usage import shared_already_message
from bot.workspace import WorkspaceId

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DomainsListeners:
    """The listeners about the list of domains."""

    portfolio: Portfolio
    clock: Callable[[], datetime]

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/domains", self.list_domains)
        dispatcher.on_press(SHARE_DOMAINS, self.share, once=shared_already_message())

    async def list_domains(self, request: Request, text: str) -> None:
        """Answer `/domains [filter]`."""
        await request.reply(await self._message(request, text))

    async def share(self, request: Request, text: str) -> None:
        """Show the same list to the whole channel."""
        member = await request.fetch_member()
        await request.share(await self._message(request, text, shared_by=member.name))

    async def _message(
        self, request: Request, text: str, *, shared_by: str | None = None
    ) -> Message:
        query = parse_query(text)
        snapshot, is_present = await self._snapshot(request.workspace)
        # Sorting and packing 10,000 domains takes tens of milliseconds: off the loop.
        found = await asyncio.to_thread(select, snapshot.domains, query)
        message = await asyncio.to_thread(
            domains_message, snapshot, found, query, shared_by=shared_by
        )
        if is_present:
            return message
        again = None if shared_by else query
        return outdated_message(message, snapshot.listed_at, self.clock(), again)

    async def _snapshot(self, workspace: WorkspaceId) -> tuple[Snapshot, bool]:
        """Return the list, and whether it is the present one, not the last one known.

        Raises:
            TrackerError, NoKeyError: as `Portfolio.snapshot`; no list is known either.
        """
        try:
            return await self.portfolio.snapshot(workspace), True
        except UnavailableError as error:
            last = await self.portfolio.last_snapshot(workspace)
            if last is None:
                raise
            logger.warning("showing the last list", error=repr(error), since=str(last.listed_at))
            return last, False
