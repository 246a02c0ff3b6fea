"""Register commands, actions, views and options on Bolt's app.

A request is parsed before the ack, without any I/O: see `answer_unread` for what cannot be.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import structlog
from cachetools import LRUCache
from slack_bolt.async_app import AsyncAck, AsyncApp

from bot.blocks.builders import CANCEL
from bot.blocks.command_names import renamed
from bot.blocks.message import Block
from bot.dispatch import incoming
from bot.dispatch.command_lines import CommandHandler, CommandLines, reply_with
from bot.dispatch.error_boundary import ErrorBoundary, Handling
from bot.dispatch.incoming import container_of, from_press, is_ephemeral
from bot.dispatch.request import FormErrors, Request, draw_or_reply
from bot.dispatch.usage import ALREADY_PRESSED, CANCELED, as_form
from bot.process.errors import BotError
from bot.slack.replies import Replies

logger = structlog.get_logger()
T = TypeVar("T")
# Slack waits 3 s for the options of a menu. Before, the bot checks for up to `ASKED_WITHIN_S` of
# `store/deduplication.py` whether the request is new.
OPTIONS_WITHIN_S = 2.2
# Slack waits 3 s for the ack of a form, and one that comes late replaces what was drawn before it.
# So that is drawn once more after some seconds, as the SDK's maintainer advises:
# https://github.com/slackapi/bolt-python/issues/481
DRAWN_AGAIN_AFTER_S = 3.5
MAX_FORMS = 1000
MAX_LATEST = 10_000
PressHandler = Callable[[Request, str], Awaitable[None]]
# Takes the event, or the message of a shortcut.
EventHandler = Callable[[Request, Mapping[str, Any]], Awaitable[None]]
OptionsFinder = Callable[[Request, str], Awaitable[list[Block]]]
MessageReader = Callable[[Mapping[str, Any], Any, Replies], list[Request]]


class Dispatcher:
    """Registers the features' handlers with Bolt. Each of them runs inside the boundary."""

    def __init__(self, app: AsyncApp, boundary: ErrorBoundary, replies: Replies) -> None:
        self._app = app
        self.boundary = boundary
        self._replies = replies
        self._submitted: LRUCache[str, Request] = LRUCache(MAX_FORMS)
        # By the id of a form or the person of a tab, the reference of the latest request.
        self.latest: LRUCache[str | None, str] = LRUCache(MAX_LATEST)
        self.lines = CommandLines(app, boundary, replies)
        self.action(CANCEL, reply_with(CANCELED), replies=True)

    def command(self, command: str, handle: CommandHandler) -> None:
        """Register `handle(request, text)` for a slash command; `help` is answered here."""
        self.lines.register(command, handle)

    def action(
        self,
        action_id: str,
        handle: PressHandler,
        *,
        replies: bool = False,
        once: bool = False,
        in_form: bool = False,
        is_awaited: bool = True,
    ) -> None:
        """Register `handle(request, value)` for a button or a field; also `action_id.anything`.

        `replies`: its answer replaces the pressed message. Otherwise the message stays, and only
        a failure is said below it. `once`: a second press in the same message, or drawing of a
        form, does nothing but say so, unless the first one failed. `in_form`: the person sees
        nothing but the form, so a failure is shown there. For `is_awaited` see `Handling`.
        """

        async def receive(ack: AsyncAck, body: dict[str, Any], context: Any) -> None:
            request = from_press(body, context, self._replies)
            self.latest[request.answer.view_id] = request.reference
            action = body["actions"][0]
            value = str((action.get("selected_option") or action).get("value", ""))
            # With the value: the same message may show another page by now.
            key = f"{request.workspace}/{container_of(body)}/{action_id}/{value}"
            await ack()
            request.answer.takes_place = replies and is_ephemeral(body)
            pressed = Handling(
                name=action_id,
                handle=handle,
                given=value,
                shows_progress=replies,
                is_awaited=is_awaited,
                form_waits=in_form,
                once_key=f"{key}/{request.view_hash}" if once else None,
            )
            self.boundary.start(request, pressed)

        self._app.action(re.compile(rf"^{re.escape(action_id)}(\..*)?$"))(receive)

    def view(
        self,
        callback_id: str,
        read: Callable[[Mapping[str, Any]], T],
        handle: Callable[[Request, T], Awaitable[None]],
        *,
        busy: Callable[[], Block] | None = None,
    ) -> None:
        """Register `handle(request, read(values))` for a submitted form.

        `read` is pure and raises FormErrors: the answer to a form is its ack. The form of `busy`
        replaces it until the answer; without `busy` the form closes. A form that comes again, by
        a retry or from a second window, is not handled again, and shows what the first one does.
        """

        async def receive(ack: AsyncAck, body: dict[str, Any], context: Any) -> None:
            request = incoming.from_form(body, context, self._replies)
            try:
                given = read(body["view"]["state"]["values"])
            except FormErrors as problems:
                await ack(response_action="errors", errors=renamed(problems.sentences))
                return
            key = f"form/{request.workspace}/{request.answer.view_id}/{body['view'].get('hash')}"
            first = self._submitted.setdefault(key, request)
            is_first = first is request and await self.boundary.seen.remember(key)
            if is_first:
                self.latest[request.answer.view_id] = request.reference
            elif first is request:
                request.answer.drawn = as_form(ALREADY_PRESSED)
            if busy:
                view = first.answer.drawn or busy()
                await ack(response_action="update", view=renamed(dict(view)))
                loop = asyncio.get_running_loop()
                loop.call_later(DRAWN_AGAIN_AFTER_S, self._draw_again, first)
            else:
                await ack()
            if is_first:
                submitted = Handling(
                    name=callback_id,
                    handle=handle,
                    given=given,
                    shows_progress=busy is None,
                    form_waits=busy is not None,
                )
                self.boundary.start(request, submitted)

        self._app.view(callback_id)(receive)

    def _draw_again(self, request: Request) -> None:
        """Draw what was drawn last, unless something was pressed or sent in the form since."""
        drawn = request.answer.drawn
        if drawn and self.latest.get(request.answer.view_id) == request.reference:
            self.boundary.tasks.start(draw_or_reply(request, drawn, None))

    def options(
        self, action_id: str, find: OptionsFinder, *, otherwise: Sequence[Block] = ()
    ) -> None:
        """Register `find(request, typed)` for a menu, `otherwise` if it fails or takes long."""

        async def asked(ack: AsyncAck, body: dict[str, Any], context: Any) -> None:
            request = from_press(body, context, self._replies)
            try:
                with request.logged(action_id):
                    async with asyncio.timeout(OPTIONS_WITHIN_S):
                        await self.boundary.external_users.check(request)
                        options = await find(request, str(body.get("value") or ""))
            except (BotError, TimeoutError) as error:
                logger.warning("no options to offer", action=action_id, error=repr(error))
                options = list(otherwise)
            await ack(options=options)

        self._app.options(action_id)(asked)

    def shortcut(self, callback_id: str, does: EventHandler | str) -> None:
        """Register a shortcut: a command line, or `does(request, message)` in messages' menus.

        The latter has a window to open, in which failures are shown too.
        """

        async def called(ack: AsyncAck, body: dict[str, Any], context: Any) -> None:
            request = incoming.from_shortcut(body, context, self._replies)
            await ack()
            if isinstance(does, str):
                self.lines.run(request, does)
                return
            message = body.get("message") or {}
            chosen = Handling(name=callback_id, handle=does, given=message, shows_progress=False)
            self.boundary.start(request, chosen)

        self._app.shortcut(callback_id)(called)

    def message(self, event_type: str, read: MessageReader, otherwise: CommandHandler) -> None:
        """Run the command lines that people write to the bot, each message once.

        `read` returns a request for each line, none for what gets no answer. `otherwise` answers
        what is no command line. Slack repeats events, and sends edited mentions again.
        """

        async def received(body: dict[str, Any], context: Any) -> None:
            event, requests = body["event"], read(body, context, self._replies)
            if not requests:
                return
            key = f"message/{requests[0].workspace}/{event['channel']}/{event['ts']}"
            if await self.boundary.seen.remember(key):
                last = None
                for request in requests:
                    line = request.answer.command_line or ""
                    last = self.lines.run(request, line, after=last, otherwise=otherwise)

        self._app.event(event_type)(received)

    def event(self, event_type: str, handle: EventHandler) -> None:
        """Register `handle(request, event)`; a failure that it raises becomes a direct message."""

        async def received(body: dict[str, Any], context: Any) -> None:
            request = incoming.from_event(body, context, self._replies)
            happened = Handling(
                name=event_type,
                handle=handle,
                given=body["event"],
                shows_progress=False,
                allows_external=True,
                is_awaited=False,
            )
            self.boundary.start(request, happened)

        self._app.event(event_type)(received)
