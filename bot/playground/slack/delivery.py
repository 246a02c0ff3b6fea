"""Sending payloads to the bot, by signed HTTP or Socket Mode, and measuring its acks.

https://docs.slack.dev/apis/events-api/using-socket-mode
"""

import asyncio
import hashlib
import hmac
import itertools
import json
import secrets
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

import aiohttp
from aiohttp import WSMsgType, web

from bot.playground.slack.block_contents import Json
from bot.playground.slack.change_event import ChangeEvent, note


def signed_headers(secret: str, body: bytes) -> dict[str, str]:
    """Return the headers that prove a request sent now, by the real time."""
    timestamp = str(int(time.time()))
    digest = hmac.new(secret.encode(), f"v0:{timestamp}:".encode() + body, hashlib.sha256)
    return {
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": f"v0={digest.hexdigest()}",
    }


@dataclass
class Delivery:
    """One payload and what became of it.

    `status` and `ack_s` (seconds until the ack) are None if none came; `body` is the decoded ack
    body, None if empty; `problem` is `operation_timeout`, `dispatch_failed` or None; `errors` are
    those of a refused form, by the field's label.
    """

    kind: str  # as in Socket Mode: slash_commands, interactive, events_api
    payload: Json
    envelope_id: str
    status: int | None = None
    ack_s: float | None = None
    body: Any = None
    problem: str | None = None
    errors: dict[str, str] = field(default_factory=dict)
    retry_number: int = 0  # of an event: how often it was sent in vain
    retry_reason: str | None = None  # and why, the last time
    is_not_retried: bool = False  # the bot asked for that: `x-slack-no-retry: 1`
    at: float = 0  # when it was sent, Unix seconds by Slack's clock

    @property
    def response_url(self) -> str | None:
        """Where the bot may answer; None for views."""
        return self.payload.get("response_url")

    @property
    def trigger_id(self) -> str | None:
        """The right to open a form; None for suggestions."""
        return self.payload.get("trigger_id")


class NobodyConnectedError(Exception):
    """No Socket Mode link is up."""


class Carrier(Protocol):
    """One way to the bot."""

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        """Return status and decoded body of the ack, however long it takes."""
        ...


class Errands:
    """What goes on beside everything else, until it is over or stopped."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def settled(self) -> None:
        """Wait until all of it is over."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await self.settled()


LATER_RETRIES_S = (60, 5 * 60)  # each after the last one


class Outbox:
    """What was sent to the bot, in order, and the way there."""

    def __init__(
        self,
        carrier: Carrier,
        clock: Callable[[], float],
        ack_limit_s: float,
        change_event: ChangeEvent,
    ) -> None:
        self.carrier = carrier
        self.ack_limit_s = ack_limit_s
        self._clock = clock
        self._change_event = change_event
        self.sent: list[Delivery] = []
        self.later = Errands()
        self._numbers = itertools.count(1)

    async def deliver(self, kind: str, payload: Json) -> Delivery:
        """Send one payload and wait for its ack, at most `ack_limit_s` seconds."""
        return await self._send(Delivery(kind, payload, self._new_id()))

    async def deliver_event(self, payload: Json) -> Delivery:
        """Send an event, and once more at once if it is not answered; return the last try.

        Then it comes a minute and five minutes later, by the clock, which may be moved:
        https://docs.slack.dev/apis/events-api/#retries.
        """
        last = await self._send(Delivery("events_api", payload, self._new_id()))
        if _comes_again(last):
            last = await self._retry(last)
        if _comes_again(last):
            self.later.start(self._retry_later(last))
        return last

    async def _retry_later(self, last: Delivery) -> None:
        for wait_s in LATER_RETRIES_S:
            await self._change_event.until_time(self._clock, last.at + wait_s)
            last = await self._retry(last)
            self._change_event.notify()
            if not _comes_again(last):
                return

    async def _retry(self, last: Delivery) -> Delivery:
        again = Delivery(last.kind, last.payload, self._new_id())
        again.retry_number, again.retry_reason = last.retry_number + 1, _retry_reason(last)
        return await self._send(again)

    def _new_id(self) -> str:
        return f"envelope-{next(self._numbers)}"

    async def _send(self, delivery: Delivery) -> Delivery:
        delivery.at = self._clock()
        note(self.sent, delivery)
        started = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self.ack_limit_s):
                delivery.status, delivery.body = await self.carrier.carry(delivery)
        except TimeoutError:
            delivery.problem = "operation_timeout"
        except (aiohttp.ClientError, OSError, NobodyConnectedError):
            delivery.problem = "dispatch_failed"
        else:
            delivery.ack_s = asyncio.get_running_loop().time() - started
            is_event = delivery.kind == "events_api"
            if delivery.status not in (range(200, 300) if is_event else (200,)):
                delivery.problem = "dispatch_failed"
        return delivery


def _comes_again(event: Delivery) -> bool:
    return event.problem is not None and not event.is_not_retried


def _retry_reason(event: Delivery) -> str:
    if event.problem == "operation_timeout":
        return "http_timeout"
    return "connection_failed" if event.status is None else "http_error"


_ROBOT = "Slackbot 1.0 (+https://api.slack.com/robots)"


class SignedHttp:
    """Posts to one request URL. `session` stays the caller's."""

    def __init__(self, session: aiohttp.ClientSession, url: str, signing_secret: str) -> None:
        self._session = session
        self._url = url
        self._secret = signing_secret

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        body, content_type = encoded(delivery)
        headers = {**signed_headers(self._secret, body), "Content-Type": content_type}
        if delivery.retry_number:
            headers["X-Slack-Retry-Num"] = str(delivery.retry_number)
            headers["X-Slack-Retry-Reason"] = str(delivery.retry_reason)
        async with self._request(body, headers) as response:
            delivery.is_not_retried = response.headers.get("X-Slack-No-Retry") == "1"
            is_json = response.content_type == "application/json"
            text = await response.text()
            return response.status, decoded(text) if is_json else text or None

    async def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Post anything, signed or not; return status and body. Redirects are not followed."""
        async with self._request(body, headers) as response:
            return response.status, await response.text()

    def _request(
        self, body: bytes, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        headers = {"User-Agent": _ROBOT, "Accept": "application/json,*/*", **headers}
        return self._session.post(self._url, data=body, headers=headers, allow_redirects=False)


def encoded(delivery: Delivery) -> tuple[bytes, str]:
    """Return body and content type: commands as a form, interactions as JSON in one, events."""
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload).encode(), "application/json"
    is_command = delivery.kind == "slash_commands"
    form = delivery.payload if is_command else {"payload": json.dumps(delivery.payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


def decoded(answer: str) -> Any:
    """Return the ack body: JSON where it is that, else its text; None if there is none."""
    try:
        return json.loads(answer)
    except ValueError:
        return answer or None


PING_EVERY_S = 10
_HOST = "applink-playground"


class Sockets:
    """The links of the bot. Each payload goes to one of them, in turn."""

    def __init__(self, app_id: str, change_event: ChangeEvent) -> None:
        self._app_id = app_id
        self._change_event = change_event
        self._tickets: set[str] = set()
        self._links: list[web.WebSocketResponse] = []
        self._acks: dict[str, asyncio.Future[Any]] = {}
        self.base = ""

    @property
    def count(self) -> int:
        return len(self._links)

    def new_link(self) -> str:
        """Return an address for one link, good once."""
        ticket = secrets.token_hex(16)
        self._tickets.add(ticket)
        return f"{self.base}?ticket={ticket}&app_id={self._app_id}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """Take one link and keep it until either side closes it."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=404, text="no such link")
        self._tickets.discard(ticket)
        link = web.WebSocketResponse(heartbeat=PING_EVERY_S)
        await link.prepare(request)
        try:
            await self._greet(link)
            await self._receive(link)
        finally:
            self._forget(link)
        return link

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        """See `Carrier.carry`. The ack may come over any link."""
        if not self._links:
            raise NobodyConnectedError
        link = self._links.pop(0)
        self._links.append(link)
        ack = asyncio.get_running_loop().create_future()
        self._acks[delivery.envelope_id] = ack
        try:
            await link.send_json(_envelope(delivery))
            return 200, await ack
        finally:
            del self._acks[delivery.envelope_id]

    async def close(self) -> None:
        for link in list(self._links):
            await link.close()

    async def _greet(self, link: web.WebSocketResponse) -> None:
        self._links.append(link)
        await link.send_json(
            {
                "type": "hello",
                "num_connections": len(self._links),
                "debug_info": {
                    "host": _HOST,
                    "build_number": 1,
                    "approximate_connection_time": 18060,
                },
                "connection_info": {"app_id": self._app_id},
            }
        )
        self._change_event.notify()

    async def _receive(self, link: web.WebSocketResponse) -> None:
        async for frame in link:
            if frame.type is WSMsgType.TEXT:
                self._take_ack(frame.data)

    def _take_ack(self, data: str) -> None:
        try:
            answer = json.loads(data)
        except ValueError:
            return  # Slack ignores what it cannot read
        if not isinstance(answer, dict):
            return
        ack = self._acks.get(str(answer.get("envelope_id")))
        if ack and not ack.done():
            ack.set_result(answer.get("payload") or None)

    def _forget(self, link: web.WebSocketResponse) -> None:
        self._links.remove(link)
        self._change_event.notify()


# What an ack may answer, beside a slash command:
# https://docs.slack.dev/apis/events-api/using-socket-mode
_ANSWERED = {"view_submission", "block_suggestion"}


def _envelope(delivery: Delivery) -> Json:
    is_event = delivery.kind == "events_api"
    is_answered = delivery.kind == "slash_commands" or delivery.payload.get("type") in _ANSWERED
    retried = {"retry_attempt": delivery.retry_number, "retry_reason": delivery.retry_reason or ""}
    return {
        "type": delivery.kind,
        "envelope_id": delivery.envelope_id,
        "payload": delivery.payload,
        "accepts_response_payload": is_answered,
        **(retried if is_event else {}),
    }
