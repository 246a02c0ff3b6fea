"""Offer the domains of a message, and the forms of shortcuts."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.dispatch.command_lines import CommandLines
from bot.dispatch.request import FormErrors, Request, Sent, draw_or_reply
from bot.dispatch.router import Dispatcher
from bot.domains.service import Portfolio
from bot.scans import shortcut_views as views
from bot.slack.replies import RESPONSES
from bot.tracker.hostnames import hosts_in


@dataclass(frozen=True, slots=True)
class ShortcutListeners:
    """The listeners about shortcuts."""

    portfolio: Portfolio
    lines: CommandLines

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.shortcut(views.SCAN, "/scan")
        dispatcher.shortcut(views.ADD, "/adddomain")
        dispatcher.shortcut(views.SCAN_MESSAGE, self.offer)
        dispatcher.view(views.FOUND_FORM, read_picked, self.run_picked, busy=views.busy_form)

    async def offer(self, request: Request, message: Mapping[str, Any]) -> None:
        if not (window := request.answer.window):
            return
        await window.show(views.LOOKING)  # within 3 s; the list may take longer
        hosts = await asyncio.to_thread(hosts_in, message)
        snapshot = await self.portfolio.snapshot(request.workspace)
        watched = [host for host in hosts if host in snapshot.by_host]
        others = [host for host in hosts if host not in snapshot.by_host]
        form = views.found_form(watched, others, request.as_metadata())
        request.answer.view_id = window.view_id
        await draw_or_reply(request, form, None)

    async def run_picked(self, request: Request, picked: list[tuple[str, str]]) -> None:
        """Run a command for each picked domain, one after the other."""
        for number, (command, host) in enumerate(picked):
            origin = request.origin
            if number >= RESPONSES:
                origin = replace(origin, response_url=None)
            # The form says "please wait".
            answer = replace(request.answer, origin=origin, view_id=None, sent=Sent.PROGRESS)
            each = replace(request, origin=origin, trigger_id=None, answer=answer)
            await self.lines.run(each, f"{command} {host}")
        await draw_or_reply(request, views.done_form(len(picked)), None)


def read_picked(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a command and a host for each picked domain; raise FormErrors if there is none."""
    commands = {views.SCAN_BLOCK: "/scan", views.ADD_BLOCK: "/adddomain"}
    picked = [
        (command, str(option["value"]))
        for block, command in commands.items()
        for option in values.get(block, {}).get(views.PICKED, {}).get("selected_options") or []
    ]
    if not picked:
        raise FormErrors({next(iter(values)): "Pick at least one domain."})
    return picked
