"""Draw the modals of keys and digests, or reply where no modal can be drawn."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import structlog
from cachetools import LRUCache

from bot.api_keys.models import NoKeyError
from bot.api_keys.service import LackingScopeError
from bot.digests.models import Digest
from bot.digests.service import DigestService
from bot.errors import BotError
from bot.listeners.error_boundary import Failures
from bot.listeners.permissions import ChannelAccess, DigestAccess
from bot.listeners.request import Request
from bot.message import Block, Message
from bot.slack.channels import Channel
from bot.slack.client import open_form, put_form, update_form
from bot.slack.errors import ChannelClosedError, FormChangedError, SlackError
from bot.store.documents import UnreadableSecretError
from bot.tracker.models import InvalidKeyError
from bot.views.digests.errors import archived_line, error_line
from bot.views.digests.modal import LOOKING, line_message
from bot.views.digests.tables import DigestList, Place, busy_form, error_form, list_form
from bot.views.errors import failure_message
from bot.views.errors_api_key import draft_error_text

MAX_PLACES = 10_000


@dataclass(slots=True)
class _Place:
    """What is open: how much was done in it, and what it looked like after our last draw."""

    number: int = 0
    drawn_hash: str | None = None
    drawn_at: int = 0  # how much had been done in it by then
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class ViewVersions:
    """Counts what is done in each open form or tab. It knows only what came to this process.

    A `place` is what names one: the id of a form, the person whose tab it is.
    """

    def __init__(self) -> None:
        self._places: LRUCache[str | None, _Place] = LRUCache(MAX_PLACES)

    def note(self, place: str | None) -> int:
        """Note a press in a place; return its number, by which `is_latest` knows it."""
        found = self._place(place)
        found.number += 1
        return found.number

    def is_latest(self, place: str | None, number: int) -> bool:
        """Say whether nothing was done in that place since."""
        return place not in self._places or self._places[place].number == number

    def turn(self, place: str | None) -> asyncio.Lock:
        """Return what is held while a place is drawn: one draw after the other."""
        return self._place(place).turn

    def note_drawn(self, place: str | None, view_hash: str | None) -> None:
        """Note the hash that Slack gave a place when we drew it."""
        found = self._place(place)
        found.drawn_hash, found.drawn_at = view_hash, found.number

    def drawn_hash(self, place: str | None, number: int) -> str | None:
        """Return the hash that the place had after our last draw.

        `None`: there was none, or it came after something newer than press `number`.
        """
        found = self._place(place)
        return found.drawn_hash if found.drawn_at <= number else None

    def forget(self, beginning: str) -> None:
        """Forget every place whose name begins so."""
        for place in [each for each in self._places if each and each.startswith(beginning)]:
            del self._places[place]

    def _place(self, place: str | None) -> _Place:
        return self._places.setdefault(place, _Place())


def listed_digests(
    visitor: ChannelAccess, digests: Sequence[Digest], now: datetime, said: str
) -> DigestList:
    """Return the list of those of a channel's `digests` that `visitor` may see."""
    member = visitor.member
    if visitor.sees_own_only:
        digests = [each for each in digests if each.made_by == member.user_id]
    return DigestList(
        digests=digests,
        place=_place(visitor.channel),
        now=now,
        reader_id=member.user_id,
        reader_zone=member.zone,
        may_change=visitor.may_change,
        is_admin=member.is_admin,
        is_restricted=visitor.is_restricted,
        note=said,
    )


def _place(channel: Channel | None) -> Place | None:
    if channel is None:
        return None
    return Place(
        name=channel.name,
        has_bot=channel.has_bot,
        is_archived=channel.is_archived,
        is_shared=channel.is_shared,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FormNote:
    """Whose list it is, and for a form about one digest: which, as of which version.

    `channel_id` is the list's, `None` where nobody typed in a channel. `digest_id` is `None`
    for a new one. `nonce` is that of `Editing`. `zone` is the time zone of whoever opened it.
    """

    channel_id: str | None = None
    digest_id: str | None = None
    version: int = 0
    nonce: str = ""
    zone: str | None = None

    def as_text(self) -> str:
        """Return the note as `Request.as_metadata` takes it; `note_in` reads it."""
        return json.dumps([self.channel_id, self.digest_id, self.version, self.nonce, self.zone])


def note_in(text: str | None) -> FormNote:
    """Return the note that a form carried, an empty one for a form without."""
    match json.loads(text or "null"):
        # Another version of the bot may have written something else behind the nonce.
        case [
            str() | None as channel_id,
            str() | None as digest_id,
            int(version),
            str(nonce),
            *rest,
        ]:
            zone = rest[0] if rest and isinstance(rest[0], str) else None
            return FormNote(
                channel_id=channel_id,
                digest_id=digest_id,
                version=version,
                nonce=nonce,
                zone=zone,
            )
    return FormNote()


logger = structlog.get_logger()
_ABOUT_KEY = (NoKeyError, InvalidKeyError, LackingScopeError, UnreadableSecretError)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestScreen:
    """Draws what people see. Everything happens in one form, so nothing stale lies below it."""

    desk: DigestService
    access: DigestAccess
    failures: Failures
    clock: Callable[[], datetime]
    presses: ViewVersions = field(default_factory=ViewVersions)

    async def list_form(
        self,
        conversation: Request,
        channel_id: str | None,
        said: str = "",
        *,
        visitor: ChannelAccess | None = None,
    ) -> Block:
        """Return the list of a channel as whoever asks may see it now.

        `visitor` is given where it was asked just now whether they may: in a large channel that
        takes Slack many calls.

        Raises:
            NotInChannelError and others: see `DigestAccess.require_visitor`. StoreError.
        """
        metadata = conversation.as_metadata(FormNote(channel_id=channel_id).as_text())
        visitor = visitor or await self.access.require_visitor(conversation, channel_id or "")
        digests = await self.desk.of_channel(conversation.workspace, channel_id or "")
        return list_form(listed_digests(visitor, digests, self.clock(), said), metadata)

    async def open_list(
        self, conversation: Request, channel_id: str | None, said: str = ""
    ) -> None:
        """Open the form, and show the list in it.

        First a form that says "please wait": Slack opens one for three seconds after a press, and
        who is in a large channel takes longer to ask.

        Raises:
            TriggerExpiredError, SlackError: it could not be opened.
        """
        conversation.note = FormNote(channel_id=channel_id).as_text()
        busy = busy_form(LOOKING, self._metadata(conversation))
        view_id = await open_form(conversation.client, conversation.trigger_id or "", busy)
        try:
            visitor = await self.access.require_visitor(conversation, channel_id or "")
        except Exception as error:
            conversation.view_id = view_id
            told = await self.trouble(conversation, error)
            form = error_form(told, self._metadata(conversation), "Try again")
            await self.show(conversation, form, told)
            if not isinstance(error, BotError):
                raise
            return
        conversation.view_id = view_id
        await self.show_list(conversation, channel_id, said, visitor=visitor)

    async def show_list(
        self,
        conversation: Request,
        channel_id: str | None,
        said: str = "",
        *,
        visitor: ChannelAccess | None = None,
    ) -> None:
        """Show the list with a line on top; `said` must be told even when there is no list."""
        try:
            form = await self.list_form(conversation, channel_id, said, visitor=visitor)
        except Exception as error:
            way_out = "Back" if said else "Try again"
            said = said or await self.trouble(conversation, error)
            form = error_form(said, self._metadata(conversation), way_out)
            await self.show(conversation, form, said)
            if not isinstance(error, BotError):
                raise
            return
        await self.show(conversation, form, said)

    async def show(self, conversation: Request, form: Block, said: str = "") -> None:
        """Put `form` where the person waits; when they have closed it, tell them `said`."""
        try:
            view_hash = await update_form(conversation.client, conversation.view_id or "", form)
        except SlackError as error:
            logger.info("the form is gone", error=repr(error))
            if said:
                await conversation.reply(line_message(said))
        else:
            self.presses.note_drawn(conversation.view_id, view_hash)
            conversation.view_hash = view_hash

    async def show_newer(self, conversation: Request, form: Block, number: int) -> None:
        """Put `form` there unless something else was done in it since press `number`.

        It takes the place of nothing but what the person had before them when they pressed, or
        of what was drawn here since: another process may have put something newer there.
        """
        presses, view_id = self.presses, conversation.view_id
        async with presses.turn(view_id):
            hashes = (conversation.view_hash, presses.drawn_hash(view_id, number))
            for view_hash in dict.fromkeys(hashes):
                if view_hash is None or not presses.is_latest(view_id, number):
                    continue
                try:
                    drawn = await update_form(
                        conversation.client, view_id or "", form, view_hash=view_hash
                    )
                except FormChangedError:
                    continue
                except SlackError as error:
                    logger.info("the form is gone", error=repr(error))
                    return
                presses.note_drawn(view_id, drawn)
                return
        logger.info("left alone: the form shows something newer")

    async def show_busy(self, conversation: Request, words: str) -> None:
        """Say in the form that something takes a while: nothing can be pressed meanwhile."""
        await self.show(conversation, busy_form(words, self._metadata(conversation)))

    async def attempt(
        self,
        conversation: Request,
        work: Callable[[], Awaitable[str | None]],
        lead: str = "",
    ) -> None:
        """Do `work`, then show the list with the line that it returns; `None`: it has shown more.

        Whatever goes wrong is said there too, after `lead`, as what is behind a form is not seen.
        """
        self.presses.note(conversation.view_id)
        channel_id = note_in(conversation.note).channel_id
        try:
            said = await work()
        except Exception as error:
            told = await self.trouble(conversation, error, lead)
            await self.show_list(conversation, channel_id, told)
            if not isinstance(error, BotError):
                raise
            return
        if said is not None:
            await self.show_list(conversation, channel_id, said)

    async def trouble(self, conversation: Request, error: Exception, lead: str = "") -> str:
        """Return one line of mrkdwn about what went wrong, after `lead`."""
        logger.warning("told in the form", error=repr(error), cause=repr(error.__cause__))
        if isinstance(error, ChannelClosedError) and error.code == "is_archived":
            return archived_line(lead)
        facts = await self.failures.facts(error, conversation, conversation.reference)
        is_about_key = isinstance(error, _ABOUT_KEY)
        return error_line(failure_message(error, facts), lead, is_about_key=is_about_key)

    def _metadata(self, conversation: Request) -> str:
        note = FormNote(channel_id=note_in(conversation.note).channel_id)
        return conversation.as_metadata(note.as_text())


class KeyScreen:
    """Puts things where the person waits, which is a form that they may have closed."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures

    async def show(self, conversation: Request, form: Block, otherwise: Message) -> None:
        """Put `form` in the place of the open one; where that cannot be, say `otherwise`."""
        try:
            await put_form(conversation.client, conversation.view_id or "", form)
        except SlackError as error:
            logger.info("not in the form", error=repr(error))
            await conversation.reply(otherwise)

    async def show_failure(
        self, conversation: Request, error: BotError, draw: Callable[[str], Block]
    ) -> None:
        """Say in the form why something was not done; `draw` makes a form of a sentence."""
        message = await self.explained(conversation, error)
        await self.show(conversation, draw(message.text), message)

    async def explained(self, conversation: Request, error: BotError) -> Message:
        """Return what to tell the person; one of our own sentences for each error."""
        logger.warning("not done", error=repr(error), cause=repr(error.__cause__))
        facts = await self._failures.facts(error, conversation, conversation.reference)
        trouble = draft_error_text(error, facts)
        return Message(trouble) if trouble else failure_message(error, facts)
