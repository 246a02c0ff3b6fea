"""Run a listener; answer a failure with a sentence."""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar

import structlog
from cachetools import TTLCache
from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_bolt.response import BoltResponse

from bot.api_keys.key_record import NoKeyError
from bot.api_keys.key_service import LackingScopeError
from bot.api_keys.repository import Keys
from bot.bulk_scans.record import BulkScanRunsError
from bot.command_text import NotUnderstoodError
from bot.commands import COMMANDS
from bot.concurrency import Tasks
from bot.deferred_commands import DeferredCommands, KeptCommand
from bot.errors import BotError, StrangerError, UnknownWorkspaceError, warned
from bot.listeners.interrupted import Entry, InflightTracker
from bot.listeners.request import Request
from bot.message import Message
from bot.shared_limits import QuotaService
from bot.slack.client import FAILURES
from bot.slack.errors import SlackError, SlackRefusedError
from bot.store.documents import ForgottenError, StoreError, UnreadableSecretError
from bot.tracker.models import RateLimitedError, ReserveReachedError, TrackerError
from bot.views import usage
from bot.views.blocks import Facts
from bot.views.failure import failure_message
from bot.workspace import WorkspaceId

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


# What an admin reads differs from what a member reads.
_FOR_ADMINS = (
    BulkScanRunsError,
    NoKeyError,
    LackingScopeError,
    TrackerError,
    UnreadableSecretError,
    SlackRefusedError,
)


@dataclass(frozen=True, slots=True)
class Failures:
    """Explains a failure to the person; to those who `may_configure`, also how to mend the key."""

    keys: Keys
    deferred: DeferredCommands
    allowances: QuotaService
    _: KW_ONLY
    egress_addresses: tuple[str, ...]
    keys_url: str | None = None
    clock: Callable[[], datetime]
    may_configure: Callable[[Request], Awaitable[bool]]

    async def explain(self, error: Exception, request: Request) -> Message:
        """Return the message about an error; a command that lacks a key is stored for later."""
        command = (request.command_line or "").partition(" ")[0]
        if isinstance(error, NotUnderstoodError) and command in COMMANDS:
            return usage.not_understood_message(command, error.problems, error.understood)
        is_kept = isinstance(error, NoKeyError) and await self._defer(request)
        facts = await self.facts(error, request, is_kept=is_kept)
        return failure_message(error, facts)

    async def facts(self, error: Exception, request: Request, *, is_kept: bool = False) -> Facts:
        """Return the facts for the sentence about `error`; never raises."""
        has_two_sides = isinstance(error, _FOR_ADMINS)
        is_about_quota = isinstance(error, RateLimitedError | ReserveReachedError)
        workspace = request.workspace
        return Facts(
            reference=request.reference,
            now=self.clock(),
            user_id=request.origin.user_id,
            is_admin=has_two_sides
            and not request.step_id
            and bool(await _or_none(self.may_configure(request))),
            command_line=request.command_line,
            key=await _or_none(self.keys.record(workspace)) if has_two_sides else None,
            egress_addresses=self.egress_addresses,
            keys_url=self.keys_url,
            allowance=await _or_none(self.allowances.of(workspace)) if is_about_quota else None,
            is_kept=is_kept,
        )

    async def _defer(self, request: Request) -> bool:
        name, _, text = (request.command_line or "").partition(" ")
        command = COMMANDS.get(name)
        # A form cannot open by itself later.
        if not command or (command.opens_form and not text.strip()):
            return False
        origin = request.origin
        kept = KeptCommand(
            command=name,
            text=text,
            user_id=origin.user_id,
            channel_id=origin.channel_id,
            response_url=origin.response_url,
        )
        typed_at = self.clock() - timedelta(seconds=time.monotonic() - request.since)
        try:
            await self.deferred.keep(request.workspace, kept, typed_at=typed_at)
        except BotError:
            return False
        return True


async def _or_none(fact: Awaitable[T]) -> T | None:
    try:
        return await fact
    except (SlackError, StoreError):
        return None


logger = structlog.get_logger()
# People do not leave a workspace while they work.
KNOWN_FOR_S = 600
MAX_KNOWN = 20_000
NOT_VISIBLE = "user_not_visible"  # https://docs.slack.dev/reference/methods/users.info#errors


class ExternalUserGuard:
    """Rejects people of other workspaces; remembers for ten minutes who is no such person."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._known: TTLCache[tuple[WorkspaceId, str], bool] = TTLCache(
            MAX_KNOWN, KNOWN_FOR_S, timer=clock
        )

    async def check(self, request: Request) -> None:
        """Return if the person belongs to the workspace, or to its organisation.

        Raise StrangerError if not, or if the bot cannot see them; SlackError if the request names
        another workspace and Slack does not say who they are.
        """
        who = (request.workspace, request.origin.user_id)
        if who in self._known and not request.is_from_elsewhere:
            return
        try:
            member = await request.fetch_member()
        except SlackError as error:
            if isinstance(error, SlackRefusedError) and error.code == NOT_VISIBLE:
                raise StrangerError("a person whom the bot cannot see") from error
            if request.is_from_elsewhere:
                raise
            # Slack hardly lets others type a command: without its answer the person may go on.
            logger.warning("Slack does not say who asks", error=repr(error))
            return
        if member.is_stranger:
            raise StrangerError("a person of another workspace")
        self._known[who] = True


# Slack waits 3 s for the ack that follows.
RESPONDED_WITHIN_S = 2.0


async def answer_unread(
    error: Exception, body: Mapping[str, Any], respond: AsyncRespond
) -> BoltResponse:
    """Answer what failed before its ack: a command or a press with a sentence, else with 503.

    What comes from an unknown workspace gets 200: it would fail again.

    Slack shows the body of a 200 to the person who typed a command
    (https://docs.slack.dev/interactivity/implementing-slash-commands); after a press in a message
    the sentence goes below it. A form would close as if it were saved: with a 503 Slack says that
    it was not. 400 answers what Slack would not send.
    """
    reference = secrets.token_hex(4)
    is_unknown = isinstance(error, UnknownWorkspaceError)  # logged where it was found
    if not (is_unknown or isinstance(error, BotError)):
        logger.error("a request could not be read", request=reference, exc_info=error)
        return BoltResponse(status=400, body=f"the request cannot be read; reference {reference}")
    if not is_unknown:
        logger.warning("a request could not be taken", request=reference, error=repr(error))
    what = "The app's database" if isinstance(error, StoreError) else "Slack"
    again = f"{what} is unavailable. Please try again shortly. Reference {reference}."
    text = str(error) if is_unknown else again
    if "command" not in body:
        is_act = body.get("type") in {"block_actions", "message_action"}
        is_said = is_act and await _respond(respond, text)
        is_over = is_said or is_unknown
        return BoltResponse(status=200 if is_over else 503, body="" if is_over else text)
    reply = json.dumps({"response_type": "ephemeral", "text": text})
    return BoltResponse(status=200, body=reply, headers={"content-type": ["application/json"]})


async def _respond(respond: AsyncRespond, text: str) -> bool:
    """Return whether the text was sent: a press on a form or on Home has no response_url."""
    if respond.response_url is None:
        return False
    try:
        async with asyncio.timeout(RESPONDED_WITHIN_S):
            await respond(text, replace_original=False)
    except FAILURES as unreachable:
        logger.warning("the answer could not be sent", error=repr(unreachable))
        return False
    return True


# Operators want to see these; the other errors are about what a person typed.
_LOGGED = (TrackerError, StoreError, SlackError)
# After this long without an answer, people wonder whether anything happens at all.
FIRST_WORD_AFTER_S = 4.0
# Sooner on the Home tab, where nothing moves, and a window opens only within 3 s.
FIRST_WORD_IN_HOME_AFTER_S = 1.0
EXCUSES_WITHIN_S = 5.0


@dataclass(slots=True)
class ErrorBoundary:
    """Runs the work after an ack in a task of its own, and catches every exception.

    No exception may leave a listener after `ack()`: Bolt 1.30 forgets the ack if one follows
    within about 10 ms, and Slack then shows an error after 3 s.

    `inflight` stores who waits, so that other processes answer if this one is killed. `note` gets
    the name of the work, how it ended, and the seconds.
    """

    tasks: Tasks
    failures: Failures
    _: KW_ONLY
    inflight: InflightTracker | None = None
    note: Callable[[str, str, float], object] = lambda _what, _outcome, _took_s: None
    first_word_after_s: float = FIRST_WORD_AFTER_S
    first_word_in_home_after_s: float = FIRST_WORD_IN_HOME_AFTER_S
    excuses_within_s: float = EXCUSES_WITHIN_S
    external_users: ExternalUserGuard = field(default_factory=ExternalUserGuard)
    _open: list[Request] = field(default_factory=list)
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

        entry = None
        if self.inflight and is_awaited:
            entry = self.inflight.note(request, name, form_waits=form_waits)
        return self.tasks.start(self._run(request, checked, name, entry, speaks=speaks))

    async def cancel_all(self) -> int:
        """Cancel running work and tell the people who wait; return how many they are.

        Telling takes at most 5 s: a stop must not wait for a slow Slack.
        """
        waiting = list(self._open)
        await self.tasks.cancel()
        left = [request for request in waiting if not request.is_answered]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.excuses_within_s):
                excuses = (_try(each.reply(_excuse(each))) for each in left)
                await asyncio.gather(*excuses, return_exceptions=True)
        if self.inflight:
            await self.inflight.remove_answered()
        return len(left)

    async def _run(
        self,
        request: Request,
        work: Callable[[], Coroutine[Any, Any, None]],
        name: str,
        entry: Entry | None,
        *,
        speaks: bool,
    ) -> None:
        outcome, started = "cut off", time.monotonic()
        failure: BaseException | None = asyncio.CancelledError()
        self._open.append(request)
        with request.logged(name):
            try:
                await self._with_first_word(request, work(), speaks=speaks)
                outcome, failure = "answered", None
            except Exception as error:  # noqa: BLE001  # the boundary: see the class
                outcome, failure = type(error).__name__, error
                await self._explain(request, error)
            finally:
                self._open.remove(request)
                took_s = time.monotonic() - started
                self.note(name, outcome_of(failure), took_s)
                logger.info("request", outcome=outcome, took_s=round(took_s, 3))
            if entry:  # after a cancellation the entry stays until the person knows
                entry.close()
            if self._at_home and request.origin.is_home:
                await self._at_home(request)

    async def _with_first_word(
        self, request: Request, work: Coroutine[Any, Any, None], *, speaks: bool
    ) -> None:
        task = asyncio.create_task(work)
        is_at_home = request.window is not None
        wait_s = self.first_word_in_home_after_s if is_at_home else self.first_word_after_s
        try:
            await asyncio.wait({task}, timeout=wait_s)
            if speaks and not task.done() and not request.has_spoken:
                await request.send_progress(usage.working_message(request.turn.wait))
            await task
        finally:
            task.cancel()
        if request.owes_answer:  # the answer is in a form
            await _try(request.reply(usage.ANSWERED_IN_FORM))

    async def _explain(self, request: Request, error: Exception) -> None:
        if not isinstance(error, BotError):
            logger.exception("unforeseen failure")
        elif isinstance(error, ForgottenError):
            logger.info("failure explained", error=repr(error))
        elif isinstance(error, _LOGGED):
            logger.warning("failure explained", error=repr(error), cause=repr(error.__cause__))
        with warned("could not explain the failure", Exception):
            await request.reply(await self.failures.explain(error, request))


def _excuse(request: Request) -> Message:
    return request.on_stop() if request.on_stop else usage.stopping_message(request.command_line)


async def _try(saying: Awaitable[None]) -> None:
    """Send a message besides the answer; log it where that fails."""
    with warned("message not sent", SlackError):
        await saying
