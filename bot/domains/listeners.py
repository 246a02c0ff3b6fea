"""Handle `/domains`: the portfolio, worst first, in pages, shared on demand."""

from dataclasses import dataclass

import structlog

from bot.blocks.message import Message
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.domains.csv_file import domains_csv, export_text, exported_message, file_name
from bot.domains.kept_facts import FactsRepository, KnownFacts
from bot.domains.lookup import host_of
from bot.domains.query import Query, parse_query, select
from bot.domains.service import Portfolio, ShownScores, Snapshot
from bot.domains.views import (
    EXPORT_DOMAINS,
    SHARE_DOMAINS,
    domains_message,
    filter_text,
    outdated_message,
    page_of,
)
from bot.process.concurrency import compute
from bot.slack.client import open_direct, upload_file
from bot.tracker.models import Domain, UnavailableError

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class DomainsListeners:
    """The listeners about the list of domains."""

    portfolio: Portfolio
    kept_facts: FactsRepository
    shown: ShownScores

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/domains", self.list_domains)
        dispatcher.action(SHARE_DOMAINS, self.share, once=True)
        dispatcher.action(EXPORT_DOMAINS, self.export)

    async def list_domains(self, request: Request, text: str) -> None:
        """Answer `/domains [filter]`, with the last list known if the service is unavailable."""
        query = parse_query(text)
        try:
            snapshot = await self.portfolio.snapshot(request.workspace)
        except UnavailableError as error:
            last = await self.portfolio.last_snapshot(request.workspace)
            if last is None:
                raise
            logger.warning("showing the last list", error=repr(error), since=str(last.listed_at))
            message = await self._message(request, last, query)
            message = outdated_message(message, last.listed_at, self.portfolio.clock(), query)
        else:
            message = await self._message(request, snapshot, query)
        await request.reply(message)

    async def share(self, request: Request, text: str) -> None:
        query, member = parse_query(text), await request.fetch_member()
        snapshot = await self.portfolio.snapshot(request.workspace)
        message = await self._message(request, snapshot, query, shared_by=member.name)
        await request.answer.share(message)

    async def export(self, request: Request, text: str) -> None:
        """Send the same list, as it is now, as a CSV file: Slack has no ephemeral ones.

        The button is there also where `files:write` is not granted: Slack's refusal names the
        permission, and the answer says who grants it.
        """
        snapshot = await self.portfolio.snapshot(request.workspace)
        query = parse_query(text)
        name = file_name(filter_text(query), self.portfolio.clock())
        found, known = await self._found(request, snapshot, query, is_needed=True)
        file = await compute(len(found), domains_csv, found, known)
        direct = await open_direct(request.client, request.origin.user_id)
        await upload_file(request.client, direct, name, file, export_text(len(found)))
        await request.reply(exported_message(name, len(found)))

    async def _message(
        self, request: Request, snapshot: Snapshot, query: Query, *, shared_by: str | None = None
    ) -> Message:
        found, known = await self._found(request, snapshot, query)
        if shared_by is None:
            reader = request.workspace, request.origin.user_id
            for each in page_of(found, query.page).domains:
                self.shown[*reader, host_of(each)] = each.health_score
        count, owned_type = len(snapshot.domains), self.portfolio.owned_type
        return await compute(
            count, domains_message, snapshot, found, query, known, owned_type, shared_by
        )

    async def _found(
        self, request: Request, snapshot: Snapshot, query: Query, *, is_needed: bool = False
    ) -> tuple[list[Domain], KnownFacts | None]:
        known = await self.kept_facts.known(
            request.workspace, self.portfolio.clock(), is_needed=is_needed or query.needs_ends
        )
        domains = snapshot.domains
        return await compute(len(domains), select, domains, query, known), known
