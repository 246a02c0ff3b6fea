"""Note who waits for an answer, and tell those whose process was killed."""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.concurrency import Tasks
from bot.errors import BotError
from bot.inflight_requests import InflightStore, Pending, Place
from bot.listeners.request import AnswerWindow, Request, written
from bot.process_heartbeat import Processes
from bot.redaction import holds_secret
from bot.slack.client import update_form
from bot.slack.errors import (
    SlackError,
    SlackRefusedError,
    SlackUnreachableError,
    WorkspaceHeldError,
)
from bot.slack.replies import Origin, Replies
from bot.store.documents import StoreError
from bot.views.home import ANSWER
from bot.views.usage import interrupted_form, interrupted_message
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# What is known of the way back changes while the work goes on: a window opens, a form is drawn
# anew, what was said meanwhile can be replaced.
LOOK_AGAIN_S = 1.0
# Most answers come sooner, and cost the store nothing.
NOTED_AFTER_S = 0.5
# Notes wait for each other, so that the store has time for the answers.
AT_ONCE = 4
STRUCK_OFF_WITHIN_S = 2.0


class Entry:
    """Somebody who waits. `close` once they need not be told any more."""

    def __init__(self, place: Place, conversation: Request, since: datetime) -> None:
        self.place = place
        self.conversation = conversation
        self.since = since
        self.may_be_stored = False
        self._closed = asyncio.Event()

    @property
    def is_over(self) -> bool:
        """Whether they have their answer, or what they asked for was done."""
        return self._closed.is_set() or self.conversation.is_answered

    def close(self) -> None:
        """Let it be struck off, soon; nobody needs to wait for that."""
        self._closed.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when it is closed, or after that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._closed.wait()


class InflightTracker:
    """Notes who waits, and strikes them off. A store that fails is logged, and no more."""

    def __init__(
        self,
        answers: InflightStore,
        tasks: Tasks,
        *,
        process_id: str,
        clock: Callable[[], datetime],
        look_again_s: float = LOOK_AGAIN_S,
        noted_after_s: float = NOTED_AFTER_S,
    ) -> None:
        self._answers = answers
        self._tasks = tasks
        self._process_id = process_id
        self._clock = clock
        self._look_again_s = look_again_s
        self._noted_after_s = noted_after_s
        self._numbers = itertools.count(1)
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._open: set[Entry] = set()

    def note(
        self, conversation: Request, what: str, request: str, *, form_waits: bool = False
    ) -> Entry:
        """Begin to note that somebody waits for `what`; never waits for the store.

        `request` is its reference in the log. `form_waits`: the form before them says "please
        wait" until it is drawn anew.
        """
        place = Place(conversation.workspace, self._process_id, next(self._numbers))
        entry = Entry(place, conversation, self._clock())
        self._open.add(entry)
        describe = partial(_described, conversation, what, request, form_waits=form_waits)
        self._tasks.start(self._keep(entry, describe))
        return entry

    async def strike_off(self) -> None:
        """Strike off whoever has an answer, after the tasks were cancelled; at most 2 s."""
        over = [entry for entry in self._open if entry.is_over]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STRUCK_OFF_WITHIN_S):
                await asyncio.gather(*map(self._strike, over))

    async def _keep(self, entry: Entry, describe: Callable[[], Pending]) -> None:
        """One after the other, so that no note is written after it was struck off."""
        noted = None
        await entry.wait(self._noted_after_s)
        while not entry.is_over:
            if (now := describe()) != noted:
                noted = now
                await self._write(entry, now)
            await entry.wait(self._look_again_s)
        await self._strike(entry)

    async def _write(self, entry: Entry, now: Pending) -> None:
        async with self._turns:
            if not entry.is_over:
                entry.may_be_stored = True
                await _try(self._answers.keep(entry.place, now, since=entry.since))

    async def _strike(self, entry: Entry) -> None:
        if entry.may_be_stored:
            async with self._turns:
                await _try(self._answers.forget(entry.place))
        self._open.discard(entry)


def _described(conversation: Request, what: str, request: str, *, form_waits: bool) -> Pending:
    """Return everything that is needed to answer in the place of this process."""
    origin, line = conversation.origin, conversation.command_line
    window = None if form_waits else conversation.window
    return Pending(
        user_id=origin.user_id,
        what=what,
        request=request,
        channel_id=origin.channel_id,
        response_url=origin.response_url,
        is_message=origin.is_message,
        is_home=origin.is_home,
        takes_place=conversation.takes_place,
        command_line=line if line and not holds_secret(line) else None,
        view_id=window.view_id if window else conversation.view_id,
        view_hash=None if window else conversation.view_hash,
        form_waits=form_waits,
        messages_url=window.messages_url if window else None,
    )


async def _try(noting: Awaitable[None]) -> None:
    try:
        await noting
    except StoreError as error:
        logger.warning("who waits is not noted", error=repr(error))


# A process may leave hundreds of people behind, and the others have people of their own.
NOTICES_AT_ONCE = 10
# Less than `pending.FIRST_TRY`: nobody else begins before this has ended.
TOLD_WITHIN_S = 30.0


class OrphanNotifier:
    """Looks for them, and tells each once, by whichever way is open.

    Telling that fails for a moment is tried again, by whichever process comes first; so somebody
    may be told twice, when the answer of Slack was lost.
    """

    def __init__(
        self,
        answers: InflightStore,
        processes: Processes,
        replies: Replies,
        tasks: Tasks,
        *,
        client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]],
    ) -> None:
        self._answers = answers
        self._processes = processes
        self._replies = replies
        self._tasks = tasks
        self._client_for = client_for
        self._turns = asyncio.Semaphore(NOTICES_AT_ONCE)
        self._under_way: set[Place] = set()
        self._is_stopped = False

    async def tick(self) -> None:
        """Show that this process lives, and begin to tell those whom a dead one left waiting.

        To be called every `presence.REFRESH_EVERY_S`, also while the process finishes what it has
        begun. A store that fails is logged, and no more.
        """
        try:
            await self._processes.heartbeat()
            due = await self._answers.due()
        except StoreError as error:
            logger.warning("cannot look who was left waiting", error=repr(error))
            return
        for place in due:
            if self._processes.is_dead(place.process_id) and place not in self._under_way:
                self._begin(place)

    def stop(self) -> None:
        """Begin to tell nobody any more: others will, or this bot after its next start."""
        self._is_stopped = True

    def _begin(self, place: Place) -> None:
        if not self._is_stopped:
            self._under_way.add(place)
            self._tasks.start(self._see_to(place))

    async def _see_to(self, place: Place) -> None:
        try:
            async with self._turns:
                with structlog.contextvars.bound_contextvars(workspace=str(place.workspace)):
                    await self._take_up(place)
        except BotError as error:
            logger.warning("who was left waiting is told later", error=repr(error))
        finally:
            self._under_way.discard(place)

    async def _take_up(self, place: Place) -> None:
        if (pending := await self._answers.take(place)) is None:
            return
        try:
            async with asyncio.timeout(TOLD_WITHIN_S):
                await self._tell(place.workspace, pending)
        except TimeoutError as error:
            raise SlackUnreachableError("not told in time") from error
        except WorkspaceHeldError:
            raise
        except SlackRefusedError as error:  # the app is gone, or the person
            logger.warning("nobody to tell", what=pending.what, error=repr(error))
        else:
            logger.warning(
                "told that it was interrupted",
                request=pending.request,
                what=pending.what,
                user=pending.user_id,
                process=place.process_id,
            )
        await self._answers.forget(place)

    async def _tell(self, workspace: WorkspaceId, pending: Pending) -> None:
        client = await self._client_for(workspace)
        if _may_redraw(pending) and await _is_told_in_form(client, pending):
            return
        conversation = _conversation(workspace, pending, client, self._replies)
        await conversation.reply(interrupted_message(pending.what, pending.command_line))


def _may_redraw(pending: Pending) -> bool:
    """Whether it is known what stands in the form, so that nothing newer is overwritten."""
    is_form = pending.view_id is not None and pending.messages_url is None
    return is_form and (pending.form_waits or pending.view_hash is not None)


async def _is_told_in_form(client: AsyncWebClient, pending: Pending) -> bool:
    """Say it in the form that they have open; return whether that was done.

    The form of the press may have been drawn anew since, and be filled in: then it stays.
    """
    form = interrupted_form(pending.what, pending.command_line)
    view_hash = None if pending.form_waits else pending.view_hash
    try:
        await update_form(client, pending.view_id or "", form, view_hash=view_hash)
    except SlackError as error:
        logger.info("not in the form", error=repr(error))
        return False
    return True


def _conversation(
    workspace: WorkspaceId, pending: Pending, client: AsyncWebClient, replies: Replies
) -> Request:
    """Return the conversation as the other process has left it."""
    origin = Origin(
        pending.user_id,
        pending.channel_id,
        pending.response_url,
        is_message=pending.is_message,
        is_home=pending.is_home,
    )
    window = None
    if pending.messages_url is not None and pending.view_id is not None:
        window = AnswerWindow(
            client=client,
            trigger_id=None,
            messages_url=pending.messages_url,
            metadata=written(workspace, origin, ANSWER),
            view_id=pending.view_id,
        )
    return Request(
        workspace=workspace,
        origin=origin,
        client=client,
        replies=replies,
        command_line=pending.command_line,
        takes_place=pending.takes_place,
        window=window,
    )
