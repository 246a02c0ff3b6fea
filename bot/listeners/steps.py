"""Run the custom steps of workflows: a scan, and the health of a domain as it is known."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bot.hostnames import host_name
from bot.listeners.request import Request
from bot.listeners.router import Dispatcher
from bot.portfolio.end_dates import KeptEndDates
from bot.portfolio.query import host_of
from bot.portfolio.service import Portfolio
from bot.scans import NoScanError, Scans
from bot.tracker.models import Domain
from bot.views.steps import Outputs, health_outputs, scan_outputs


@dataclass(frozen=True, slots=True)
class StepListeners:
    """The steps that `manifest.workflow.yml` describes.

    Their requests to the service count as those of people: the reserve stays with the digests.
    """

    portfolio: Portfolio
    scans: Scans
    ends: KeptEndDates
    clock: Callable[[], datetime]

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every step of this class."""
        dispatcher.on_step("scan_domain", self.scan)
        dispatcher.on_step("get_domain_health", self.get_health)

    async def scan(self, request: Request, inputs: Mapping[str, Any]) -> Outputs:
        """Scan the domain now."""
        domain = await self._domain(request, inputs)
        report = await self.scans.run(request.workspace, domain)
        return await asyncio.to_thread(scan_outputs, report)

    async def get_health(self, request: Request, inputs: Mapping[str, Any]) -> Outputs:
        """Return the listed score, and what the last scan said."""
        domain = await self._domain(request, inputs)
        now, workspace, host = self.clock(), request.workspace, host_of(domain)
        try:
            last = await self.scans.last(workspace, host)
        except NoScanError:
            last = None
        known = await self.ends.known(workspace, now)
        return health_outputs(domain, last, known.by_host.get(host) if known else None, now)

    async def _domain(self, request: Request, inputs: Mapping[str, Any]) -> Domain:
        host = host_name(str(inputs.get("domain") or ""))
        snapshot = await self.portfolio.snapshot(request.workspace)
        return await asyncio.to_thread(snapshot.find, host)
