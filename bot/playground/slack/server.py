"""The local Slack as a server on loopback."""

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

from bot.playground.slack import seed
from bot.playground.slack.local import LocalSlack
from bot.playground.slack.response_url_api import ResponseUrlApi
from bot.playground.slack.sockets import Sockets
from bot.playground.slack.web_api import WebApi
from bot.playground.slack.world import World

COMMANDS = ("/domains", "/scan", "/adddomain", "/domainkey")
SCOPES = ("commands", "chat:write", "im:write", "users:read")
_MAX_BODY_BYTES = 32 * 2**20  # above what the bot may send, so that Slack's own limits answer


@asynccontextmanager
async def running_slack(
    *,
    clock: Callable[[], float] = time.time,
    host: str = "127.0.0.1",
    port: int = 0,
    commands: Iterable[str] = COMMANDS,
    scopes: Iterable[str] = SCOPES,
    events: Iterable[str] = (),
) -> AsyncIterator[LocalSlack]:
    """Run a local Slack until the block ends.

    `clock` returns Unix seconds; it ages triggers and response_urls and stamps messages, but
    acks are timed by the real clock. `events`: the types that the app is subscribed to; of these
    the local Slack knows `app_home_opened`.
    """
    world = World(clock, commands, scopes, events)
    seed.settle(world.workspace)
    async with aiohttp.ClientSession() as session:
        sockets = Sockets(world.workspace.app_id, world.workspace.bell)
        slack = LocalSlack(world, sockets, session)
        runner = web.AppRunner(_routes(slack), access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port).start()
            address = f"{host}:{runner.addresses[0][1]}"
            slack.api_url = f"http://{address}/api/"
            world.response_urls.base = f"http://{address}/response/"
            sockets.base = f"ws://{address}/link"
            yield slack
        finally:
            await sockets.close()
            await runner.cleanup()


def _routes(slack: LocalSlack) -> web.Application:
    api = WebApi(slack.world, slack.sockets.new_link)
    app = web.Application(client_max_size=_MAX_BODY_BYTES)
    app.router.add_route("*", "/api/{method}", api.handle)
    app.router.add_post("/response/{path:.+}", ResponseUrlApi(slack.world).handle)
    app.router.add_get("/link", slack.sockets.serve)
    return app
