"""Run a listener for people of the workspace, once; answer a failure with a sentence."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import KW_ONLY, dataclass, field
from typing import Generic, TypeVar

import structlog
from cachetools import LRUCache, TTLCache

from bot.blocks.message import Message
from bot.dispatch import usage
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.request import Request, Sent, draw_or_reply
from bot.process.clock import seconds_now
from bot.process.concurrency import Tasks, Turns
from bot.process.errors import BotError, ExternalUserError, log_and_suppress
from bot.process.redaction import holds_secret
from bot.process.workspace import WorkspaceId
from bot.slack.channels import fetch_channel
from bot.slack.errors import SlackError, SlackRefusedError
from bot.store.deduplication import Dedup
from bot.store.documents import ForgottenError, StoreError
from bot.tracker.models import TrackerError

T = TypeVar("T")
# The first match counts. "declined": the person can change something, nothing is wrong.
# Everything else is "broken", a mistake of ours.
_OUTCOMES: tuple[tuple[type[BaseException | None], str], ...] = (
    (type(None), "answered"),
    (TrackerError, "service"),
    (ForgottenError, "declined"),
    (StoreError, "store"),
    (SlackError, "slack"),
    (BotError, "declined"),
    (asyncio.CancelledError, "cut_off"),
)
logger = structlog.get_logger()
# Operators want to see these; the other errors are about what a person typed.
_LOGGED = (TrackerError, StoreError, SlackError)
# After this long without an answer, people wonder whether anything happens at all.
FIRST_WORD_AFTER_S = 4.0
# Sooner on the Home tab, where nothing moves, and a window opens only within 3 s.
FIRST_WORD_IN_HOME_AFTER_S = 1.0
# People do not leave a workspace while they work.
KNOWN_FOR_S = 600
MAX_KNOWN = 20_000
NOT_VISIBLE = "user_not_visible"  # https://docs.slack.dev/reference/methods/users.info#errors
# A stop must not wait for a slow Slack.
TOLD_WITHIN_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling(Generic[T]):
    """What a request asks for: `handle(request, given)`.

    `name` is for the log. `shows_progress`: the answer is a message that people wait for.
    `allows_external`: `handle` decides what people of other companies may see. `is_awaited`: the
    person would miss the result. `form_waits`: they see nothing but a form, where a failure is
    drawn too. `once_key`: it is done once under this key, for example that of a button. `after`
    has to end first.
    """

    name: str
    handle: Callable[[Request, T], Awaitable[None]]
    given: T
    shows_progress: bool = True
    allows_external: bool = False
    is_awaited: bool = True
    form_waits: bool = False
    once_key: str | None = None
    after: "asyncio.Task[None] | None" = None


class ExternalUserGuard:
    """Rejects people of other workspaces; remembers for ten minutes who is no such person."""

    def __init__(self, *, clock: Callable[[], float] = seconds_now) -> None:
        self._known: TTLCache[tuple[WorkspaceId, str], bool] = TTLCache(
            MAX_KNOWN, KNOWN_FOR_S, timer=clock
        )

    async def check(self, request: Request) -> None:
        """Return if the person belongs to the workspace, or to its organisation.

        Raise ExternalUserError if not, or if the bot cannot see them; SlackError if the request
        names another workspace and Slack does not say who they are.
        """
        who = (request.workspace, request.origin.user_id)
        if who in self._known and not request.is_from_elsewhere:
            return
        try:
            member = await request.fetch_member()
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code == NOT_VISIBLE:
                raise ExternalUserError("a person whom the bot cannot see") from error
            if request.is_from_elsewhere:
                raise
            # Slack hardly lets others type a command: without its answer the person may go on.
            logger.warning("Slack does not say who asks", error=repr(error))
            return
        if member.is_stranger:
            raise ExternalUserError("a person of another workspace")
        self._known[who] = True


class SharedChannelNotice:
    """Tells each person once for each channel, and process, that other companies read it."""

    def __init__(self) -> None:
        self._checked: LRUCache[tuple[WorkspaceId, str, str], bool] = LRUCache(MAX_KNOWN)

    async def send(self, request: Request) -> None:
        """Answer what was shared in a channel of several companies; a failure is only logged."""
        channel_id, person = request.origin.channel_id or "", request.origin.user_id
        checked = (request.workspace, person, channel_id)
        if checked in self._checked:
            return
        self._checked[checked] = True  # now: the next one may come during the check
        try:
            if (await fetch_channel(request.client, channel_id)).is_shared:
                await request.reply(usage.READ_OUTSIDE)
        except SlackError as error:
            del self._checked[checked]
            logger.warning("who reads along is unknown", error=repr(error))


async def _say(request: Request, message: Message, *, in_form: bool) -> None:
    """Answer with a message, in the open form if the person sees nothing else."""
    if in_form:
        await draw_or_reply(request, usage.as_form(message), message)
    else:
        await request.reply(message)


@dataclass(slots=True)
class ErrorBoundary:
    """Handles each request in a task of its own after its ack, and catches every exception.

    No exception may leave a listener after `ack()`: Bolt 1.30 forgets the ack if one follows
    within about 10 ms, and Slack then shows an error after 3 s.

    `note` gets the name of the work, how it ended, and the seconds. `seen` remembers what was
    pressed or sent, in all processes.
    """

    tasks: Tasks
    explain: ExplainFailure
    _: KW_ONLY
    note: Callable[[str, str, float], object]
    seen: Dedup = field(default_factory=Dedup)
    external_users: ExternalUserGuard = field(default_factory=ExternalUserGuard)
    turns: Turns[WorkspaceId] = field(default_factory=Turns)
    shared_channels: SharedChannelNotice = field(default_factory=SharedChannelNotice)
    # To answer them at a stop; each with its `form_waits`.
    _waiting: dict[Request, bool] = field(default_factory=dict, init=False)
    # Never raises; called after each act on Home, also after a failure.
    after_home: Callable[[Request], Awaitable[None]] | None = None

    def start(self, request: Request, what: Handling[T]) -> "asyncio.Task[None]":
        """Start and return the handling: whatever happens, the person gets an answer."""
        if what.is_awaited:
            self._waiting[request] = what.form_waits
        return self.tasks.start(self._run(request, what))

    async def cancel_all(self) -> int:
        """Cancel running work and tell the people who wait; return how many they are."""
        await self.tasks.cancel()
        waiting = [each for each in self._waiting if each.answer.sent is not Sent.ANSWER]
        with suppress(TimeoutError):
            async with asyncio.timeout(TOLD_WITHIN_S):
                await asyncio.gather(*map(self._say_interrupted, waiting), return_exceptions=True)
        return len(waiting)

    async def _say_interrupted(self, request: Request) -> None:
        answer, line = request.answer, request.answer.command_line
        shown = line if line and not holds_secret(line) else None
        message = answer.on_stop() if answer.on_stop else usage.interrupted_message(shown)
        in_form = bool(answer.view_id) and (self._waiting[request] or answer.window is None)
        with log_and_suppress("person does not know of the stop", BotError):
            await _say(request, message, in_form=in_form)

    async def _run(self, request: Request, what: Handling[T]) -> None:
        """Take a request through every step, in this order. None raises anything further."""
        started = seconds_now()
        failure: BaseException | None = asyncio.CancelledError()
        with request.logged(what.name):
            try:
                if what.after:
                    await asyncio.wait({what.after})
                first_word = self._first_word(request, shows_progress=what.shows_progress)
                async with first_word, self.turns.take(request.workspace):
                    await self._handle(request, what)
                if request.answer.sent is Sent.PROGRESS:  # the answer is in a form
                    with log_and_suppress("message not sent", SlackError):
                        await request.reply(usage.ANSWERED_IN_FORM)
                if request.answer.has_shared:
                    await self.shared_channels.send(request)
                failure = None
            except Exception as error:  # noqa: BLE001  # the boundary: see the class
                failure = error
                await self._explain(request, error, in_form=what.form_waits)
            finally:
                took_s = seconds_now() - started
                found = (word for kind, word in _OUTCOMES if isinstance(failure, kind))
                outcome = next(found, "broken")
                self.note(what.name, outcome, took_s)
                why = {"error": type(failure).__name__} if failure else {}
                logger.info("request", outcome=outcome, took_s=round(took_s, 3), **why)
            self._waiting.pop(request, None)  # not after a cancellation: the person has to know
            if self.after_home and request.origin.is_home:
                await self.after_home(request)

    async def _handle(self, request: Request, what: Handling[T]) -> None:
        if not what.allows_external:
            await self.external_users.check(request)
        pressed = f"press/{what.once_key}" if what.once_key else None
        if pressed and not await self.seen.remember(pressed):
            request.answer.takes_place = False  # there is the answer to the first press
            await request.reply(usage.ALREADY_PRESSED)
            return
        try:
            await what.handle(request, what.given)
        except BaseException:
            if pressed:  # the button works again
                await self.seen.forget(pressed)
            raise

    @asynccontextmanager
    async def _first_word(self, request: Request, *, shows_progress: bool) -> AsyncIterator[None]:
        """Say that work goes on if the block takes longer, and never after it."""
        said: list[asyncio.Task[None]] = []

        def say() -> None:
            first_word = request.answer.send_progress(usage.STILL_WORKING, is_first=True)
            said.append(self.tasks.start(first_word))

        wait_s = FIRST_WORD_IN_HOME_AFTER_S if request.answer.window else FIRST_WORD_AFTER_S
        timer = asyncio.get_running_loop().call_later(wait_s, say) if shows_progress else None
        try:
            yield
        finally:
            if timer:
                timer.cancel()
            if said:  # the answer must not overtake it
                await asyncio.wait(said)

    async def _explain(self, request: Request, error: Exception, *, in_form: bool) -> None:
        if not isinstance(error, BotError):
            logger.exception("unforeseen failure")
        elif isinstance(error, _LOGGED):
            logger.warning("failure explained", error=repr(error), cause=repr(error.__cause__))
        with log_and_suppress("could not explain the failure", Exception):
            message = await self.explain(error, request)
            await _say(request, message, in_form=in_form)
