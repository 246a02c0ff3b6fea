"""Run a listener; answer a failure with a sentence. The only place that catches `Exception`."""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from datetime import datetime
from typing import Any

import structlog
from cachetools import TTLCache
from slack_bolt.async_app import AsyncApp
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_bolt.response import BoltResponse

from bot.api_keys.models import KeyRecord, NoKeyError
from bot.api_keys.repository import Keys
from bot.api_keys.service import LackingScopeError
from bot.command_text import NotUnderstoodError
from bot.commands import COMMANDS
from bot.concurrency import Tasks
from bot.deferred_commands import DeferredCommands, KeptCommand
from bot.errors import BotError, StrangerError
from bot.listeners.interrupted import Entry, InflightTracker
from bot.listeners.request import Request
from bot.message import Message
from bot.shared_limits import Allowance, QuotaService
from bot.slack.client import FAILURES
from bot.slack.errors import SlackError, SlackRefusedError
from bot.store.documents import ForgottenError, StoreError, UnreadableSecretError
from bot.tracker.models import RateLimitedError, ReserveReachedError, TrackerError
from bot.views.blocks import Facts
from bot.views.errors import failure_message
from bot.views.usage import (
    done_message,
    not_understood_message,
    stopping_message,
    working_message,
)
from bot.workspace import WorkspaceId, caller_context, person

# The first that fits counts. "declined": they were told what to change, nothing is wrong.
_OUTCOMES: tuple[tuple[type[BaseException], str], ...] = (
    (TrackerError, "service"),
    (ForgottenError, "declined"),
    (StoreError, "store"),
    (SlackError, "slack"),
    (BotError, "declined"),
    (asyncio.CancelledError, "cut_off"),
)


def outcome_of(error: BaseException | None) -> str:
    """Return "answered" for `None`, whose trouble it was, or "broken" for a mistake of ours."""
    if error is None:
        return "answered"
    return next((word for kind, word in _OUTCOMES if isinstance(error, kind)), "broken")


# What an admin reads differs from what a member reads.
_FOR_ADMINS = (
    NoKeyError,
    LackingScopeError,
    TrackerError,
    UnreadableSecretError,
    SlackRefusedError,
)


class Failures:
    """Explains failures to the person who met them.

    Those for whom `may_configure` holds read how to mend the key.
    """

    def __init__(
        self,
        keys: Keys,
        kept: DeferredCommands,
        allowances: QuotaService,
        *,
        egress_addresses: tuple[str, ...],
        clock: Callable[[], datetime],
        may_configure: Callable[[Request], Awaitable[bool]],
    ) -> None:
        self._may_configure = may_configure
        self._keys = keys
        self._kept = kept
        self._allowances = allowances
        self._egress_addresses = egress_addresses
        self._clock = clock

    async def explain(self, error: Exception, conversation: Request, reference: str) -> Message:
        """Return what to tell the person; a command that lacks a key is kept for later."""
        command = (conversation.command_line or "").partition(" ")[0]
        if isinstance(error, NotUnderstoodError) and command in COMMANDS:
            return not_understood_message(command, error.problems, error.understood)
        is_kept = isinstance(error, NoKeyError) and await self._keep(conversation)
        facts = await self.facts(error, conversation, reference, is_kept=is_kept)
        return failure_message(error, facts)

    async def facts(
        self,
        error: Exception,
        conversation: Request,
        reference: str,
        *,
        is_kept: bool = False,
    ) -> Facts:
        """Return what the sentence about `error` may need to know; never raises."""
        has_two_sides = isinstance(error, _FOR_ADMINS)
        return Facts(
            reference=reference,
            now=self._clock(),
            is_admin=has_two_sides and await self._mends(conversation),
            command_line=conversation.command_line,
            key=await self._record(conversation) if has_two_sides else None,
            egress_addresses=self._egress_addresses,
            allowance=await self._allowance(error, conversation),
            is_kept=is_kept,
        )

    async def _mends(self, conversation: Request) -> bool:
        try:
            return await self._may_configure(conversation)
        except (SlackError, StoreError):
            return False

    async def _record(self, conversation: Request) -> KeyRecord | None:
        try:
            return await self._keys.record(conversation.workspace)
        except StoreError:
            return None

    async def _allowance(self, error: Exception, conversation: Request) -> Allowance | None:
        if not isinstance(error, RateLimitedError | ReserveReachedError):
            return None
        try:
            return await self._allowances.of(conversation.workspace)
        except StoreError:
            return None

    async def _keep(self, conversation: Request) -> bool:
        name, _, text = (conversation.command_line or "").partition(" ")
        command = COMMANDS.get(name)
        # A form cannot open by itself later, and the state of the key is asked for again.
        if not command or command.takes_secrets or (command.opens_form and not text.strip()):
            return False
        origin = conversation.origin
        try:
            await self._kept.keep(
                conversation.workspace,
                KeptCommand(
                    command=name,
                    text=text,
                    user_id=origin.user_id,
                    channel_id=origin.channel_id,
                    response_url=origin.response_url,
                ),
            )
        except BotError:
            return False
        return True


logger = structlog.get_logger()
# Whoever is no stranger does not become one while they work.
KNOWN_FOR_S = 600
MAX_KNOWN = 20_000
NOT_VISIBLE = "user_not_visible"  # https://docs.slack.dev/reference/methods/users.info#errors


class ExternalUserGuard:
    """Keeps them out. Who belongs to the workspace is known for ten minutes."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._known: TTLCache[tuple[WorkspaceId, str], bool] = TTLCache(
            MAX_KNOWN, KNOWN_FOR_S, timer=clock
        )

    async def check(self, conversation: Request) -> None:
        """Return if whoever asks is of the workspace, or of its organisation.

        Raises:
            StrangerError: they are not, or Slack lets the bot not even see them.
            SlackError: what they pressed says that they are from elsewhere, and Slack does not
                say who they are.
        """
        who = (conversation.workspace, conversation.origin.user_id)
        if who in self._known and not conversation.is_from_elsewhere:
            return
        try:
            member = await conversation.fetch_member()
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code == NOT_VISIBLE:
                raise StrangerError("somebody whom the bot cannot see") from error
            if conversation.is_from_elsewhere:
                raise
            # Slack itself hardly lets anybody else type a command: its silence stops nobody.
            logger.warning("Slack does not say who asks", error=repr(error))
            return
        if member.is_stranger:
            raise StrangerError("somebody of another workspace")
        self._known[who] = True


def register_error_handler(app: AsyncApp) -> None:
    """Attach the answer to failures before an ack; afterwards the boundary answers."""
    app.error(answer_unread)


async def answer_unread(
    error: Exception, body: Mapping[str, Any], respond: AsyncRespond
) -> BoltResponse:
    """Answer a command or a press with a sentence, anything else with 503.

    Slack shows the body of a 200 to whoever typed a command
    (https://docs.slack.dev/interactivity/implementing-slash-commands); whoever pressed something
    in a message reads below it. A form would close as if it had been taken: a 503 lets Slack say
    that it was not. 400 goes to what Slack would not send.
    """
    reference = secrets.token_hex(4)
    if not isinstance(error, BotError):
        logger.error("a request could not be read", request=reference, exc_info=error)
        return BoltResponse(status=400, body=f"the request cannot be read; reference {reference}")
    logger.warning("a request could not be taken", request=reference, error=repr(error))
    what = "my memory" if isinstance(error, StoreError) else "Slack properly"
    text = f"I cannot reach {what} right now. Please try again. Reference {reference}."
    if "command" not in body:
        is_told = body.get("type") == "block_actions" and await _is_told(respond, text)
        return BoltResponse(status=200 if is_told else 503, body="" if is_told else text)
    reply = json.dumps({"response_type": "ephemeral", "text": text})
    return BoltResponse(status=200, body=reply, headers={"content-type": ["application/json"]})


async def _is_told(respond: AsyncRespond, text: str) -> bool:
    """Tell whoever pressed; a press on a form or on Home has no response_url."""
    if respond.response_url is None:
        return False
    try:
        await respond(text, replace_original=False)
    except FAILURES as unreachable:
        logger.warning("nor could that be said", error=repr(unreachable))
        return False
    return True


# What an operator wants to see; the rest of our errors are about what somebody typed.
_TROUBLES = (TrackerError, StoreError, SlackError)
# After this long without a word, people wonder whether anything happens at all.
FIRST_WORD_AFTER_S = 4.0
# On the Home tab, where nothing moves, sooner: and the window for it opens for 3 s only.
FIRST_WORD_IN_HOME_AFTER_S = 1.0
EXCUSES_WITHIN_S = 5.0


class ErrorBoundary:
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
        journal: InflightTracker | None = None,
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
        self.strangers = ExternalUserGuard()
        self._open: list[Request] = []
        self._at_home: Callable[[Request], Awaitable[None]] | None = None

    def after_home(self, follow: Callable[[Request], Awaitable[None]]) -> None:
        """Let `follow` come after everything that somebody did on the Home tab, or from it.

        It comes when they have their answer, also after a failure, and never raises.
        """
        self._at_home = follow

    def start(
        self,
        conversation: Request,
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
        conversation: Request,
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
        self, conversation: Request, work: Coroutine[Any, Any, None], *, speaks: bool
    ) -> None:
        task = asyncio.create_task(work)
        is_at_home = conversation.window is not None
        first_word_after_s = (
            self._first_word_in_home_after_s if is_at_home else self._first_word_after_s
        )
        try:
            await asyncio.wait({task}, timeout=first_word_after_s)
            if speaks and not task.done() and not conversation.has_spoken:
                await _try(conversation.send_progress(working_message()))
            await task
        finally:
            task.cancel()
        if conversation.owes_answer:  # it was given elsewhere, in a form
            await _try(conversation.reply(done_message()))

    def _for_members(
        self, conversation: Request, work: Callable[[], Awaitable[None]]
    ) -> Callable[[], Awaitable[None]]:
        async def checked() -> None:
            await self.strangers.check(conversation)
            await work()

        return checked

    async def _tell(self, conversation: Request, error: Exception, reference: str) -> None:
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


async def _asked(conversation: Request, work: Callable[[], Awaitable[None]]) -> None:
    with caller_context(conversation.workspace, person(conversation.origin.user_id)):
        await work()


async def _excuse(conversation: Request) -> None:
    await _try(conversation.reply(stopping_message(conversation.command_line)))


async def _try(saying: Awaitable[None]) -> None:
    """Say what is said beside the answer: when it cannot be said, the work goes on."""
    try:
        await saying
    except SlackError as error:
        logger.warning("could not say it", error=repr(error))
