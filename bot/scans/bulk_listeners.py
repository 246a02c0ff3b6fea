"""Handle bulk scans: the price behind `/scan`, then `Start` and `Stop`."""

import asyncio
import json
from dataclasses import dataclass

from bot.access.permissions import Permissions
from bot.dispatch.command_text import split_words
from bot.dispatch.request import Request
from bot.dispatch.router import Dispatcher
from bot.domains.kept_facts import FactsRepository, KnownFacts
from bot.domains.lookup import nearest
from bot.domains.query import Query, parse_query, query_text, select
from bot.domains.service import Portfolio, Snapshot
from bot.domains.views import domains_message
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.concurrency import compute
from bot.scans import bulk_summary
from bot.scans import bulk_views as views
from bot.scans.bulk_record import BulkScan, BulkScanOverError, BulkScanRunsError, items_of
from bot.scans.bulk_runner import BulkScans
from bot.tracker.hostnames import HostNameError, host_name
from bot.tracker.models import Domain

# Before the id of a bulk scan, of which the rest is meant: no typed line begins with a tab.
_REST = "\t"


def _query(text: str) -> Query | None:
    """Return the filter that a text is, `None` for names; raise NotUnderstoodError."""
    is_filter = not text.startswith(_REST) and any(word.key for word in split_words(text))
    return parse_query(text) if is_filter else None


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkScanListeners:
    """The listeners about bulk scans. Each press that scans checks the right to scan again."""

    permissions: Permissions
    bulk: BulkScans
    portfolio: Portfolio
    kept_facts: FactsRepository
    tracker: WorkspaceTracker

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.action(views.START, self.start, replies=True)
        dispatcher.action(views.START_ALL, self.start)
        dispatcher.action(views.STOP, self.stop)
        dispatcher.action(bulk_summary.SHOW_LIST, self.show_list)
        dispatcher.action(bulk_summary.SCAN_REST, self.show_rest)

    async def show_price(self, request: Request, text: str) -> None:
        """Answer a filter or several names with what their scan costs."""
        query = _query(text)
        if (run := await self.bulk.last(request.workspace)) and not run.end:
            raise BulkScanRunsError(run)
        snapshot = await self.portfolio.snapshot(request.workspace)
        found, unknown, selection = await self._chosen(request, snapshot, text)
        if query and not found:
            known = await self._known(request, query)
            await request.reply(domains_message(snapshot, [], query, known))
            return
        allowance = await self.tracker.allowance(request.workspace)
        without_id = sum(not each.domain_id for each in found)
        items = await compute(len(found), items_of, found)
        message = views.price_message(items, unknown, selection, allowance, without_id=without_id)
        await request.reply(message)

    async def show_rest(self, request: Request, run_id: str) -> None:
        """Answer with the price of what a bulk scan left and of what failed."""
        await self.permissions.require(request, "scan")
        await self.show_price(request, f"{_REST}{run_id}")

    async def start(self, request: Request, selection: str) -> None:
        await self.permissions.require(request, "scan")
        snapshot = await self.portfolio.snapshot(request.workspace)
        found, _unknown, what = await self._chosen(request, snapshot, selection)
        if not (items := items_of(found)):  # since the price
            await self.show_price(request, selection)
            return
        shown = what if _query(selection) else ""
        run = await self.bulk.start(request.workspace, request.origin.user_id, items, shown)
        await request.reply(views.started_message(run, request.workspace.team_id))

    async def stop(self, request: Request, run_id: str) -> None:
        """Stop a bulk scan after its present domain: for who began it, and managers of the key."""
        run, person = await self._last(request, run_id), request.origin.user_id
        if run.asked_by != person:
            await self.permissions.require_configurer(request)
        await self.bulk.stop(request.workspace, run_id, person)
        if not request.message or request.message.get("ts") != run.ts:
            await request.reply(views.STOPPING)

    async def show_list(self, request: Request, value: str) -> None:
        run_id, title = json.loads(value)
        run = await self._last(request, run_id)
        await request.open_form(bulk_summary.list_form(run, title, self.bulk.clock()))

    async def _last(self, request: Request, run_id: str) -> BulkScan:
        run = await self.bulk.last(request.workspace)
        if run is None or run.run_id != run_id:
            raise BulkScanOverError("another one has begun")
        return run

    async def _known(self, request: Request, query: Query) -> KnownFacts | None:
        return await self.kept_facts.known(
            request.workspace, self.bulk.clock(), is_needed=query.needs_ends
        )

    async def _chosen(
        self, request: Request, snapshot: Snapshot, text: str
    ) -> tuple[list[Domain], views.Unknown, str]:
        """Return the chosen domains, names that are not known, and the text to choose again."""
        query, selection = _query(text), ""
        if text.startswith(_REST):
            if (last := await self.bulk.last(request.workspace)) and not last.end:
                raise BulkScanRunsError(last)
            run, selection = await self._last(request, text.removeprefix(_REST)), text
            text = " ".join(item.host for item in (*run.left, *run.failed))
        if query is None:
            found, unknown = await asyncio.to_thread(named, snapshot, text)
            if unknown:
                snapshot = await self.portfolio.sure_snapshot(request.workspace)
                found, unknown = await asyncio.to_thread(named, snapshot, text)
            return found, unknown, selection or " ".join(each.domain for each in found)
        known = await self._known(request, query)
        chosen = await compute(len(snapshot.domains), select, snapshot.domains, query, known)
        return chosen, [], query_text(query)


def named(snapshot: Snapshot, text: str) -> tuple[list[Domain], views.Unknown]:
    """Return the domains that a text names, and the other names: the first ones with the like."""
    found: dict[str, Domain] = {}
    unknown: dict[str, list[str]] = {}
    for word in split_words(text.replace(",", " ")):
        try:
            host = host_name(word.raw)
        except HostNameError:
            unknown[word.typed] = []
            continue
        if host in snapshot.by_host:
            found[host] = snapshot.by_host[host]
        else:
            is_shown = len(unknown) < views.MAX_UNKNOWN
            unknown[host] = nearest(snapshot.by_host, host) if is_shown else []
    return list(found.values()), list(unknown.items())
