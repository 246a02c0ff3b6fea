"""The local Slack as a server on loopback."""

import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

import aiohttp
from aiohttp import web

from bot.playground.slack import lifecycle
from bot.playground.slack.app import ANSWERS_WITHIN_S, Settings
from bot.playground.slack.authorize_page import PATH, AuthorizePage
from bot.playground.slack.handle import Lines
from bot.playground.slack.local import LocalSlack
from bot.playground.slack.sockets import Sockets
from bot.playground.slack.universe import Universe
from bot.playground.slack.web_api import ResponseUrlApi, WebApi
from bot.playground.slack.workspace_state import WorkspaceState

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
    optional_scopes: Iterable[str] = (),
    events: Iterable[str] = (),
    redirect_urls: Iterable[str] = (),
    rotates_tokens: bool = False,
    deploys_to_orgs: bool = False,
    messages_tab: bool = True,
    home_tab: bool = True,
    answers_within_s: float = ANSWERS_WITHIN_S,
) -> AsyncIterator[LocalSlack]:
    """Run a local Slack until the block ends; yield its first workspace, which has the app.

    `clock` returns Unix seconds; it ages triggers, response_urls, codes and tokens and stamps
    messages, but acks are timed by the real clock. `scopes` are all that the app may ask for and
    `optional_scopes` those of them that people may decline. `events`: the types that the app is
    subscribed to; of these the local Slack knows `app_home_opened`, `app_uninstalled`,
    `tokens_revoked`, `team_access_granted` and `team_access_revoked`. `answers_within_s`: Slack
    waits 3 s for an ack, or for a form; on a busy machine tests should wait longer.
    """
    settings = Settings(
        commands=tuple(commands),
        scopes=tuple(scopes),
        events=tuple(events),
        optional_scopes=tuple(optional_scopes),
        redirect_urls=tuple(redirect_urls),
        rotates_tokens=rotates_tokens,
        deploys_to_orgs=deploys_to_orgs,
        messages_tab=messages_tab,
        home_tab=home_tab,
        answers_within_s=answers_within_s,
    )
    universe = Universe(clock, settings)
    sockets = Sockets(universe.app.id, universe.change_event)
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as session:
        lines = Lines(universe, sockets, session)
        runner = web.AppRunner(_routes(lines), access_log=None, shutdown_timeout=1)
        await runner.setup()
        try:
            await web.TCPSite(runner, host, port).start()
            address = f"{host}:{runner.addresses[0][1]}"
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
    app.router.add_get("/link", lines.sockets.serve)
    app.router.add_get(PATH, page.show)
    app.router.add_post(PATH, page.answer)
    return app
