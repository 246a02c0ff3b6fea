"""Bring the cards of alerts up to date in Slack, each by one process at a time.

A change of an alert is saved first, with the lines that its thread gets, and comes due. A process
that draws it claims it, so a killed one leaves it due; what it had posted may come once more.
"""

import hashlib
import json
import secrets
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.blocks.builders import plain_message
from bot.blocks.message import Message
from bot.digests import alert_life as life
from bot.digests.alert_card import AlertCard
from bot.digests.models import Digest, Reminder, UnknownAlertError, UnknownDigestError
from bot.digests.repository import ALERT, DigestRepository
from bot.digests.run_state import CLAIM
from bot.digests.views.alert import alert_message, reminder_line
from bot.digests.views.wording import person
from bot.process.clock import Clock
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.client import SentMessage
from bot.slack.errors import ChannelClosedError, SlackError
from bot.slack.posting import MAX_TRIES, Posting, retry_after

logger = structlog.get_logger()
AT_ONCE = 200
# A channel that is closed may be opened again.
CLOSED_AGAIN_AFTER = timedelta(hours=1)


def shown_by(message: Message) -> str:
    """Return what names the content of a card."""
    return hashlib.sha256(json.dumps(message.blocks).encode()).hexdigest()[:16]


async def note_look(
    repository: DigestRepository, workspace: WorkspaceId, digest: Digest, look: life.Look
) -> set[str]:
    """Save what a look says of the alerts of a digest; return the hosts on open cards.

    A post without `ts` may be there if its baseline counts; else its process died before it, or
    is about to post it.
    """
    told: set[str] = set()
    for name, alert in (await repository.cards(workspace, digest.digest_id)).items():
        is_posted = name == f"{digest.digest_id}/{digest.baseline}"
        if not (alert.ts or alert.is_uncertain or is_posted):
            if look.facts.now - alert.falls[0].at > CLAIM:
                await repository.delete_card(workspace, name)
        elif alert.down and not _is_elsewhere(alert, digest):
            with suppress(UnknownAlertError):
                after = await repository.change_card(workspace, name, _seen, name, digest, look)
                told |= set(after.hosts) if after.ts else set()
    return told


def _seen(alert: AlertCard, name: str, digest: Digest, look: life.Look) -> AlertCard:
    now = look.facts.now
    after = life.after_look(replace(alert, is_uncertain=not alert.ts), look)
    is_shown = not after.ts or after.shown == shown_by(drawn(name, after, digest, now))
    return after if is_shown and not after.lines else life.touched(after, now)


def drawn(name: str, alert: AlertCard, digest: Digest | None, now: datetime) -> Message:
    last_word = _last_word(alert, digest, now)
    if digest is None or _is_elsewhere(alert, digest):  # its snooze goes with it
        alert = replace(alert, snooze=None)
    return alert_message(name, alert, digest, now, last_word=last_word)


def _last_word(alert: AlertCard, digest: Digest | None, now: datetime) -> str:
    """Return why a card does not change any more, or for now; nothing for one that does."""
    if digest is None:
        return "🗑️ This alert was deleted. Its card stays as it is."
    if alert.down and _is_elsewhere(alert, digest):
        return "➡️ This alert posts elsewhere now, or at fixed times. Its card stays as it is."
    if life.is_expired(alert, now):
        days = life.KEPT_FOR.days
        return f"⏹️ Not recovered within {days} days. A further fall is a new card."
    if alert.down and digest.pause:
        by = f" by {person(digest.pause.by)}" if digest.pause.by else ""
        return f"⏸️ The alert is paused{by}. Its card goes on when it is resumed."
    return ""


def _is_elsewhere(alert: AlertCard, digest: Digest) -> bool:
    return digest.plan.channel_id != alert.channel_id or not digest.plan.is_alert


@dataclass
class AlertCards:
    """Draws cards and posts the lines of their threads."""

    repository: DigestRepository
    posting: Posting
    _: KW_ONLY
    clock: Clock

    async def run_due(self) -> None:
        """Draw the cards that are due. Raise StoreError."""
        due = await self.repository.due(self.clock(), limit=AT_ONCE, kind=ALERT)
        for workspace, name in due:
            with log_and_suppress("a card is drawn later", BotError):
                await self.show(workspace, name)

    async def show(self, workspace: WorkspaceId, name: str) -> None:
        """Bring a card up to date, unless another process does. Raise StoreError."""
        token = secrets.token_hex(4)
        try:
            while await self._show_once(workspace, name, token):
                pass
        except UnknownAlertError:  # another process has drawn it to its end, or it is of old
            await self.repository.delete_card(workspace, name)

    async def touch(
        self, workspace: WorkspaceId, digest_id: str, *, after: timedelta = timedelta()
    ) -> None:
        """Let the cards of a digest be compared with it `after` some time. Raise StoreError."""
        at = self.clock() + after
        for name in await self.repository.cards(workspace, digest_id):
            with suppress(UnknownAlertError):
                await self.repository.change_card(workspace, name, life.touched, at)

    async def _show_once(self, workspace: WorkspaceId, name: str, token: str) -> bool:
        """Draw a card; return whether it was changed since."""
        change = self.repository.change_card
        alert = await change(workspace, name, life.claimed, token, self.clock())
        if alert.claimed_by != token:
            return False
        now, later = self.clock(), alert.falls[0].at + CLAIM
        if not (alert.ts or alert.is_uncertain) and now <= later:  # who posts it says where it is
            await change(workspace, name, life.released, token, now, later)
            return False
        digest: Digest | None = None
        with suppress(UnknownDigestError):
            digest = await self.repository.get(workspace, name.partition("/")[0])
        is_due = alert.remind_at and alert.remind_at <= now
        if is_due and not _due_reminder(alert, digest, now):
            alert = await change(workspace, name, replace, remind_at=None)
        try:
            alert = await self._draw(workspace, name, alert, digest, token)
        except SlackError as error:
            logger.warning("a card is not drawn", error=repr(error))
            is_closed = isinstance(error, ChannelClosedError) and alert.tries < MAX_TRIES
            wait = CLOSED_AGAIN_AFTER if is_closed else retry_after(error, alert.tries)
            tries, now = alert.tries + 1, self.clock()
            if wait is None:
                await self.repository.delete_card(workspace, name)
            else:
                released = life.released
                await change(workspace, name, released, token, now, now + wait, tries=tries)
            return False
        now = self.clock()
        if digest is None or _is_over(alert, digest, now):
            alert = await self.repository.card(workspace, name)
            if not alert.is_stale:
                await self.repository.delete_card(workspace, name)
                return False
        due = life.next_due(alert, digest, now) if digest else now
        return (await change(workspace, name, life.released, token, now, due)).due <= now

    async def _draw(
        self,
        workspace: WorkspaceId,
        name: str,
        alert: AlertCard,
        digest: Digest | None,
        token: str,
    ) -> AlertCard:
        change = self.repository.change_card
        message = drawn(name, alert, digest, self.clock())
        place, shown = alert.channel_id, shown_by(message)
        if alert.ts and shown != alert.shown:
            await self.posting.edit(workspace, SentMessage(place, alert.ts), message)
            alert = await change(workspace, name, self._kept, token, shown=shown)
        while line := self._next_line(alert, digest):
            thread = alert.ts or None
            await self.posting.acquire_turn(workspace, place)
            try:
                await self.posting.post(workspace, place, plain_message(line), thread_ts=thread)
            except SlackError as error:
                if not error.is_outcome_unknown:
                    raise
            alert = await change(workspace, name, self._kept, token, line=line)
        return alert

    def _next_line(self, alert: AlertCard, digest: Digest | None) -> str:
        """Return what the thread of a card gets to read next, nothing if that is all."""
        if alert.lines and (alert.ts or not alert.down):
            return alert.lines[0]
        reminder = _due_reminder(alert, digest, self.clock())
        return reminder_line(alert, reminder) if reminder else ""

    def _kept(self, alert: AlertCard, token: str, *, shown: str = "", line: str = "") -> AlertCard:
        """Return an alert after a step of `token`, whose claim goes on."""
        is_first = alert.lines[:1] == (line,)
        due = self.clock() + CLAIM if alert.claimed_by == token else alert.due
        return replace(
            alert,
            shown=shown or alert.shown,
            lines=alert.lines[1:] if is_first else alert.lines,
            due=due,
            remind_at=None if line and not is_first else alert.remind_at,
        )


def _due_reminder(alert: AlertCard, digest: Digest | None, now: datetime) -> Reminder | None:
    """Return who is to be mentioned now, `None` unless the card waits for somebody."""
    is_due = alert.remind_at is not None and alert.remind_at <= now
    if digest is None or not (is_due and alert.ts and alert.down):
        return None
    is_snoozed = alert.active_snooze(now) or digest.active_snooze(now)
    return None if is_snoozed or _last_word(alert, digest, now) else digest.plan.reminder


def _is_over(alert: AlertCard, digest: Digest, now: datetime) -> bool:
    """Return whether nothing more can become of a card."""
    if alert.active_snooze(now) and not _is_elsewhere(alert, digest):
        return False
    is_final = _is_elsewhere(alert, digest) or life.is_expired(alert, now)
    return is_final or not alert.down
