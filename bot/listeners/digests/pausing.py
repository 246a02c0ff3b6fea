"""The form that pauses a digest, for a while or until somebody resumes it."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from bot.digests.desk import Desk
from bot.digests.digest import Digest
from bot.digests.schedule import zone_of
from bot.listeners.conversation import Conversation
from bot.listeners.digests.access import DigestAccess
from bot.listeners.digests.note import FormNote, note_in
from bot.listeners.digests.reading import read_pause_form
from bot.listeners.digests.screen import DigestScreen
from bot.listeners.dispatcher import Dispatcher
from bot.views.digests.answers import DAY_IS_OVER, paused_line
from bot.views.digests.listing import PAUSE, saving_form
from bot.views.digests.pause import PAUSE_FORM, pause_form
from bot.views.schedule import schedule_text

# Where the date changes last: https://en.wikipedia.org/wiki/UTC%E2%88%9212:00
_LAST_ZONE = timedelta(hours=-12)


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestPauseListeners:
    """The listeners about that form."""

    desk: Desk
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

    async def open_pause(self, conversation: Conversation, digest_id: str) -> None:
        """Ask until when."""

        async def work() -> None:
            digest = await self.desk.get(conversation.workspace, digest_id)
            await self.access.require_editor_of(conversation, digest)
            await self._show(conversation, digest)

        await self.screen.attempt(conversation, work)

    async def pause(self, conversation: Conversation, day: date | None) -> None:
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
        conversation: Conversation,
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
        form = pause_form(schedule, secrets.token_hex(4), metadata, until=until, said=said)
        await self.screen.show(conversation, form, said)


def _beginning(day: date, digest: Digest) -> datetime:
    zone = zone_of(digest.plan.schedule.zone)
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
