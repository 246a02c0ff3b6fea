"""Handle the list of a channel's digests and its buttons."""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import structlog

from bot.blocks.builders import plain_message
from bot.digests.access import ChannelAccess, DigestAccess, require_open
from bot.digests.alert_life import alert_of
from bot.digests.draft import FormNote, note_in
from bot.digests.form_parse import read_pause_form
from bot.digests.models import Digest
from bot.digests.screen import DigestScreen
from bot.digests.service import DigestService
from bot.digests.views import modal, tables
from bot.digests.views.alert import alert_preview
from bot.digests.views.post import NO_DETAILS, SHOW_DETAILS, details_message, digest_message
from bot.digests.views.wording import DELETE_DIGEST, MANAGE_DIGEST, RESUME_DIGEST, SEND_DIGEST
from bot.dispatch.request import Request, draw_or_reply
from bot.dispatch.router import Dispatcher, PressHandler
from bot.process.concurrency import compute
from bot.process.errors import BotError, log_and_suppress
from bot.process.zones import zone_of
from bot.slack.client import open_form
from bot.slack.errors import SlackError

logger = structlog.get_logger()
# The first run after a pause is computed, and Python knows no date after the year 9999.
LONGEST_PAUSE = timedelta(days=3_650)
# Does something with a digest; returns the line that says so, as mrkdwn.
Act = Callable[[Request, Digest, ChannelAccess], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestListeners:
    """The listeners of the list, the pause form, and the buttons in posts and notices."""

    digests: DigestService
    access: DigestAccess
    screen: DigestScreen

    def register(self, dispatcher: Dispatcher) -> None:
        dispatcher.event("member_joined_channel", self.greet)
        dispatcher.action(modal.BACK, self.go_back)
        send = self.in_list(self.send, modal.NOT_SENT, busy=modal.SENDING)
        dispatcher.action(tables.SEND, send, once=True)
        in_form = self.screen.in_form
        dispatcher.action(tables.PREVIEW, in_form(self.preview))
        dispatcher.action(tables.RESUME, self.in_list(self.resume))
        dispatcher.action(tables.DELETE, self.in_list(self.delete))
        dispatcher.action(tables.PAUSE, in_form(self.open_pause))
        pause = in_form(self.pause)
        dispatcher.view(modal.PAUSE_FORM, read_pause_form, pause, busy=tables.saving_form)
        acts = {SEND_DIGEST: self.send, RESUME_DIGEST: self.resume, DELETE_DIGEST: self.delete}
        for action_id, act in acts.items():
            dispatcher.action(action_id, self.in_message(act), replies=True, once=True)
        dispatcher.action(MANAGE_DIGEST, self.manage)
        dispatcher.action(SHOW_DETAILS, self.show_details)

    async def open_list(self, request: Request) -> None:
        await self.access.require_member(request)
        await self.screen.open_list(request, request.origin.channel_id)

    async def manage(self, request: Request, digest_id: str) -> None:
        digest = await self.digests.get(request.workspace, digest_id)
        await self.access.require_member(request)
        await self.screen.open_list(request, digest.plan.channel_id)

    async def show_details(self, request: Request, value: str) -> None:
        """Show the long lists of a digest to the person who pressed its button, to them alone."""
        await self.access.require_member(request)
        digest_id, _, token = value.partition("/")
        post = await self.digests.details(request.workspace, digest_id, token)
        message = plain_message(NO_DETAILS)
        if post:
            message = await compute(post.report.totals.count, details_message, post)
        await request.reply(message)

    async def greet(self, request: Request, event: Mapping[str, Any]) -> None:
        """Greet a channel to which the app was added, not other people who join one with it.

        https://docs.slack.dev/reference/events/member_joined_channel
        """
        if event["user"] == request.bot_user_id:
            with log_and_suppress("not greeted", BotError):
                await self.digests.greet(request.workspace, event["channel"])

    async def go_back(self, request: Request, _value: str) -> None:
        await self.screen.show_list(request, note_in(request.note).channel_id)

    def in_list(self, act: Act, lead: str = "", *, busy: str = "") -> PressHandler:
        """Return a listener that does `act`, then shows the list again with its line.

        `busy` is shown while it works, `lead` before the reason of a failure.
        """

        async def pressed(request: Request, digest_id: str) -> None:
            digest, visitor = await self.access.digest_to_edit(request, digest_id)
            if busy:
                form = tables.busy_form(busy, request.as_metadata(request.note))
                await self.screen.show(request, form)
            line = await act(request, digest, visitor)
            listed = note_in(request.note).channel_id
            # For their own digest in an archived channel, membership was not checked.
            is_checked = not (visitor.sees_own_only and visitor.channel)
            known = visitor if is_checked and listed == digest.plan.channel_id else None
            await self.screen.show_list(request, listed, line, visitor=known)

        return self.screen.in_form(pressed, lead)

    def in_message(self, act: Act) -> PressHandler:
        """Return a listener that does `act` and replies with its line below the message."""

        async def pressed(request: Request, digest_id: str) -> None:
            digest, visitor = await self.access.digest_to_edit(request, digest_id)
            await request.reply(plain_message(await act(request, digest, visitor)))

        return pressed

    async def send(self, request: Request, digest: Digest, visitor: ChannelAccess) -> str:
        try:
            sent = await self.digests.send_now(
                request.workspace, digest.digest_id, by=visitor.editor
            )
        except SlackError as error:
            if not error.is_outcome_unknown:
                raise
            logger.warning("maybe sent", error=repr(error))
            return modal.MAYBE_SENT
        if sent.run and sent.run.is_promised:
            return modal.on_its_way_line(sent.run.until)
        return modal.sent_line(digest, visitor.channel)

    async def preview(self, request: Request, digest_id: str) -> None:
        """Show a digest's post in a form above the list, to this person only.

        The form opens first, with "please wait": Slack opens none later than 3 s after a press.
        If it was closed since, the preview comes as a reply.
        """
        busy = modal.preview_form(plain_message(f"⏳ {modal.PREVIEWING}"))
        trigger_id = request.trigger_id or ""
        request.answer.view_id = await open_form(request.client, trigger_id, busy, is_above=True)
        try:
            digest, _ = await self.access.digest_to_edit(request, digest_id)
            post = await self.digests.preview(request.workspace, digest)
            if digest.plan.is_alert:
                alert = alert_of(post, digest.plan.channel_id)
                message = alert_preview(alert, digest, post.sent_at)
            else:
                message = await compute(post.report.totals.count, digest_message, post)
        except BotError as error:
            message = plain_message(await self.screen.trouble(request, error))
        await draw_or_reply(request, modal.preview_form(message), message)

    async def resume(self, request: Request, digest: Digest, visitor: ChannelAccess) -> str:
        if digest.pause is None:
            return modal.RUNNING_ALREADY
        require_open(visitor, digest.plan)
        resumed = await self.digests.resume(request.workspace, digest.digest_id, by=visitor.editor)
        return modal.resumed_line(resumed, visitor.member.zone)

    async def pause_openly(self, request: Request, digest: Digest, visitor: ChannelAccess) -> str:
        if digest.pause and digest.pause.until is None:
            return modal.PAUSED_ALREADY
        paused = await self.digests.pause(
            request.workspace, digest.digest_id, by=visitor.editor, until=None
        )
        return modal.paused_line(paused)

    async def delete(self, request: Request, digest: Digest, visitor: ChannelAccess) -> str:
        # Slack has asked for confirmation.
        await self.digests.delete(request.workspace, digest.digest_id, by=visitor.editor)
        return modal.DELETED

    async def open_pause(self, request: Request, digest_id: str) -> None:
        digest, _ = await self.access.digest_to_edit(request, digest_id)
        await self._show_pause(request, digest)

    async def pause(self, request: Request, day: date | None) -> str | None:
        """Pause the digest until that day begins in its time zone."""
        workspace, digest_id = request.workspace, note_in(request.note).digest_id or ""
        digest, visitor = await self.access.digest_to_edit(request, digest_id)
        zone, until = zone_of(digest.plan.schedule.zone), None
        if day:
            today = self.screen.clock().astimezone(zone).date()
            if not today < day <= today + LONGEST_PAUSE:
                await self._show_pause(request, digest, day, modal.NO_DAY_TO_PAUSE_UNTIL)
                return None
            until = datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
        paused = await self.digests.pause(workspace, digest_id, by=visitor.editor, until=until)
        return modal.paused_line(paused)

    async def _show_pause(
        self, request: Request, digest: Digest, until: date | None = None, line: str = ""
    ) -> None:
        channel_id = note_in(request.note).channel_id
        note = FormNote(channel_id=channel_id, digest_id=digest.digest_id)
        metadata = request.as_metadata(note.as_text())
        form = modal.pause_form(digest, secrets.token_hex(4), metadata, until=until, note=line)
        await self.screen.show(request, form, line)
