"""The local Slack as a server on loopback."""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
from aiohttp import web

from bot.playground.manifest import read_manifest
from bot.playground.slack import lifecycle
from bot.playground.slack.app import Settings
from bot.playground.slack.authorize_page import PATH, AuthorizePage
from bot.playground.slack.local import Lines, LocalSlack
from bot.playground.slack.sockets import Sockets
from bot.playground.slack.universe import Universe
from bot.playground.slack.web_api import FileApi, ResponseUrlApi, WebApi
from bot.playground.slack.workspace_state import WorkspaceState

SCOPES = ("commands", "chat:write", "im:write", "users:read")
_MAX_BODY_BYTES = 32 * 2**20  # above what the bot may send, so that Slack's own limits answer


@asynccontextmanager
async def running_slack(
    *, clock: Callable[[], float] = time.time, **settings: Any
) -> AsyncIterator[LocalSlack]:
    """Run a local Slack until the block ends; yield its first workspace, which has the app.

    `clock` returns Unix seconds; it ages triggers, response_urls, codes and tokens and stamps
    messages, but acks are timed by the real clock. `settings` are those of `Settings`; without
    any, the app has the commands and shortcuts of the manifest, and may ask for what they need.
    """
    about = read_manifest().settings
    known = {"commands": about["commands"], "shortcuts": about["shortcuts"], "scopes": SCOPES}
    settings = {**known, **settings}
    universe = Universe(clock, Settings(**settings))
    sockets = Sockets(universe.app.id, universe.change_event)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        lines = Lines(universe, sockets, session)
        runner = web.AppRunner(_routes(lines), access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            address = f"127.0.0.1:{runner.addresses[0][1]}"
            universe.base = f"http://{address}"
            sockets.base = f"ws://{address}/link"
            yield LocalSlack(lines, _with_the_app(universe))
        finally:
            await lines.close()
            await runner.cleanup()


def _with_the_app(universe: Universe) -> WorkspaceState:
    """Return a new workspace in which the app has been for long."""
    world = universe.add_workspace("playground")
    installation = lifecycle.in_workspace(world, world.workspace.member_named("ada").id)
    installation.add_scopes(universe.app.settings.scopes)
    universe.app.installations.add(installation)
    universe.app.tokens.give(installation, rotates=False)
    return world


def _routes(lines: Lines) -> web.Application:
    universe = lines.universe
    api, page = WebApi(universe, lines.sockets.new_link), AuthorizePage(universe)
    app = web.Application(client_max_size=_MAX_BODY_BYTES)
    app.router.add_route("*", "/api/{method}", api.handle)
    app.router.add_post("/response/{path:.+}", ResponseUrlApi(universe).handle)
    files = FileApi(universe)
    app.router.add_post("/upload/v1/{team}/{ticket}", files.upload)
    app.router.add_get("/files-pri/{file}/{path:.+}", files.download)
    app.router.add_get("/link", lines.sockets.serve)
    app.router.add_get(PATH, page.show)
    app.router.add_post(PATH, page.answer)
    return app
