"""Draw the list of digests in a form; reply where none can be drawn."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

import structlog
from cachetools import LRUCache

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
from bot.slack.client import update_form
from bot.slack.errors import SlackError
from bot.store.documents import UnreadableSecretError
from bot.tracker.models import InvalidKeyError

logger = structlog.get_logger()
_ABOUT_KEY = (NoKeyError, InvalidKeyError, LackingScopeError, UnreadableSecretError)
T = TypeVar("T")
MAX_PLACES = 10_000


class ViewVersions:
    """Numbers the presses in each open form or tab, as far as this process received them.

    A `place` is the id of a form, or the name of the person whose tab it is.
    """

    def __init__(self) -> None:
        self._numbers: LRUCache[str | None, int] = LRUCache(MAX_PLACES)

    def note(self, place: str | None) -> int:
        """Count a press; return its number."""
        number = self._numbers[place] = self._numbers.get(place, 0) + 1
        return number

    def is_latest(self, place: str | None, number: int) -> bool:
        """Return whether no press followed the one with this number."""
        return self._numbers.get(place, number) == number


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestScreen:
    """Draws the list of digests. Everything happens in one form: no old list lies below it."""

    digests: DigestService
    access: DigestAccess
    explain: ExplainFailure
    clock: Clock
    versions: ViewVersions = field(default_factory=ViewVersions)

    async def list_form(
        self,
        request: Request,
        channel_id: str | None,
        line: str = "",
        *,
        visitor: ChannelAccess | None = None,
    ) -> Block:
        """Return the list of a channel's digests that the person may see.

        Pass `visitor` if their access was checked just now: for a large channel the check takes
        many calls. Raises StoreError, and as `DigestAccess.require_visitor` does.
        """
        metadata = request.as_metadata(FormNote(channel_id=channel_id).as_text())
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

        Return the request as if it came from that form, and the form's id.

        Slack opens a form only within 3 s of a press; checking a large channel takes longer.
        """
        request = replace(request, note=FormNote(channel_id=channel_id).as_text())
        return request, await request.open_form(busy_form(LOOKING, self._metadata(request)))

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

        `view_id`: a command has just opened this form, which proves that it was typed there.
        """
        mistake: Exception | None = None
        try:
            form = await self.list_form(request, channel_id, line, visitor=visitor)
        except Exception as error:  # noqa: BLE001  # a mistake of ours is raised below
            mistake = None if isinstance(error, BotError) else error
            way_out = "Back" if line else "Try again"
            line = line or await self.trouble(request, error)
            form = error_form(line, self._metadata(request), way_out)
        request.answer.view_id = view_id or request.answer.view_id
        await self.show(request, form, line)
        if mistake:
            raise mistake

    async def show(self, request: Request, form: Block, line: str = "") -> None:
        """Draw `form` in the open one; reply with `line` if it was closed."""
        await draw_or_reply(request, form, plain_message(line) if line else None)

    async def show_newer(self, request: Request, form: Block, number: int) -> None:
        """Draw `form` unless something was pressed in the view since press `number`."""
        view_id = request.answer.view_id or ""
        if self.versions.is_latest(view_id, number):
            with suppress(SlackError):
                await update_form(request.client, view_id, form)

    async def show_busy(self, request: Request, words: str) -> None:
        """Show "please wait" in the form, without anything to press."""
        await self.show(request, busy_form(words, self._metadata(request)))

    def in_form(
        self, act: Callable[[Request, T], Awaitable[str | None]], lead: str = ""
    ) -> Callable[[Request, T], Awaitable[None]]:
        """Return a listener that does `act`, then shows the list with its line.

        `None`: `act` has drawn the form itself. A failure is shown there too, after `lead`: the
        person sees nothing but the form.
        """

        async def listener(request: Request, given: T) -> None:
            self.versions.note(request.answer.view_id)
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

    def _metadata(self, request: Request) -> str:
        note = FormNote(channel_id=note_in(request.note).channel_id)
        return request.as_metadata(note.as_text())
