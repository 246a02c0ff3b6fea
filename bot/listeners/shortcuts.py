"""Handle the shortcuts: forms from anywhere, and the domains in a message."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bot.hostnames import hosts_in
from bot.listeners.request import FormErrors, Request, draw_or_reply
from bot.listeners.router import CommandLines, Dispatcher
from bot.portfolio.service import Portfolio
from bot.slack.client import put_form
from bot.views import shortcuts as views


@dataclass(frozen=True, slots=True)
class ShortcutListeners:
    """The listeners about shortcuts."""

    portfolio: Portfolio
    lines: CommandLines

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_shortcut(views.SCAN, "/scan")
        dispatcher.on_shortcut(views.ADD, "/adddomain")
        dispatcher.on_shortcut(views.SCAN_MESSAGE, self.offer)
        dispatcher.on_form(views.FOUND_FORM, read_picked, self.run_picked, busy=views.busy_form)

    async def offer(self, request: Request, message: Mapping[str, Any]) -> None:
        """Open a form with the domains in a message."""
        if not (window := request.window):
            return
        await window.show(views.looking_message())  # within 3 s; the list may take longer
        hosts = await asyncio.to_thread(hosts_in, message)
        snapshot = await self.portfolio.snapshot(request.workspace)
        watched = [host for host in hosts if host in snapshot.by_host]
        others = [host for host in hosts if host not in snapshot.by_host]
        form = views.found_form(watched, others, request.as_metadata())
        await draw_or_reply(request, put_form(request.client, window.view_id or "", form), None)

    async def run_picked(self, request: Request, lines: list[str]) -> None:
        """Run the command lines of a submitted form, one after the other."""
        for line in lines:
            each = replace(request, trigger_id=None, view_id=None, view_hash=None)
            each.has_spoken = True  # the form says "please wait"
            await self.lines.run(each, line)
        form = views.done_form(len(lines))
        await draw_or_reply(request, put_form(request.client, request.view_id or "", form), None)


def read_picked(values: Mapping[str, Any]) -> list[str]:
    """Return the command lines for what was picked; raise FormErrors if nothing was."""
    commands = {views.SCAN_BLOCK: "/scan", views.ADD_BLOCK: "/adddomain"}
    lines = [
        f"{command} {picked['value']}"
        for block, command in commands.items()
        for picked in values.get(block, {}).get(views.PICKED, {}).get("selected_options") or []
    ]
    if not lines:
        raise FormErrors({next(iter(values)): "Pick at least one domain."})
    return lines
