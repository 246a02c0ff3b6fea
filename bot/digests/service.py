"""List, create, change and send digests. Callers check permissions."""

import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, replace
from datetime import datetime
from typing import Concatenate, ParamSpec

import structlog

from bot.access.repository import Act
from bot.blocks.text import moment_token
from bot.digests import edits, run_state
from bot.digests.alert_cards import AlertCards
from bot.digests.alert_life import silences
from bot.digests.collector import Collector
from bot.digests.delivery import Delivery
from bot.digests.edits import Editor
from bot.digests.models import (
    CLOSED,
    MAX_PER_CHANNEL,
    Digest,
    EditConflictError,
    NameTakenError,
    Plan,
    SameDigestError,
    Snooze,
    Snoozes,
    TooManyDigestsError,
    UnknownDigestError,
)
from bot.digests.report import Post
from bot.digests.repository import DigestRepository
from bot.digests.views.post import announcement_message, greeting_message, told_message
from bot.digests.views.wording import until_text
from bot.process.clock import Clock
from bot.process.errors import log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackError, SlackUnavailableError
from bot.store.documents import ConflictError
from bot.tracker.rate_limit import Purpose

logger = structlog.get_logger()
P = ParamSpec("P")
# See `Audit.note`.
Note = Callable[..., Awaitable[None]]


@dataclass
class DigestService:
    """Makes, changes, pauses, sends and deletes digests. Every method may raise StoreError."""

    repository: DigestRepository
    collector: Collector
    delivery: Delivery
    cards: AlertCards
    _: KW_ONLY
    clock: Clock
    notes: Note

    def __post_init__(self) -> None:
        self.get, self.of_workspace = self.repository.get, self.repository.of_workspace
        self.matching, self.labels = self.collector.matching, self.collector.labels

    async def of_channel(self, workspace: WorkspaceId, channel_id: str) -> list[Digest]:
        """Return a channel's digests, the oldest first."""
        digests = await self.of_workspace(workspace)
        return [digest for digest in digests if digest.plan.channel_id == channel_id]

    async def make(
        self,
        workspace: WorkspaceId,
        plan: Plan,
        *,
        by: Editor,
        digest_id: str = "",
        has_outsiders: bool = False,
    ) -> tuple[Digest, bool]:
        """Save a digest and announce it in its channel; return it, and whether that is posted.

        `digest_id` is that of its form: one that is submitted again changes the digest.
        The errors of `_require_room`, EditConflictError (it was made before, and changed since)
        and SlackError (the channel takes no posts): nothing was posted or saved.
        """
        digest = edits.create(digest_id or secrets.token_hex(6), plan, by, self.clock())
        await self._require_room(workspace, digest)
        try:
            digest = await self.repository.put(workspace, digest)
        except ConflictError:
            made = await self.repository.get(workspace, digest_id)
            if made.plan != digest.plan:
                made = await self.change(workspace, digest_id, plan, by=by, version=1)
            return made, True
        try:
            is_announced = await self._announce(workspace, digest, has_outsiders=has_outsiders)
        except SlackError:
            await self.repository.delete(workspace, digest.digest_id)
            raise
        await self._note(workspace, Act.DIGEST_MADE, by, digest)
        return digest, is_announced

    async def change(
        self,
        workspace: WorkspaceId,
        digest_id: str,
        plan: Plan,
        *,
        by: Editor,
        version: int,
        has_outsiders: bool = False,
    ) -> Digest:
        """Give a digest another plan; in another channel it is announced.

        UnknownDigestError, EditConflictError (it was changed since `version`), and of the new
        channel or name those of `_require_room`, and SlackError: it stays as it was.
        """
        before = await self.repository.get(workspace, digest_id)
        is_moved = plan.channel_id != before.plan.channel_id
        if is_moved or plan.name != before.plan.name:
            await self._require_room(workspace, replace(before, plan=plan))
        now = self.clock()
        saved = await self._change(
            workspace, digest_id, edits.update, plan, by, now, version=version
        )
        try:
            if is_moved:
                await self._announce(workspace, saved, has_outsiders=has_outsiders)
        except SlackError:
            with suppress(EditConflictError, UnknownDigestError):
                await self._change(workspace, digest_id, edits.undone, saved, before, by, now)
            raise
        await self._note(workspace, Act.DIGEST_CHANGED, by, saved)
        return saved

    async def pause(
        self, workspace: WorkspaceId, digest_id: str, *, by: Editor, until: datetime | None
    ) -> Digest:
        """Pause a digest until `until`; `None`: until it is resumed."""
        now = self.clock()
        paused = await self._change(workspace, digest_id, edits.paused, by, now, until=until)
        end = f" until {until_text(until, paused.plan.schedule.zone)}" if until else ""
        await self._tell(workspace, Act.DIGEST_PAUSED, by, paused, "⏸️ paused", end)
        return paused

    async def resume(self, workspace: WorkspaceId, digest_id: str, *, by: Editor) -> Digest:
        resumed = await self._change(workspace, digest_id, edits.resumed, self.clock())
        end = f": next {moment_token(resumed.next.due_at)}"
        await self._tell(workspace, Act.DIGEST_RESUMED, by, resumed, "▶️ resumed", end)
        return resumed

    async def greet(self, workspace: WorkspaceId, channel_id: str) -> None:
        """Post in a channel what the app does; resume what was paused as it was closed to it."""
        resumed = []
        for digest in await self.of_channel(workspace, channel_id):
            if digest.pause and digest.pause.why in CLOSED:
                change, now = edits.resumed, self.clock()
                with suppress(UnknownDigestError):
                    resumed.append(await self._change(workspace, digest.digest_id, change, now))
        await self.delivery.posting.post(workspace, channel_id, greeting_message(resumed))

    async def delete(
        self, workspace: WorkspaceId, digest_id: str, *, by: Editor | None = None
    ) -> None:
        """Delete a digest; raise UnknownDigestError when it is gone already."""
        digest = await self.repository.get(workspace, digest_id)
        await self.cards.touch(workspace, digest_id, after=run_state.CLAIM)
        try:
            await self.repository.delete(workspace, digest_id)
        finally:
            await self.cards.touch(workspace, digest_id)
        if by:
            await self._tell(workspace, Act.DIGEST_DELETED, by, digest, "🗑️ deleted")

    async def snoozes(self, workspace: WorkspaceId, digest: Digest) -> Snoozes:
        """Return the silences of an alert, none for a digest."""
        if not digest.plan.is_alert:
            return ()
        alerts = (await self.repository.cards(workspace, digest.digest_id)).values()
        return silences(digest, alerts, self.clock())

    async def snooze(self, workspace: WorkspaceId, digest_id: str, snooze: Snooze | None) -> None:
        """Snooze all domains of an alert; `None` ends that."""
        await self._change(workspace, digest_id, replace, snooze=snooze)

    async def _change(
        self,
        workspace: WorkspaceId,
        digest_id: str,
        change: Callable[Concatenate[Digest, P], Digest],
        *args: P.args,
        **more: P.kwargs,
    ) -> Digest:
        """Save and return `change` of a digest, which the cards of an alert then show."""
        # First for later: should the process end in between, nothing else lets the cards of a
        # paused alert be drawn again.
        await self.cards.touch(workspace, digest_id, after=run_state.CLAIM)
        try:
            return await self.repository.change(workspace, digest_id, change, *args, **more)
        finally:
            await self.cards.touch(workspace, digest_id)

    async def send_now(self, workspace: WorkspaceId, digest_id: str, *, by: Editor) -> Digest:
        """Post a digest now, whatever its mode and schedule say; return it.

        Its run `is_promised` if Slack surely did not take the post: it is repeated, and the
        person gets a notice. After an error nothing was posted, unless it is a SlackError whose
        outcome is unknown.
        """
        token = secrets.token_hex(8)
        digest = await self.repository.change(
            workspace, digest_id, edits.start_manual_run, by, self.clock(), token
        )
        try:
            return await self.delivery.deliver(workspace, digest, token)
        except SlackError:
            digest = await self.repository.get(workspace, digest_id)
            if digest.run and digest.run.token == token and digest.run.is_promised:
                return digest
            raise

    async def preview(self, workspace: WorkspaceId, digest: Digest) -> Post:
        """Return the post that would be made now, or raise as `Collector.collect` does."""
        collected = await self.collector.collect(workspace, digest, purpose=Purpose.PERSON)
        return replace(collected.post, is_preview=True)

    async def details(self, workspace: WorkspaceId, digest_id: str, token: str) -> Post | None:
        """Return what the run `token` posted; see `Collector.details`."""
        digest = await self.repository.get(workspace, digest_id)
        return await self.collector.details(workspace, digest, token)

    async def retry_waiting(self, workspace: WorkspaceId) -> None:
        """Make the runs that wait for a key due now: the workspace has a new one."""
        for digest in await self.of_workspace(workspace):
            retry, now = run_state.retry_with_new_key, self.clock()
            with suppress(UnknownDigestError):
                await self.repository.change(workspace, digest.digest_id, retry, now)

    async def _note(self, workspace: WorkspaceId, act: Act, by: Editor, digest: Digest) -> None:
        if not digest.plan.is_own:  # nobody else reads of it
            channel_id = digest.plan.channel_id
            await self.notes(workspace, act, by=by.user_id, channel_id=channel_id)

    async def _tell(
        self, workspace: WorkspaceId, act: Act, by: Editor, digest: Digest, *words: str
    ) -> None:
        """Note what was done with a digest, and say it in its channel, where Slack takes it."""
        await self._note(workspace, act, by, digest)
        if not digest.plan.is_own:
            message = told_message(digest, by.name, *words)
            with log_and_suppress("not told in the channel", SlackError):
                await self.delivery.posting.post(workspace, digest.plan.channel_id, message)

    async def _require_room(self, workspace: WorkspaceId, digest: Digest) -> None:
        """Raise TooManyDigestsError, NameTakenError or SameDigestError.

        Of two made at one moment both may pass.
        """
        there = await self.of_channel(workspace, digest.plan.channel_id)
        others = [each.plan for each in there if each.digest_id != digest.digest_id]
        if len(others) >= MAX_PER_CHANNEL:
            raise TooManyDigestsError("a full channel")
        name = digest.plan.name.casefold()
        if name and any(each.name.casefold() == name for each in others):
            raise NameTakenError(digest.plan.name)
        if digest.plan in others:
            raise SameDigestError("an equal one is there")

    async def _announce(
        self, workspace: WorkspaceId, digest: Digest, *, has_outsiders: bool
    ) -> bool:
        """Announce a digest but one's own; return whether that is posted, or raise SlackError."""
        if digest.plan.is_own:
            return True
        posting, channel_id = self.delivery.posting, digest.plan.channel_id
        message = announcement_message(digest, has_outsiders=has_outsiders)
        try:
            await posting.acquire_turn(workspace, channel_id)
            await posting.post(workspace, channel_id, message)
        except SlackUnavailableError as error:
            logger.warning("not announced, or maybe", error=repr(error))
            return False
        return True
