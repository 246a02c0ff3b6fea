"""The one place where a failure becomes a sentence, and where `Exception` is caught."""

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog

from bot.errors import BotError, StrangerError
from bot.listeners.conversation import Conversation
from bot.listeners.failures import Failures
from bot.slack.errors import SlackError
from bot.store.errors import StoreError
from bot.tasks import Tasks
from bot.tracker.errors import TrackerError
from bot.views.waiting import working_message

logger = structlog.get_logger()

# What an operator wants to see; the rest of our errors are about what somebody typed.
_TROUBLES = (TrackerError, StoreError, SlackError)

# After this long without a word, people wonder whether anything happens at all.
FIRST_WORD_AFTER_S = 4.0


class Boundary:
    """Runs what follows an ack, as a task of its own, and lets nothing out of it.

    Nothing may leave a listener once it has called `ack()`: Bolt 1.30 forgets an ack that an
    exception follows within about 10 ms, and Slack then shows an error after 3 s.
    """

    def __init__(
        self, tasks: Tasks, failures: Failures, *, first_word_after_s: float = FIRST_WORD_AFTER_S
    ) -> None:
        self._tasks = tasks
        self._failures = failures
        self._first_word_after_s = first_word_after_s

    def start(
        self, conversation: Conversation, work: Callable[[], Awaitable[None]], name: str
    ) -> None:
        """Do `work` for whoever asked: whatever happens, they get an answer.

        `name` is for the log.
        """
        self._tasks.start(self._run(conversation, work, name))

    async def _run(
        self, conversation: Conversation, work: Callable[[], Awaitable[None]], name: str
    ) -> None:
        reference, started = secrets.token_hex(4), time.monotonic()
        with structlog.contextvars.bound_contextvars(
            request=reference,
            workspace=str(conversation.workspace),
            user=conversation.origin.user_id,
            what=name,
        ):
            try:
                await self._spoken_in_time(conversation, _checked(conversation, work))
                outcome = "answered"
            except Exception as error:  # noqa: BLE001  # the boundary: see the class
                outcome = type(error).__name__
                await self._tell(conversation, error, reference)
            took_s = round(time.monotonic() - started, 3)
            logger.info("request", outcome=outcome, took_s=took_s)

    async def _spoken_in_time(
        self, conversation: Conversation, work: Coroutine[Any, Any, None]
    ) -> None:
        task = asyncio.create_task(work)
        try:
            await asyncio.wait({task}, timeout=self._first_word_after_s)
            if not task.done() and not conversation.has_spoken:
                await _say_working(conversation)
            await task
        finally:
            task.cancel()

    async def _tell(self, conversation: Conversation, error: Exception, reference: str) -> None:
        if not isinstance(error, BotError):
            logger.exception("unforeseen failure")
        elif isinstance(error, _TROUBLES):
            logger.warning("told the person", error=repr(error), cause=repr(error.__cause__))
        try:
            await conversation.reply(await self._failures.explain(error, conversation, reference))
        except Exception:
            logger.exception("could not tell the person")


async def _checked(conversation: Conversation, work: Callable[[], Awaitable[None]]) -> None:
    if conversation.is_from_elsewhere and (await conversation.fetch_member()).is_stranger:
        raise StrangerError("a press from another workspace")
    await work()


async def _say_working(conversation: Conversation) -> None:
    try:
        await conversation.say_meanwhile(working_message())
    except SlackError as error:
        logger.warning("could not say that it takes longer", error=repr(error))
