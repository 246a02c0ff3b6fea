"""Handle `/adddomain`: one line or a form."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from bot.api_keys.service import WorkspaceTracker
from bot.command_text import Word, quoted, split_words
from bot.errors import BotError
from bot.hostnames import HostNameError
from bot.listeners.error_boundary import Failures
from bot.listeners.permissions import CommandAccess
from bot.listeners.request import FormErrors, Once, Request, require_trigger
from bot.listeners.router import Dispatcher
from bot.message import Block
from bot.portfolio.add_domain import AlreadyAddedError, DomainAdder
from bot.portfolio.add_many import (
    DomainLists,
    NewDomains,
    Report,
    TooManyDomainsError,
    new_domains,
    parse_new_domains,
)
from bot.portfolio.service import Portfolio, Snapshot
from bot.slack.client import open_form
from bot.slack.errors import SlackError
from bot.views import adddomain as views
from bot.views import adddomain_list as list_views
from bot.views.errors import host_sentence, too_many_sentence
from bot.views.usage import at_it_message, pressed_already_message

logger = structlog.get_logger()
PROGRESS_EVERY_S = 3.0
# A response_url works five times: the first word, these but the last, and the summary.
PROGRESS_STEPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AddingListeners:
    """The listeners about adding domains. `owned_type` is the default type."""

    access: CommandAccess
    tracker: WorkspaceTracker
    portfolio: Portfolio
    adder: DomainAdder
    lists: DomainLists
    failures: Failures
    owned_type: str
    progress_every_s: float = PROGRESS_EVERY_S

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/adddomain", self.add)
        dispatcher.on_form(views.ADD_FORM, read_new_domains, self.add_described)
        once = Once(done=pressed_already_message(), running=at_it_message(), per_drawing=True)
        dispatcher.on_press(list_views.ADD_LIST, self.add_list, replies=True, once=once)
        dispatcher.on_options(
            views.TYPE_FIELD,
            self.offer_types,
            otherwise=views.label_options([self.owned_type], ""),
        )
        dispatcher.on_options(views.FOLDER_FIELD, self.offer_folders)
        dispatcher.on_options(views.TAGS_FIELD, self.offer_tags)

    async def add(self, request: Request, text: str) -> None:
        """Answer `/adddomain [domain …]`, and `/adddomain list:x` of a kept list."""
        await self.access.require(request, "add")
        match split_words(text):
            case []:
                require_trigger(request)
                await self.tracker.ready(request.workspace)
                form = views.add_form(request.as_metadata(), owned_type=self.owned_type)
                await open_form(request.client, request.trigger_id or "", form)
            case [Word(key="list", value=name)]:
                await self._ask(request, name, await self.lists.kept(request.workspace, name))
            case _:
                await self._add(request, parse_new_domains(text, owned_type=self.owned_type))

    async def add_described(self, request: Request, wanted: NewDomains) -> None:
        """Add the domain of a submitted form, or ask about its list."""
        # The line that would add the same, for `Try again`.
        new = next(iter(wanted))
        folder = [f"folder:{quoted(new.folder)}"] if new.folder else []
        tags = [f"tag:{quoted(tag)}" for tag in new.tags]
        words = ["/adddomain", new.host, f"type:{quoted(new.domain_type)}", *folder, *tags]
        request.command_line = " ".join(words)
        await self.access.require(request, "add")
        await self._add(request, wanted)

    async def add_list(self, request: Request, name: str) -> None:
        """Add a kept list after the press on `Add`."""
        request.command_line = list_views.list_line(name)
        await self.access.require(request, "add")
        report = Report(await self.lists.kept(request.workspace, name))
        request.on_stop = lambda: list_views.stopped_summary(name, report)
        show_progress = self._progress(request, report)
        await show_progress()
        await self.lists.add(request.workspace, report, show_progress)
        why = None
        if report.stopped_by:
            why = await self.failures.explain(report.stopped_by, request, request.reference)
        await request.reply(list_views.list_summary(name, report, why))

    def _progress(self, request: Request, report: Report) -> Callable[[], Awaitable[None]]:
        """Return what shows the progress: at first, then with each quarter of the list."""
        loop, step = asyncio.get_running_loop(), len(report.new.hosts) / PROGRESS_STEPS
        shown_at, next_at = 0.0, 0.0

        async def show() -> None:
            nonlocal shown_at, next_at
            done = len(report.outcomes)
            is_due = done >= next_at and loop.time() >= shown_at + self.progress_every_s
            can_replace = request.takes_place or request.window is not None
            if done and not (is_due and can_replace and done < len(report.new.hosts)):
                return
            shown_at, next_at = loop.time(), (done // step + 1) * step
            try:
                await request.send_progress(list_views.progress_message(report))
            except SlackError as error:
                logger.warning("progress message not sent", error=repr(error))

        return show

    async def offer_types(self, request: Request, typed: str) -> list[Block]:
        """Offer the types in use, and the one for owned domains."""
        used = await self._used(request, lambda snapshot: snapshot.domain_types)
        return views.label_options(dict.fromkeys([self.owned_type, *used]), typed)

    async def offer_folders(self, request: Request, typed: str) -> list[Block]:
        """Offer the folders in use."""
        return views.label_options(await self._used(request, lambda each: each.folders), typed)

    async def offer_tags(self, request: Request, typed: str) -> list[Block]:
        """Offer the tags in use."""
        return views.label_options(await self._used(request, lambda each: each.tags), typed)

    async def _used(self, request: Request, labels: Callable[[Snapshot], list[str]]) -> list[str]:
        """Return the labels in use; none if the service fails: new ones can be typed."""
        try:
            return labels(await self.portfolio.snapshot(request.workspace))
        except BotError as error:
            logger.warning("no labels to offer", error=repr(error))
            return []

    async def _add(self, request: Request, wanted: NewDomains) -> None:
        if wanted.is_list:
            await self._ask(request, await self.lists.keep(request.workspace, wanted), wanted)
            return
        new = next(iter(wanted))
        try:
            listed = await self.adder.add(request.workspace, new)
        except AlreadyAddedError as known:
            await request.reply(views.already_added_message(new.host, known.domain))
        else:
            await request.reply(views.added_message(new, listed))

    async def _ask(self, request: Request, name: str, new: NewDomains) -> None:
        """Ask whether to add a kept list."""
        request.command_line = list_views.list_line(name)
        listed = (await self.lists.listed(request.workspace)).by_host
        allowance = await self.failures.allowances.of(request.workspace)
        now = self.lists.clock()
        await request.reply(list_views.list_question(name, new, listed, allowance, now))


def read_new_domains(values: Mapping[str, Any]) -> NewDomains:
    """Return the domains of a submitted form; raise FormErrors."""
    folder = values[views.FOLDER_BLOCK][views.FOLDER_FIELD].get("selected_option")
    tags = values[views.TAGS_BLOCK][views.TAGS_FIELD]["selected_options"]
    typed = values[views.DOMAIN_BLOCK][views.DOMAIN_FIELD].get("value") or ""
    try:
        return new_domains(
            typed.splitlines(),
            domain_type=values[views.TYPE_BLOCK][views.TYPE_FIELD]["selected_option"]["value"],
            tags=tuple(tag["value"] for tag in tags),
            folder=folder["value"] if folder else None,
        )
    except HostNameError as error:
        why = host_sentence(error).replace("`", "")
    except TooManyDomainsError as error:
        why = too_many_sentence(error)
    raise FormErrors({views.DOMAIN_BLOCK: why})
