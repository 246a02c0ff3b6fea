"""Handle `/scan`: one domain, its sections, the form to pick domains."""

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.access.permissions import Permissions
from bot.blocks.builders import option
from bot.blocks.message import Block
from bot.blocks.text import MAX_OPTION_VALUE_CHARS, host_text
from bot.dispatch.command_text import split_words
from bot.dispatch.request import FormErrors, Request
from bot.dispatch.router import Dispatcher
from bot.domains.lookup import suggestions
from bot.domains.service import Portfolio, ShownScores
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.concurrency import compute
from bot.scans import views
from bot.scans.bulk_listeners import BulkScanListeners
from bot.scans.service import Scans
from bot.slack.client import update_form
from bot.tracker.hostnames import host_name

# The value of the option that says that the service does not answer.
NO_ANSWER = "!"
# The value of a name that is too long for one begins so.
LONG_NAME = "#"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanListeners:
    """The listeners about scans."""

    permissions: Permissions
    tracker: WorkspaceTracker
    portfolio: Portfolio
    scans: Scans
    bulk: BulkScanListeners
    shown: ShownScores

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/scan", self.scan)
        dispatcher.action(views.SHARE_SCAN, self.share, once=True)
        dispatcher.action(views.SHOW_SECTION, self.show_section)
        dispatcher.action(views.TURN_SECTION, self.show_section)
        dispatcher.view(views.PICK_FORM, read_pick, self.scan_picked)
        no_answer = option(NO_ANSWER, "Domain Tracker does not answer right now")
        dispatcher.options(views.PICK_DOMAIN, self.offer_domains, otherwise=[no_answer])

    async def scan(self, request: Request, text: str) -> None:
        await self.permissions.require(request, "scan")
        words = split_words(text.replace(",", " "))
        if not words:
            await self.tracker.ready(request.workspace)
            await request.open_form(views.pick_form(request.as_metadata()))
        elif len(words) > 1 or words[0].key:
            await self.bulk.show_price(request, text)
        else:
            await self._scan(request, host_name(words[0].raw))

    async def scan_picked(self, request: Request, picked: Sequence[str]) -> None:
        """Scan the domain that was picked in the form, or show the price of several."""
        if any(each.startswith(LONG_NAME) for each in picked):
            snapshot = await self.portfolio.snapshot(request.workspace)
            hosts = {_value(host): host for host in snapshot.by_host}
            picked = [hosts.get(each, each) for each in picked]
        request.answer.command_line = f"/scan {' '.join(picked)}"
        await self.permissions.require(request, "scan")
        if len(picked) > 1:
            await self.bulk.show_price(request, " ".join(picked))
        else:
            await self._scan(request, picked[0])

    async def offer_domains(self, request: Request, typed: str) -> list[Block]:
        snapshot = await self.portfolio.snapshot(request.workspace)
        names = snapshot.by_host
        hosts = await compute(len(names), suggestions, names, typed)
        return [option(_value(host), host_text(host)) for host in hosts]

    async def share(self, request: Request, host: str) -> None:
        report = await self.scans.last(request.workspace, host)
        member = await request.fetch_member()
        await request.answer.share(views.scan_message(report, shared_by=member.name))

    async def show_section(self, request: Request, value: str) -> None:
        """Open the form of a section, or turn its page."""
        host, name, page = json.loads(value)
        report = await self.scans.last(request.workspace, host)
        metadata = request.as_metadata()
        form = await asyncio.to_thread(views.section_form, report, name, page, metadata)
        if view_id := request.answer.view_id:
            await update_form(request.client, view_id, form)
        else:
            await request.open_form(form)

    async def _scan(self, request: Request, host: str) -> None:
        snapshot = await self.portfolio.snapshot(request.workspace)
        if host not in snapshot.by_host:
            snapshot = await self.portfolio.sure_snapshot(request.workspace)
        domain = await compute(len(snapshot.domains), snapshot.find, host)
        ahead = self.tracker.api.scans_ahead(request.workspace)
        request.answer.lasting_word = views.waiting_message(host, ahead, is_lasting=True)
        if not request.origin.is_message:  # below a press it is said only if the scan takes long
            await request.answer.send_progress(views.waiting_message(host, ahead))
        report = await self.scans.run(request.workspace, domain)
        shown = request.workspace, request.origin.user_id, report.host
        message = await asyncio.to_thread(views.scan_message, report, self.shown.get(shown))
        await request.reply(message)
        self.shown[shown] = report.score_after


def read_pick(values: Mapping[str, Any]) -> list[str]:
    """Return the picked domains; raise FormErrors if there are none."""
    state = values[views.PICK_BLOCK][views.PICK_DOMAIN]
    options = state.get("selected_options") or []
    picked = [str(each["value"]) for each in options if each["value"] != NO_ANSWER]
    if not picked:
        raise FormErrors({views.PICK_BLOCK: "Please pick a domain, or try again in a minute."})
    return picked


def _value(host: str) -> str:
    """Return the value of a domain's option: its name, or what stands for a long one."""
    if len(host) <= MAX_OPTION_VALUE_CHARS:
        return host
    return LONG_NAME + hashlib.sha256(host.encode()).hexdigest()
