"""Store who waits for an answer; answer those whose process was killed."""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from functools import partial

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.commands import COMMANDS
from bot.concurrency import Tasks
from bot.errors import BotError, warned
from bot.inflight_requests import InflightStore, Pending, Place
from bot.listeners.request import AnswerWindow, Request, draw_or_reply, written
from bot.process_heartbeat import Processes
from bot.redaction import holds_secret
from bot.slack.client import update_form
from bot.slack.errors import SlackRefusedError, WorkspaceHeldError
from bot.slack.replies import Origin, Replies
from bot.store.documents import StoreError
from bot.views.home import ANSWER
from bot.views.usage import interrupted_form, interrupted_message
from bot.workspace import WorkspaceId

logger = structlog.get_logger()
# The way to answer changes during the work: a window opens, a form is redrawn, a progress
# message can be replaced.
LOOK_AGAIN_S = 1.0
# Most answers come sooner, and cost the store nothing.
NOTED_AFTER_S = 0.5
# Notes wait for each other, so that the store has time for the answers.
AT_ONCE = 4
REMOVED_WITHIN_S = 2.0


@dataclass(slots=True, eq=False)
class Entry:
    """A person who waits. `close` it when nothing is owed to them any more."""

    place: Place
    request: Request
    since: datetime
    may_be_stored: bool = False
    _closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_over(self) -> bool:
        """Whether they have their answer, or the work was done."""
        return self._closed.is_set() or self.request.is_answered

    def close(self) -> None:
        """Let it be removed from the store soon, without waiting."""
        self._closed.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when it is closed, or after that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._closed.wait()


@dataclass(frozen=True, slots=True)
class InflightTracker:
    """Stores who waits, and removes them. A failure of the store is only logged."""

    answers: InflightStore
    tasks: Tasks
    _: KW_ONLY
    process_id: str
    clock: Callable[[], datetime]
    look_again_s: float = LOOK_AGAIN_S
    noted_after_s: float = NOTED_AFTER_S
    _numbers: "itertools.count[int]" = field(default_factory=partial(itertools.count, 1))
    _turns: asyncio.Semaphore = field(default_factory=partial(asyncio.Semaphore, AT_ONCE))
    _open: set[Entry] = field(default_factory=set)

    def note(self, request: Request, what: str, *, form_waits: bool = False) -> Entry:
        """Start to store that a person waits for `what`; never waits for the store.

        `form_waits`: their form says "please wait". What takes long is stored at once, anything
        else after `noted_after_s`.
        """
        place = Place(request.workspace, self.process_id, next(self._numbers))
        entry = Entry(place, request, self.clock())
        self._open.add(entry)
        describe = partial(_described, request, what, form_waits=form_waits)
        command = COMMANDS.get(what.partition(".")[0])
        is_long = form_waits or request.step_id or (command and command.takes_long)
        self.tasks.start(self._keep(entry, describe, 0 if is_long else self.noted_after_s))
        return entry

    async def remove_answered(self) -> None:
        """Remove those who have an answer, after the tasks were cancelled; at most 2 s."""
        over = [entry for entry in self._open if entry.is_over]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(REMOVED_WITHIN_S):
                await asyncio.gather(*map(self._remove, over))

    async def _keep(self, entry: Entry, describe: Callable[[], Pending], after_s: float) -> None:
        """Store an entry until it is over, then remove it: in turn, so that nothing is left."""
        noted = None
        await entry.wait(after_s)
        while not entry.is_over:
            if (now := describe()) != noted:
                noted = now
                await self._write(entry, now)
            await entry.wait(self.look_again_s)
        await self._remove(entry)

    async def _write(self, entry: Entry, now: Pending) -> None:
        async with self._turns:
            if not entry.is_over:
                entry.may_be_stored = True
                await _try(self.answers.keep(entry.place, now, since=entry.since))

    async def _remove(self, entry: Entry) -> None:
        if entry.may_be_stored:
            async with self._turns:
                await _try(self.answers.forget(entry.place))
        self._open.discard(entry)


def _described(request: Request, what: str, *, form_waits: bool) -> Pending:
    """Return what another process needs to answer the person."""
    origin, line = request.origin, request.command_line
    window = None if form_waits else request.window
    return Pending(
        user_id=origin.user_id,
        what=what,
        request=request.reference,
        channel_id=origin.channel_id,
        response_url=origin.response_url,
        is_message=origin.is_message,
        is_home=origin.is_home,
        takes_place=request.takes_place,
        command_line=line if line and not holds_secret(line) else None,
        view_id=window.view_id if window else request.view_id,
        view_hash=None if window else request.view_hash,
        form_waits=form_waits,
        messages_url=window.messages_url if window else None,
        step_id=request.step_id,
        thread_ts=origin.thread_ts if origin.is_in_thread else None,
    )


async def _try(noting: Awaitable[None]) -> None:
    with warned("who waits is not stored", StoreError):
        await noting


# A killed process may leave hundreds of people, and the other processes have work of their own.
NOTICES_AT_ONCE = 10
# Less than `inflight_requests.FIRST_TRY`: no other process begins before this has ended.
NOTIFIED_WITHIN_S = 30.0


@dataclass(slots=True)
class OrphanNotifier:
    """Tells people of killed processes that their request was interrupted.

    A failed attempt is repeated by any process: if Slack's answer was lost, a person may read it
    twice.
    """

    answers: InflightStore
    processes: Processes
    replies: Replies
    tasks: Tasks
    _: KW_ONLY
    client_for: Callable[[WorkspaceId], Awaitable[AsyncWebClient]]
    _turns: asyncio.Semaphore = field(default_factory=partial(asyncio.Semaphore, NOTICES_AT_ONCE))
    _running: set[Place] = field(default_factory=set)
    _is_stopped: bool = False

    async def tick(self) -> None:
        """Refresh the heartbeat of this process, and notify the people of dead ones.

        Call it every `REFRESH_EVERY_S`, also while the process drains. It only logs StoreError.
        """
        with warned("interrupted requests cannot be read", StoreError):
            await self.processes.heartbeat()
            for place in await self.answers.due():
                is_new = place not in self._running and not self._is_stopped
                if is_new and self.processes.is_dead(place.process_id):
                    self._running.add(place)
                    self.tasks.start(self._notify(place))

    def stop(self) -> None:
        """Start no more notices: other processes will, or this one after its next start."""
        self._is_stopped = True

    async def _notify(self, place: Place) -> None:
        try:
            with (
                structlog.contextvars.bound_contextvars(workspace=str(place.workspace)),
                warned("interruption notice failed, to be repeated", BotError, TimeoutError),
            ):
                async with self._turns:
                    await self._take_up(place)
        finally:
            self._running.discard(place)

    async def _take_up(self, place: Place) -> None:
        if (pending := await self.answers.take(place)) is None:
            return
        try:
            async with asyncio.timeout(NOTIFIED_WITHIN_S):
                await self._tell(place.workspace, pending)
        except WorkspaceHeldError:
            raise
        except SlackRefusedError as error:  # the app is gone, or the person
            logger.warning("the person cannot be reached", what=pending.what, error=repr(error))
        else:
            logger.warning(
                "person knows of the interruption",
                request=pending.request,
                what=pending.what,
                user=pending.user_id,
                process=place.process_id,
            )
        await self.answers.forget(place)

    async def _tell(self, workspace: WorkspaceId, pending: Pending) -> None:
        client = await self.client_for(workspace)
        request = _conversation(workspace, pending, client, self.replies)
        message = interrupted_message(pending.what, pending.command_line)
        is_form = pending.view_id is not None and pending.messages_url is None
        if not is_form or not (pending.form_waits or pending.view_hash):
            await request.reply(message)
            return
        # A form that has changed since the press may be filled in: with its hash it stays.
        view_hash = None if pending.form_waits else pending.view_hash
        form = interrupted_form(pending.what, pending.command_line)
        drawing = update_form(client, pending.view_id or "", form, view_hash=view_hash)
        await draw_or_reply(request, drawing, message)


def _conversation(
    workspace: WorkspaceId, pending: Pending, client: AsyncWebClient, replies: Replies
) -> Request:
    origin = Origin(
        pending.user_id,
        pending.channel_id,
        pending.response_url,
        is_message=pending.is_message,
        is_home=pending.is_home,
        thread_ts=pending.thread_ts,
        is_in_thread=pending.thread_ts is not None,
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
        step_id=pending.step_id,
    )
