"""Store who waits for an answer; answer those whose process stops, or was killed."""

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable, Iterable
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
# A stop must not wait for a slow Slack, or a slow store.
TELL_WITHIN_S = 5.0
REMOVED_WITHIN_S = 2.0


@dataclass(slots=True, eq=False)
class Entry:
    """A person who waits for `what`. `close` it when nothing is owed to them any more.

    `form_waits`: their form says "please wait".
    """

    place: Place
    request: Request
    what: str
    since: datetime
    form_waits: bool
    _closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_over(self) -> bool:
        """Whether they have their answer, or the work was done."""
        return self._closed.is_set() or self.request.is_answered

    @property
    def is_long(self) -> bool:
        """Whether the work may take minutes, or change something at the service."""
        command = COMMANDS.get(self.what.partition(".")[0])
        scans_or_adds = command is not None and command.operation in {"scan", "add"}
        return scans_or_adds or self.form_waits

    def close(self) -> None:
        """Let it be removed from the store soon, without waiting."""
        self._closed.set()

    async def wait(self, timeout_s: float) -> None:
        """Return when it is closed, or after that time."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._closed.wait()

    def described(self) -> Pending:
        """Return what another process needs to answer the person."""
        request, origin = self.request, self.request.origin
        line = request.command_line
        window = None if self.form_waits else request.window
        return Pending(
            user_id=origin.user_id,
            what=self.what,
            request=request.reference,
            channel_id=origin.channel_id,
            response_url=origin.response_url,
            is_message=origin.is_message,
            is_home=origin.is_home,
            takes_place=request.takes_place,
            command_line=line if line and not holds_secret(line) else None,
            view_id=window.view_id if window else request.view_id,
            view_hash=None if window else request.view_hash,
            form_waits=self.form_waits,
            messages_url=window.messages_url if window else None,
            thread_ts=origin.thread_ts if origin.is_in_thread else None,
        )

    async def tell(self) -> None:
        """Tell the person that the work is cut off; a failure is only logged."""
        with warned("person does not know of the stop", BotError):
            if self.request.on_stop:
                await self.request.reply(self.request.on_stop())
            else:
                await _tell(self.request, self.described())


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
    tell_within_s: float = TELL_WITHIN_S
    _numbers: "itertools.count[int]" = field(default_factory=partial(itertools.count, 1))
    _open: set[Entry] = field(default_factory=set)

    def note(self, request: Request, what: str, *, form_waits: bool = False) -> Entry:
        """Start to store that a person waits for `what`; never waits for the store.

        What takes long is stored at once, anything else after `noted_after_s`.
        """
        place = Place(request.workspace, self.process_id, next(self._numbers))
        entry = Entry(place, request, what, self.clock(), form_waits)
        self._open.add(entry)
        self.tasks.start(self._keep(entry))
        return entry

    async def tell_all(self) -> int:
        """Tell those who still wait, after the tasks were cancelled; return how many they are.

        It takes at most 7 s. People it could not reach stay in the store, for other processes.
        """
        waiting = [entry for entry in self._open if not entry.is_over]
        await _at_once((entry.tell() for entry in waiting), self.tell_within_s)
        over = [entry.place for entry in self._open if entry.is_over]
        await _at_once((_try(self.answers.forget(place)) for place in over), REMOVED_WITHIN_S)
        return len(waiting)

    async def _keep(self, entry: Entry) -> None:
        """Store an entry until it is over, then remove it: in turn, so that nothing is left."""
        stored = None
        await entry.wait(0 if entry.is_long else self.noted_after_s)
        while not entry.is_over:
            if (pending := entry.described()) != stored:
                stored = pending
                await _try(self.answers.keep(entry.place, pending, since=entry.since))
            await entry.wait(self.look_again_s)
        if stored:
            await _try(self.answers.forget(entry.place))
        self._open.discard(entry)


async def _at_once(work: Iterable[Awaitable[None]], within_s: float) -> None:
    """Do all of it, as far as that works within the time."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            await asyncio.gather(*work, return_exceptions=True)


async def _try(noting: Awaitable[None]) -> None:
    with warned("who waits is not stored", StoreError):
        await noting


async def _tell(request: Request, pending: Pending) -> None:
    """Tell a person that their request was interrupted; raise SlackError."""
    message = interrupted_message(pending.what, pending.command_line)
    is_form = pending.view_id is not None and pending.messages_url is None
    if not is_form or not (pending.form_waits or pending.view_hash):
        await request.reply(message)
        return
    # A form that has changed since the press may be filled in: with its hash it stays.
    view_hash = None if pending.form_waits else pending.view_hash
    form = interrupted_form(pending.what, pending.command_line)
    drawing = update_form(request.client, pending.view_id or "", form, view_hash=view_hash)
    await draw_or_reply(request, drawing, message)


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
                client = await self.client_for(place.workspace)
                await _tell(_request(place.workspace, pending, client, self.replies), pending)
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


def _request(
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
    )
