"""Handle `/adddomain`: one line or a form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from bot.api_keys.service import WorkspaceTracker
from bot.command_text import quoted
from bot.errors import BotError
from bot.hostnames import HostNameError, host_name
from bot.listeners.permissions import CommandAccess
from bot.listeners.request import FormErrors, Request
from bot.listeners.router import Dispatcher
from bot.message import Block
from bot.portfolio.add_domain import AlreadyAddedError, DomainAdder, NewDomain, parse_new_domain
from bot.portfolio.service import Portfolio, Snapshot
from bot.slack.client import open_form
from bot.views import adddomain as views
from bot.views.errors import host_sentence

logger = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddingListeners:
    """The listeners about adding a domain. `owned_type` is the default type."""

    access: CommandAccess
    tracker: WorkspaceTracker
    portfolio: Portfolio
    adder: DomainAdder
    owned_type: str

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/adddomain", self.add)
        dispatcher.on_form(views.ADD_FORM, read_new_domain, self.add_described)
        dispatcher.on_options(
            views.TYPE_FIELD,
            self.offer_types,
            otherwise=views.label_options([self.owned_type], ""),
        )
        dispatcher.on_options(views.FOLDER_FIELD, self.offer_folders)
        dispatcher.on_options(views.TAGS_FIELD, self.offer_tags)

    async def add(self, request: Request, text: str) -> None:
        """Answer `/adddomain [domain …]`."""
        await self.access.require(request, "add")
        if not text.strip():
            await self.tracker.ready(request.workspace)
            form = views.add_form(request.as_metadata(), owned_type=self.owned_type)
            await open_form(request.client, request.trigger_id or "", form)
        else:
            new = parse_new_domain(text, owned_type=self.owned_type)
            await self._add(request, new)

    async def add_described(self, request: Request, new: NewDomain) -> None:
        """Add the domain of a submitted form."""
        # The line that would add the same, for `Try again`.
        folder = [f"folder:{quoted(new.folder)}"] if new.folder else []
        tags = [f"tag:{quoted(tag)}" for tag in new.tags]
        words = ["/adddomain", new.host, f"type:{quoted(new.domain_type)}", *folder, *tags]
        request.command_line = " ".join(words)
        await self.access.require(request, "add")
        await self._add(request, new)

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

    async def _add(self, request: Request, new: NewDomain) -> None:
        try:
            listed = await self.adder.add(request.workspace, new)
        except AlreadyAddedError as known:
            await request.reply(views.already_added_message(new.host, known.domain))
        else:
            await request.reply(views.added_message(new, listed))


def read_new_domain(values: Mapping[str, Any]) -> NewDomain:
    """Return the domain of a submitted form; raise FormErrors."""
    try:
        host = host_name(values[views.DOMAIN_BLOCK][views.DOMAIN_FIELD].get("value") or "")
    except HostNameError as error:
        raise FormErrors({views.DOMAIN_BLOCK: host_sentence(error).replace("`", "")}) from None
    folder = values[views.FOLDER_BLOCK][views.FOLDER_FIELD].get("selected_option")
    return NewDomain(
        host=host,
        domain_type=values[views.TYPE_BLOCK][views.TYPE_FIELD]["selected_option"]["value"],
        tags=tuple(
            tag["value"] for tag in values[views.TAGS_BLOCK][views.TAGS_FIELD]["selected_options"]
        ),
        folder=folder["value"] if folder else None,
    )
