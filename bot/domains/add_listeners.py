"""Handle `/adddomain`: one line or a form."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.access.permissions import Permissions
from bot.blocks.builders import plain_message
from bot.blocks.message import Block
from bot.dispatch.command_text import NotUnderstoodError, Word, quoted, split_words
from bot.dispatch.failure import HOST_PROBLEMS, ExplainFailure
from bot.dispatch.incoming import field_in
from bot.dispatch.request import FormErrors, Request
from bot.dispatch.router import Dispatcher
from bot.domains import add_views as views
from bot.domains.adding import AddReport, DomainAdder, NewDomains, new_domains, parse_new_domains
from bot.domains.service import Portfolio
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.tracker.hostnames import HostNameError
from bot.tracker.models import NewDomain

# A response_url works five times: the first word, the steps but the last, and the summary.
STEPS = 4
MIN_STEP = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AddingListeners:
    """The listeners about adding domains. The default type is that of owned ones."""

    permissions: Permissions
    tracker: WorkspaceTracker
    portfolio: Portfolio
    adder: DomainAdder
    explain: ExplainFailure

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.command("/adddomain", self.add)
        dispatcher.view(views.ADD_FORM, read_new_domains, self.add_described)
        dispatcher.action(views.ADD_LIST, self.add_list, replies=True, once=True)
        owned = views.label_options([self.portfolio.owned_type], "")
        dispatcher.options(views.TYPE_FIELD, self.offer_types, otherwise=owned)
        dispatcher.options(views.FOLDER_FIELD, self.offer_folders)
        dispatcher.options(views.TAGS_FIELD, self.offer_tags)

    async def add(self, request: Request, text: str) -> None:
        """Answer `/adddomain [domain …]`, and `/adddomain list:x` of a kept list."""
        await self.permissions.require(request, "add")
        match split_words(text):
            case []:
                await self.tracker.ready(request.workspace)
                form = views.add_form(request.as_metadata(), self.portfolio.owned_type)
                await request.open_form(form)
            case [Word(key="list", value=name)]:
                await self._ask(request, name, await self.adder.kept(request.workspace, name))
            case _:
                await self._add(request, parse_new_domains(text, self.portfolio.owned_type))

    async def add_described(self, request: Request, wanted: NewDomains) -> None:
        """Add the domain of a submitted form, or ask about its list."""
        # The line that would add the same, for `Try again`.
        new = wanted.domains[0]
        folder = [f"folder:{quoted(new.folder)}"] if new.folder else []
        tags = [f"tag:{quoted(tag)}" for tag in new.tags]
        words = ["/adddomain", new.host, f"type:{quoted(new.domain_type)}", *folder, *tags]
        request.answer.command_line = " ".join(words)
        await self.permissions.require(request, "add")
        await self._add(request, wanted)

    async def add_list(self, request: Request, name: str) -> None:
        request.answer.command_line = views.LIST_LINE + name
        await self.permissions.require(request, "add")
        report = AddReport(await self.adder.kept(request.workspace, name))
        stopped = plain_message("The app is restarting and had to stop.")
        request.answer.on_stop = lambda: views.list_summary(name, report, stopped)

        async def step() -> None:
            await self._show_progress(request, report)

        await step()
        await self.adder.add_list(request.workspace, report, step)
        why = await self.explain(report.stopped_by, request) if report.stopped_by else None
        await request.reply(views.list_summary(name, report, why))

    async def _show_progress(self, request: Request, report: AddReport) -> None:
        """Show the progress at first and after each quarter, where it replaces a message."""
        done, count = len(report.outcomes), len(report.new.domains)
        is_due = done < count and done % max(MIN_STEP, math.ceil(count / STEPS)) == 0
        if done and not (is_due and (request.answer.takes_place or request.answer.window)):
            return
        await request.answer.send_progress(views.progress_message(report))

    async def offer_types(self, request: Request, typed: str) -> list[Block]:
        snapshot = await self.portfolio.snapshot(request.workspace)
        return views.label_options([self.portfolio.owned_type, *snapshot.domain_types], typed)

    async def offer_folders(self, request: Request, typed: str) -> list[Block]:
        snapshot = await self.portfolio.snapshot(request.workspace)
        return views.label_options(snapshot.folders, typed)

    async def offer_tags(self, request: Request, typed: str) -> list[Block]:
        snapshot = await self.portfolio.snapshot(request.workspace)
        return views.label_options(snapshot.tags, typed)

    async def _add(self, request: Request, wanted: NewDomains) -> None:
        if len(wanted.domains) > 1 or wanted.notes:  # they are shown before they are added
            await self._ask(request, await self.adder.keep(request.workspace, wanted), wanted)
            return
        new = wanted.domains[0]
        listed = await self.adder.add(request.workspace, new)
        await request.reply(views.added_message(new.host, listed))

    async def _ask(self, request: Request, name: str, new: NewDomains) -> None:
        request.answer.command_line = views.LIST_LINE + name
        listed = await self.adder.listed(request.workspace)
        allowance = await self.tracker.allowance(request.workspace)
        now = self.portfolio.clock()
        await request.reply(views.list_question(name, new, listed, allowance, now))


def read_new_domains(values: Mapping[str, Any]) -> NewDomains:
    """Return the domains of a submitted form; raise FormErrors."""
    typed = field_in(values, views.DOMAIN_FIELD)
    labels = NewDomain(
        host="",
        domain_type=field_in(values, views.TYPE_FIELD).value or "",
        tags=tuple(field_in(values, views.TAGS_FIELD).options),
        folder=field_in(values, views.FOLDER_FIELD).value,
    )
    try:
        return new_domains(typed.text.splitlines(), labels)
    except HostNameError as error:
        why = HOST_PROBLEMS[error.problem].replace("`", "")
    except NotUnderstoodError as error:
        why = f"{error.problems[0].part} {error.problems[0].why}."
    raise FormErrors({typed.block_id: why})
