"""Run a listener; answer a failure with a sentence."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, TypeVar

import structlog

from bot.dispatch import usage
from bot.dispatch.external_people import ExternalUserGuard
from bot.dispatch.failure import ExplainFailure
from bot.dispatch.interrupted import InflightTracker, WaitingRequest
from bot.dispatch.request import Request
from bot.process.clock import seconds_now
from bot.process.concurrency import Tasks
from bot.process.errors import BotError, warned
from bot.slack.errors import SlackError
from bot.store.documents import ForgottenError, StoreError
from bot.tracker.models import TrackerError

T = TypeVar("T")
# The first match counts. "declined": the person can change something, nothing is wrong.
_OUTCOMES: tuple[tuple[type[BaseException], str], ...] = (
    (TrackerError, "service"),
    (ForgottenError, "declined"),
    (StoreError, "store"),
    (SlackError, "slack"),
    (BotError, "declined"),
    (asyncio.CancelledError, "cut_off"),
)


def outcome_of(error: BaseException | None) -> str:
    """Return "answered" for `None`, the failed part, or "broken" for a mistake of ours."""
    if error is None:
        return "answered"
    return next((word for kind, word in _OUTCOMES if isinstance(error, kind)), "broken")


logger = structlog.get_logger()
# Operators want to see these; the other errors are about what a person typed.
_LOGGED = (TrackerError, StoreError, SlackError)
# After this long without an answer, people wonder whether anything happens at all.
FIRST_WORD_AFTER_S = 4.0
# Sooner on the Home tab, where nothing moves, and a window opens only within 3 s.
FIRST_WORD_IN_HOME_AFTER_S = 1.0


@dataclass(slots=True)
class ErrorBoundary:
    """Runs the work after an ack in a task of its own, and catches every exception.

    No exception may leave a listener after `ack()`: Bolt 1.30 forgets the ack if one follows
    within about 10 ms, and Slack then shows an error after 3 s.

    `inflight` knows who waits, to answer them at a stop. `note` gets the name of the work, how it
    ended, and the seconds.
    """

    tasks: Tasks
    explain: ExplainFailure
    _: KW_ONLY
    inflight: InflightTracker
    note: Callable[[str, str, float], object] = lambda _what, _outcome, _took_s: None
    external_users: ExternalUserGuard = field(default_factory=ExternalUserGuard)
    _at_home: Callable[[Request], Awaitable[None]] | None = None

    def after_home(self, follow: Callable[[Request], Awaitable[None]]) -> None:
        """Call `follow`, which never raises, after each act on Home, also after a failure."""
        self._at_home = follow

    def start(
        self,
        request: Request,
        work: Callable[[], Awaitable[None]],
        name: str,
        *,
        speaks: bool = True,
        admits_strangers: bool = False,
        is_awaited: bool = True,
        form_waits: bool = False,
    ) -> "asyncio.Task[None]":
        """Start and return `work` for a person: whatever happens, they get an answer.

        `name` is for the log. `speaks`: the answer is a message that people wait for.
        `admits_strangers`: `work` decides what people of other companies may see. `is_awaited`:
        the person would miss the result. `form_waits`: their form says "please wait" until
        `work` draws it again.
        """

        async def checked() -> None:
            if not admits_strangers:
                await self.external_users.check(request)
            await work()

        waiting = self.inflight.note(request, form_waits=form_waits) if is_awaited else None
        return self.tasks.start(self._run(request, checked, name, waiting, speaks=speaks))

    async def cancel_all(self) -> int:
        """Cancel running work and tell the people who wait; return how many they are."""
        await self.tasks.cancel()
        return await self.inflight.tell_all()

    async def _run(
        self,
        request: Request,
        work: Callable[[], Coroutine[Any, Any, None]],
        name: str,
        waiting: WaitingRequest | None,
        *,
        speaks: bool,
    ) -> None:
        outcome, started = "cut off", seconds_now()
        failure: BaseException | None = asyncio.CancelledError()
        with request.logged(name):
            try:
                await self._with_first_word(request, work(), speaks=speaks)
                outcome, failure = "answered", None
            except Exception as error:  # noqa: BLE001  # the boundary: see the class
                outcome, failure = type(error).__name__, error
                await self._explain(request, error)
            finally:
                took_s = seconds_now() - started
                self.note(name, outcome_of(failure), took_s)
                logger.info("request", outcome=outcome, took_s=round(took_s, 3))
            if waiting:  # after a cancellation the waiting stays until the person knows
                self.inflight.close(waiting)
            if self._at_home and request.origin.is_home:
                await self._at_home(request)

    async def _with_first_word(
        self, request: Request, work: Coroutine[Any, Any, None], *, speaks: bool
    ) -> None:
        task = asyncio.create_task(work)
        is_at_home = request.window is not None
        wait_s = FIRST_WORD_IN_HOME_AFTER_S if is_at_home else FIRST_WORD_AFTER_S
        try:
            await asyncio.wait({task}, timeout=wait_s)
            if speaks and not task.done() and not request.has_spoken:
                await request.send_progress(usage.STILL_WORKING)
            await task
        finally:
            task.cancel()
        if request.owes_answer:  # the answer is in a form
            with warned("message not sent", SlackError):
                await request.reply(usage.ANSWERED_IN_FORM)

    async def _explain(self, request: Request, error: Exception) -> None:
        if not isinstance(error, BotError):
            logger.exception("unforeseen failure")
        elif isinstance(error, _LOGGED):
            logger.warning("failure explained", error=repr(error), cause=repr(error.__cause__))
        with warned("could not explain the failure", Exception):
            await request.reply(await self.explain(error, request))
