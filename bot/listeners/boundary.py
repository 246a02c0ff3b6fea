"""The one place where a failure becomes a sentence, and where `Exception` is caught."""

import asyncio
import contextlib
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from bot.asking import asking_as, person
from bot.errors import BotError
from bot.listeners.conversation import Conversation
from bot.listeners.failures import Failures
from bot.listeners.journal import Entry, Journal
from bot.listeners.outcomes import outcome_of
from bot.listeners.strangers import Strangers
from bot.slack.errors import SlackError
from bot.store.errors import ForgottenError, StoreError
from bot.tasks import Tasks
from bot.tracker.errors import TrackerError
from bot.views.waiting import done_message, stopping_message, working_message

logger = structlog.get_logger()

# What an operator wants to see; the rest of our errors are about what somebody typed.
_TROUBLES = (TrackerError, StoreError, SlackError)

# After this long without a word, people wonder whether anything happens at all.
FIRST_WORD_AFTER_S = 4.0
# On the Home tab, where nothing moves, sooner: and the window for it opens for 3 s only.
FIRST_WORD_IN_HOME_AFTER_S = 1.0
EXCUSES_WITHIN_S = 5.0


class Boundary:
    """Runs what follows an ack, as a task of its own, and lets nothing out of it.

    Nothing may leave a listener once it has called `ack()`: Bolt 1.30 forgets an ack that an
    exception follows within about 10 ms, and Slack then shows an error after 3 s.

    Who waits is noted in `journal`, for others to tell them should this process be killed; without
    it nobody does. `note` learns what was asked, how it ended, and the seconds.
    """

    def __init__(
        self,
        tasks: Tasks,
        failures: Failures,
        *,
        journal: Journal | None = None,
        note: Callable[[str, str, float], object] = lambda _what, _outcome, _took_s: None,
        first_word_after_s: float = FIRST_WORD_AFTER_S,
        first_word_in_home_after_s: float = FIRST_WORD_IN_HOME_AFTER_S,
        excuses_within_s: float = EXCUSES_WITHIN_S,
    ) -> None:
        self._tasks = tasks
        self._failures = failures
        self._journal = journal
        self._note = note
        self._first_word_after_s = first_word_after_s
        self._first_word_in_home_after_s = first_word_in_home_after_s
        self._excuses_within_s = excuses_within_s
        self.strangers = Strangers()
        self._open: list[Conversation] = []
        self._at_home: Callable[[Conversation], Awaitable[None]] | None = None

    def after_home(self, follow: Callable[[Conversation], Awaitable[None]]) -> None:
        """Let `follow` come after everything that somebody did on the Home tab, or from it.

        It comes when they have their answer, also after a failure, and never raises.
        """
        self._at_home = follow

    def start(
        self,
        conversation: Conversation,
        work: Callable[[], Awaitable[None]],
        name: str,
        *,
        speaks: bool = True,
        admits_strangers: bool = False,
        is_awaited: bool = True,
        form_waits: bool = False,
    ) -> None:
        """Do `work` for whoever asked: whatever happens, they get an answer.

        `name` is for the log. `speaks`: the answer is a message, so that people wait for one.
        `admits_strangers`: `work` itself sees to what people of other companies may see.
        `is_awaited`: they would miss what comes of it. `form_waits`: the form before them says
        "please wait" until `work` draws it anew.
        """
        checked = work if admits_strangers else self._for_members(conversation, work)
        entry, reference = None, secrets.token_hex(4)
        conversation.reference = reference
        if self._journal and is_awaited:
            entry = self._journal.note(conversation, name, reference, form_waits=form_waits)
        running = self._run(conversation, checked, name, reference, entry, speaks=speaks)
        self._tasks.start(running)

    async def cut_off(self) -> int:
        """Cancel what still runs, then tell whoever was left without an answer; return how many.

        Telling takes at most 5 s, for a stop must not wait for a slow Slack.
        """
        waiting = list(self._open)
        await self._tasks.cancel()
        left = [conversation for conversation in waiting if not conversation.is_answered]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._excuses_within_s):
                excuses = (_excuse(conversation) for conversation in left)
                await asyncio.gather(*excuses, return_exceptions=True)
        if self._journal:
            await self._journal.strike_off()
        return len(left)

    async def _run(
        self,
        conversation: Conversation,
        work: Callable[[], Awaitable[None]],
        name: str,
        reference: str,
        entry: Entry | None,
        *,
        speaks: bool,
    ) -> None:
        outcome, started = "cut off", time.monotonic()
        failure: BaseException | None = asyncio.CancelledError()
        self._open.append(conversation)
        with structlog.contextvars.bound_contextvars(
            request=reference,
            workspace=str(conversation.workspace),
            user=conversation.origin.user_id,
            what=name,
        ):
            try:
                await self._spoken_in_time(conversation, _asked(conversation, work), speaks=speaks)
                outcome, failure = "answered", None
            except Exception as error:  # noqa: BLE001  # the boundary: see the class
                outcome, failure = type(error).__name__, error
                await self._tell(conversation, error, reference)
            finally:
                self._open.remove(conversation)
                took_s = time.monotonic() - started
                self._note(name, outcome_of(failure), took_s)
                logger.info("request", outcome=outcome, took_s=round(took_s, 3))
            if entry:  # whoever was cut off keeps theirs until they have been told
                entry.close()
            if self._at_home and conversation.origin.is_home:
                await self._at_home(conversation)

    async def _spoken_in_time(
        self, conversation: Conversation, work: Coroutine[Any, Any, None], *, speaks: bool
    ) -> None:
        task = asyncio.create_task(work)
        is_at_home = conversation.window is not None
        first_word_after_s = (
            self._first_word_in_home_after_s if is_at_home else self._first_word_after_s
        )
        try:
            await asyncio.wait({task}, timeout=first_word_after_s)
            if speaks and not task.done() and not conversation.has_spoken:
                await _try(conversation.say_meanwhile(working_message()))
            await task
        finally:
            task.cancel()
        if conversation.owes_answer:  # it was given elsewhere, in a form
            await _try(conversation.reply(done_message()))

    def _for_members(
        self, conversation: Conversation, work: Callable[[], Awaitable[None]]
    ) -> Callable[[], Awaitable[None]]:
        async def checked() -> None:
            await self.strangers.keep_out(conversation)
            await work()

        return checked

    async def _tell(self, conversation: Conversation, error: Exception, reference: str) -> None:
        if not isinstance(error, BotError):
            logger.exception("unforeseen failure")
        elif isinstance(error, ForgottenError):
            logger.info("told the person", error=repr(error))
        elif isinstance(error, _TROUBLES):
            logger.warning("told the person", error=repr(error), cause=repr(error.__cause__))
        try:
            await conversation.reply(await self._failures.explain(error, conversation, reference))
        except Exception:
            logger.exception("could not tell the person")


async def _asked(conversation: Conversation, work: Callable[[], Awaitable[None]]) -> None:
    with asking_as(conversation.workspace, person(conversation.origin.user_id)):
        await work()


async def _excuse(conversation: Conversation) -> None:
    await _try(conversation.reply(stopping_message(conversation.command_line)))


async def _try(saying: Awaitable[None]) -> None:
    """Say what is said beside the answer: when it cannot be said, the work goes on."""
    try:
        await saying
    except SlackError as error:
        logger.warning("could not say it", error=repr(error))
