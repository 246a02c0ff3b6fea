"""Draw the list of digests in a form; reply where none can be drawn."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import structlog

from bot.blocks.builders import plain_message
from bot.blocks.message import Block
from bot.digests.access import ChannelAccess, DigestAccess
from bot.digests.draft import FormNote, note_in
from bot.digests.errors import error_line
from bot.digests.models import Digest
from bot.digests.service import DigestService
from bot.digests.views.modal import LOOKING
from bot.digests.views.tables import busy_form, error_form, list_form
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.request import Request, draw_or_reply
from bot.keys.key_record import NoKeyError
from bot.keys.workspace_tracker import LackingScopeError
from bot.process.clock import Clock
from bot.process.errors import BotError
from bot.store.documents import UnreadableSecretError
from bot.tracker.models import InvalidKeyError

logger = structlog.get_logger()
_ABOUT_KEY = (NoKeyError, InvalidKeyError, LackingScopeError, UnreadableSecretError)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestScreen:
    """Draws the list of digests. Everything happens in one form: no old list lies below it.

    `latest` is that of the Dispatcher.
    """

    digests: DigestService
    access: DigestAccess
    explain: ExplainFailure
    clock: Clock
    latest: Mapping[str | None, str]

    async def _list_form(
        self,
        request: Request,
        channel_id: str | None,
        line: str,
        visitor: ChannelAccess | None,
        metadata: str,
    ) -> Block:
        visitor = visitor or await self.access.require_visitor(request, channel_id or "")
        digests = await self.seen_digests(request, channel_id, visitor)
        silences = {
            each.digest_id: await self.digests.snoozes(request.workspace, each)
            for each in digests
            if each.plan.is_alert
        }
        return list_form(
            digests,
            visitor.channel,
            visitor.member,
            self.clock(),
            silences=silences,
            note=line,
            metadata=metadata,
        )

    async def seen_digests(
        self, request: Request, channel_id: str | None, visitor: ChannelAccess
    ) -> list[Digest]:
        """Return the digests of a channel that the person may see, then their own."""
        digests = await self.digests.of_workspace(request.workspace)
        made = [each for each in digests if each.made_by == visitor.member.user_id]
        visible = made if visitor.sees_own_only else digests
        listed = (each for each in visible if each.plan.channel_id == channel_id)
        return [
            *(each for each in listed if not each.plan.is_own),
            *(each for each in made if each.plan.is_own),
        ]

    async def open_busy(self, request: Request, channel_id: str | None) -> tuple[Request, str]:
        """Open a form of this channel that says "please wait"; raise SlackError.

        Return the request as if it came from that form, and the form's id. Slack opens none later
        than 3 s after a press; checking a large channel takes longer.
        """
        request = replace(request, note=FormNote(channel_id=channel_id).as_text())
        form = busy_form(LOOKING, request.as_metadata(request.note))
        return request, await request.open_form(form)

    async def open_list(self, request: Request, channel_id: str | None) -> None:
        """Open a form that says "please wait", then show the list in it; raise SlackError."""
        request, view_id = await self.open_busy(request, channel_id)
        await self.show_list(request, channel_id, view_id=view_id)

    async def show_list(
        self,
        request: Request,
        channel_id: str | None,
        line: str = "",
        *,
        visitor: ChannelAccess | None = None,
        view_id: str | None = None,
    ) -> None:
        """Show the list with `line` on top; show `line` even if there is no list.

        Pass `visitor` if their access was checked just now: for a large channel the check takes
        many calls. `view_id`: a command has just opened this form, which proves that it was typed
        there.
        """
        metadata = request.as_metadata(FormNote(channel_id=channel_id).as_text())
        mistake: Exception | None = None
        try:
            form = await self._list_form(request, channel_id, line, visitor, metadata)
        except Exception as error:  # noqa: BLE001  # a mistake of ours is raised below
            mistake = None if isinstance(error, BotError) else error
            way_out = "Back" if line else "Try again"
            line = line or await self.trouble(request, error)
            form = error_form(line, metadata, way_out)
        request.answer.view_id = view_id or request.answer.view_id
        await self.show(request, form, line)
        if mistake:
            raise mistake

    async def show(self, request: Request, form: Block, line: str = "") -> None:
        """Draw `form` in the open one; reply with `line` if it was closed."""
        await draw_or_reply(request, form, plain_message(line) if line else None)

    def in_form(
        self, act: Callable[[Request, T], Awaitable[str | None]], lead: str = ""
    ) -> Callable[[Request, T], Awaitable[None]]:
        """Return a listener that does `act`, then shows the list with its line.

        `None`: `act` has drawn the form itself. A failure is shown there too, after `lead`: the
        person sees nothing but the form.
        """

        async def listener(request: Request, given: T) -> None:
            channel_id = note_in(request.note).channel_id
            try:
                line = await act(request, given)
            except Exception as error:
                line = await self.trouble(request, error, lead)
                await self.show_list(request, channel_id, line)
                if not isinstance(error, BotError):
                    raise
                return
            if line is not None:
                await self.show_list(request, channel_id, line)

        return listener

    async def trouble(self, request: Request, error: Exception, lead: str = "") -> str:
        """Return one line of mrkdwn that explains an error, after `lead`."""
        logger.warning("failure shown in the form", error=repr(error), cause=repr(error.__cause__))
        message = await self.explain(error, request)
        return error_line(message, lead, is_about_key=isinstance(error, _ABOUT_KEY))
