"""Delivery by Socket Mode: https://docs.slack.dev/apis/events-api/using-socket-mode."""

import asyncio
import json
import secrets
from typing import Any

from aiohttp import WSMsgType, web

from bot.playground.slack.block_contents import Json
from bot.playground.slack.changes import ChangeEvent
from bot.playground.slack.delivery import Delivery, NobodyConnectedError

MAX_LINKS = 10
PING_EVERY_S = 10
_HOST = "applink-playground"


class Sockets:
    """The links of the bot. Each payload goes to one of them, in turn."""

    def __init__(self, app_id: str, change_event: ChangeEvent) -> None:
        self._app_id = app_id
        self._change_event = change_event
        self._tickets: set[str] = set()
        self._links: list[web.WebSocketResponse] = []
        self._retiring: list[web.WebSocketResponse] = []
        self._acks: dict[str, asyncio.Future[Any]] = {}
        self.base = ""

    @property
    def count(self) -> int:
        """How many links take payloads now."""
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
        """See `Carrier.carry`. The ack may come over any link: one may just have been renewed."""
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

    async def refresh(self, reason: str = "refresh_requested") -> None:
        """Ask the bot to renew its links; they take no more payloads, only acks."""
        self._retiring, links = [*self._retiring, *self._links], self._links
        self._links = []
        for link in links:
            await link.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": _HOST}}
            )

    async def close(self) -> None:
        """End every link."""
        for link in [*self._links, *self._retiring]:
            await link.close()

    async def _greet(self, link: web.WebSocketResponse) -> None:
        if len(self._links) >= MAX_LINKS:
            await link.send_json({"type": "disconnect", "reason": "too_many_websockets"})
            await link.close()
            return
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
        for links in (self._links, self._retiring):
            if link in links:
                links.remove(link)
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
