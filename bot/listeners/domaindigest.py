"""Handle `/domaindigest`: the list of a channel's digests and its buttons."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import structlog

from bot.command_text import NotUnderstood, NotUnderstoodError, is_help, split_words
from bot.digests.models import AdminsOnlyError, Digest
from bot.digests.schedule import zone_of
from bot.digests.service import DigestService
from bot.errors import BotError
from bot.listeners.domaindigest_parse import read_pause_form
from bot.listeners.modals import DigestScreen, FormNote, note_in
from bot.listeners.permissions import ChannelAccess, DigestAccess, require_open
from bot.listeners.request import Once, PressFailedError, Request
from bot.listeners.router import Dispatcher
from bot.slack.errors import SlackError, TriggerExpiredError
from bot.slack.replies import Way
from bot.views.digests.errors import RESUME_DIGEST, SEND_DIGEST
from bot.views.digests.modal import (
    BACK,
    DAY_IS_OVER,
    DELETED,
    HAS_MOVED,
    MAYBE_SENT,
    NOT_RESUMED,
    NOT_SENT,
    PAUSE_FORM,
    PREVIEWED,
    PREVIEWED_ELSEWHERE,
    PREVIEWING,
    RESTRICTED,
    SENDING,
    UNRESTRICTED,
    at_it_message,
    done_already_message,
    line_message,
    pause_form,
    paused_line,
    resumed_line,
    sent_line,
)
from bot.views.digests.post import digest_message
from bot.views.digests.tables import (
    ADMINS_MAY,
    DELETE,
    PAUSE,
    PREVIEW,
    RESTRICT,
    RESUME,
    SEND,
    saving_form,
)
from bot.views.digests.wording import MANAGE_DIGEST
from bot.views.schedule import schedule_text
from bot.views.usage import usage_message

logger = structlog.get_logger()


async def send_digest(
    desk: DigestService, conversation: Request, digest: Digest, visitor: ChannelAccess
) -> str:
    """Post a digest now; return what to say of it as mrkdwn.

    Raises:
        BotError: nothing was sent; see `Desk.send_now`.
    """
    try:
        await desk.send_now(conversation.workspace, digest.digest_id, by=visitor.editor)
    except SlackError as error:
        if not error.is_outcome_unknown:
            raise
        logger.warning("maybe sent", error=repr(error))
        return MAYBE_SENT
    return sent_line(visitor.channel.name if visitor.channel else None)


async def resume_digest(
    desk: DigestService, conversation: Request, digest: Digest, visitor: ChannelAccess
) -> str:
    """Let a digest run again; return what to say of it as mrkdwn.

    Raises:
        BotNotInChannelError, ChannelClosedError: it could not post. Others: see `DigestService`.
    """
    require_open(visitor)
    resumed = await desk.resume(conversation.workspace, digest.digest_id, by=visitor.editor)
    return resumed_line(resumed, visitor.member.zone)


Act = Callable[[DigestService, Request, Digest, ChannelAccess], Awaitable[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestMessageListeners:
    """The listeners about those buttons."""

    desk: DigestService
    access: DigestAccess
    screen: DigestScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        once = Once(running=at_it_message(), done=done_already_message())
        dispatcher.on_press(MANAGE_DIGEST, self.manage)
        dispatcher.on_press(SEND_DIGEST, self.send, replies=True, once=once)
        dispatcher.on_press(RESUME_DIGEST, self.resume, replies=True, once=once)

    async def manage(self, conversation: Request, value: str) -> None:
        """Open the list that a digest in a message belongs to.

        In the channel that it has left since, the list of that one: who is here need not be
        there, where it is now.
        """
        channel_then, _, digest_id = value.rpartition("/")
        digest = await self.desk.get(conversation.workspace, digest_id)
        here, now = conversation.origin.channel_id, digest.plan.channel_id
        await self.access.require_member(conversation)
        if now != channel_then == here:
            await self.screen.open_list(conversation, here, HAS_MOVED)
        else:
            await self.screen.open_list(conversation, now)

    async def send(self, conversation: Request, value: str) -> None:
        """Post a digest now, as its owner was told that it may be missing."""
        await self._answer(conversation, value, send_digest, NOT_SENT)

    async def resume(self, conversation: Request, value: str) -> None:
        """Let a digest run again, as its owner was told that it was paused."""
        await self._answer(conversation, value, resume_digest, NOT_RESUMED)

    async def _answer(self, conversation: Request, value: str, act: Act, lead: str) -> None:
        """Do something with a digest, if that is theirs to do, and say below how it went."""
        try:
            digest = await self.desk.get(conversation.workspace, value.rpartition("/")[2])
            visitor = await self.access.require_editor_of(conversation, digest)
            said = await act(self.desk, conversation, digest, visitor)
        except BotError as error:
            told = await self.screen.trouble(conversation, error, lead)
            await conversation.reply(line_message(told))
            raise PressFailedError("told below the message") from error
        await conversation.reply(line_message(said))


# Where the date changes last: https://en.wikipedia.org/wiki/UTC%E2%88%9212:00
_LAST_ZONE = timedelta(hours=-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPauseListeners:
    """The listeners about that form."""

    desk: DigestService
    access: DigestAccess
    screen: DigestScreen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_press(PAUSE, self.open_pause)
        dispatcher.on_form(PAUSE_FORM, self.read, self.pause, meanwhile=saving_form)

    def read(self, values: Mapping[str, Any]) -> date | None:
        """Return the day on which the pause ends; raise FormErrors if it has begun everywhere."""
        today = (self.screen.clock() + _LAST_ZONE).date()
        return read_pause_form(values, today + timedelta(days=1))

    async def open_pause(self, conversation: Request, digest_id: str) -> None:
        """Ask until when."""

        async def work() -> None:
            digest = await self.desk.get(conversation.workspace, digest_id)
            await self.access.require_editor_of(conversation, digest)
            await self._show(conversation, digest)

        await self.screen.attempt(conversation, work)

    async def pause(self, conversation: Request, day: date | None) -> None:
        """Pause the digest until that day begins by its own clock."""

        async def work() -> str | None:
            workspace = conversation.workspace
            digest_id = note_in(conversation.note).digest_id or ""
            digest = await self.desk.get(workspace, digest_id)
            visitor = await self.access.require_editor_of(conversation, digest)
            until = _beginning(day, digest) if day else None
            if until and until <= self.screen.clock():
                await self._show(conversation, digest, until=day, said=DAY_IS_OVER)
                return None
            paused = await self.desk.pause(workspace, digest_id, by=visitor.editor, until=until)
            return paused_line(paused, until)

        await self.screen.attempt(conversation, work)

    async def _show(
        self,
        conversation: Request,
        digest: Digest,
        *,
        until: date | None = None,
        said: str = "",
    ) -> None:
        note = FormNote(
            channel_id=note_in(conversation.note).channel_id, digest_id=digest.digest_id
        )
        metadata = conversation.as_metadata(note.as_text())
        schedule = schedule_text(digest.plan.schedule)
        form = pause_form(schedule, secrets.token_hex(4), metadata, until=until, note=said)
        await self.screen.show(conversation, form, said)


def _beginning(day: date, digest: Digest) -> datetime:
    zone = zone_of(digest.plan.schedule.zone)
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


DigestWork = Callable[[Digest, ChannelAccess], Awaitable[str]]


class DigestListeners:
    """The listeners about the digests of a channel, but for those of the forms."""

    def __init__(self, desk: DigestService, access: DigestAccess, screen: DigestScreen) -> None:
        self._desk = desk
        self._access = access
        self._screen = screen

    def register(self, dispatcher: Dispatcher) -> None:
        """Attach every listener of this class."""
        dispatcher.on_command("/domaindigest", self.open_list)
        DigestMessageListeners(desk=self._desk, access=self._access, screen=self._screen).register(
            dispatcher
        )
        dispatcher.on_press(BACK, self.go_back)
        dispatcher.on_press(SEND, self.send)
        dispatcher.on_press(PREVIEW, self.preview)
        dispatcher.on_press(RESUME, self.resume)
        dispatcher.on_press(DELETE, self.delete)
        dispatcher.on_press(RESTRICT, self.restrict)

    async def open_list(self, conversation: Request, text: str) -> None:
        """Answer `/domaindigest`: everything else is in the form."""
        if is_help(text):
            await conversation.reply(usage_message("/domaindigest"))
            return
        if words := split_words(text):
            why = "nothing stands behind this command: it opens a form"
            raise NotUnderstoodError([NotUnderstood(word.typed, why) for word in words], [])
        if conversation.trigger_id is None:
            raise TriggerExpiredError("nobody typed anything just now")
        await self._access.require_member(conversation)
        await self._screen.open_list(conversation, conversation.origin.channel_id)

    async def go_back(self, conversation: Request, _value: str) -> None:
        """Show the list again."""
        self._screen.presses.note(conversation.view_id)
        await self._screen.show_list(conversation, note_in(conversation.note).channel_id)

    async def send(self, conversation: Request, digest_id: str) -> None:
        """Post a digest now."""

        async def work(digest: Digest, visitor: ChannelAccess) -> str:
            await self._screen.show_busy(conversation, SENDING)
            return await send_digest(self._desk, conversation, digest, visitor)

        await self._with_digest(conversation, digest_id, work, NOT_SENT)

    async def preview(self, conversation: Request, digest_id: str) -> None:
        """Show whoever asks, and nobody else, what would be posted now."""

        async def work(digest: Digest, _visitor: ChannelAccess) -> str:
            await self._screen.show_busy(conversation, PREVIEWING)
            post = await self._desk.preview(conversation.workspace, digest)
            await conversation.reply(await asyncio.to_thread(digest_message, post))
            is_there = conversation.answered_by is Way.THERE
            return PREVIEWED if is_there else PREVIEWED_ELSEWHERE

        await self._with_digest(conversation, digest_id, work)

    async def resume(self, conversation: Request, digest_id: str) -> None:
        """Let a digest run again."""

        async def work(digest: Digest, visitor: ChannelAccess) -> str:
            return await resume_digest(self._desk, conversation, digest, visitor)

        await self._with_digest(conversation, digest_id, work)

    async def delete(self, conversation: Request, digest_id: str) -> None:
        """Forget a digest; Slack has asked whether that is meant."""

        async def work(digest: Digest, visitor: ChannelAccess) -> str:
            await self._desk.delete(conversation.workspace, digest.digest_id, by=visitor.editor)
            return DELETED

        await self._with_digest(conversation, digest_id, work)

    async def restrict(self, conversation: Request, value: str) -> None:
        """Say whether only admins may change digests."""

        async def work() -> str:
            if not (await self._access.require_member(conversation)).is_admin:
                raise AdminsOnlyError("not theirs to say")
            admins_only = value == ADMINS_MAY
            await self._desk.restrict(
                conversation.workspace, admins_only=admins_only, by=conversation.origin.user_id
            )
            return RESTRICTED if admins_only else UNRESTRICTED

        await self._screen.attempt(conversation, work)

    async def _with_digest(
        self, conversation: Request, digest_id: str, do: DigestWork, lead: str = ""
    ) -> None:
        """Do something with a digest, if that is theirs to do; then show the list again.

        `lead` goes before what is said when it was not done.
        """

        async def work() -> None:
            digest = await self._desk.get(conversation.workspace, digest_id)
            visitor = await self._access.require_editor_of(conversation, digest)
            said = await do(digest, visitor)
            listed = note_in(conversation.note).channel_id
            # Into an archived channel it was not looked at all, as the digest is their own.
            is_seen = not (visitor.sees_own_only and visitor.channel)
            known = visitor if is_seen and listed == digest.plan.channel_id else None
            await self._screen.show_list(conversation, listed, said, visitor=known)

        await self._screen.attempt(conversation, work, lead)
