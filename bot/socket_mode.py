"""Slack over a WebSocket that the bot opens: no public address needed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import (
    run_async_bolt_app,
    send_async_response,
)
from slack_bolt.async_app import AsyncApp
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse

from bot.seen import RecentlySeen, Seen


class SocketMode(AsyncSocketModeHandler):
    """Bolt's handler, for which an envelope that Slack sends again acts once.

    https://github.com/slackapi/bolt-js/issues/2487. Of several connections any may get it, the
    second time too (https://docs.slack.dev/apis/events-api/using-socket-mode): hence `seen`, what
    several processes know together.
    """

    def __init__(self, app: AsyncApp, app_token: str, *, seen: Seen | None = None) -> None:
        super().__init__(app, app_token)
        self._seen = seen or RecentlySeen(clock=time.monotonic)

    async def handle(self, client: AsyncBaseSocketModeClient, req: SocketModeRequest) -> None:
        """Answer an envelope; one that could not be taken is not acknowledged, and comes again."""
        name = f"envelope/{req.envelope_id}"
        if not await self._seen.is_new(name):
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id))
            return
        began = time.time()
        answer = await run_async_bolt_app(self.app, req)
        if answer.status != 200:
            await self._seen.forget(name)
        await send_async_response(client, req, answer, began)

    async def is_connected(self) -> bool:
        """Say whether the link is up."""
        return await self.client.is_connected()


@asynccontextmanager
async def connected(
    app: AsyncApp, app_token: str, *, seen: Seen | None = None
) -> AsyncIterator[SocketMode]:
    """Yield a link that is being opened, and opened again whenever it falls, until the end."""
    socket_mode = SocketMode(app, app_token, seen=seen)
    # The SDK tries for ever, so that a Slack that is down for a minute does not end the bot.
    connecting = asyncio.create_task(socket_mode.connect_async())  # type: ignore[no-untyped-call]  # Bolt's own gap
    try:
        yield socket_mode
    finally:
        connecting.cancel()
        await asyncio.gather(connecting, return_exceptions=True)
        await socket_mode.close_async()  # type: ignore[no-untyped-call]  # Bolt's own gap
