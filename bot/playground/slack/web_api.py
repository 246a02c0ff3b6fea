"""The local Slack as a server on loopback: the Web API, reply addresses and files."""

import base64
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from email.utils import formatdate
from typing import Any

import aiohttp
from aiohttp import web

from bot.playground.manifest import read_manifest
from bot.playground.slack import lifecycle, visible
from bot.playground.slack.app import Call, Fault, Settings
from bot.playground.slack.authorize_page import PATH, SESSION_COOKIE, AuthorizePage
from bot.playground.slack.block_contents import Json
from bot.playground.slack.delivery import Sockets
from bot.playground.slack.installations import Token
from bot.playground.slack.local import Lines, LocalSlack
from bot.playground.slack.methods import basics, chat, conversations
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.refusals import NothingToPress, Refusal
from bot.playground.slack.universe import Universe, WorkspaceState, world_for


async def answer(
    universe: Universe, request: web.Request, call: Call, act: Callable[[dict[str, str]], Json]
) -> web.Response:
    """Run `act`, which may add headers, unless a fault was ordered; a Refusal is an answer too."""
    response = await _answered(universe, request, call, act)
    universe.change_event.notify()  # a refusal is news too
    return response


async def _answered(
    universe: Universe, request: web.Request, call: Call, act: Callable[[dict[str, str]], Json]
) -> web.Response:
    universe.app.remember(call)
    fault = universe.app.faults.next_for(call.method)
    if fault and not fault.after_acting and (failed := await _failed(fault, request, call)):
        return failed
    headers: dict[str, str] = {"Date": formatdate(universe.app.clock(), usegmt=True)}
    try:
        call.answer, call.status = {"ok": True, **act(headers)}, 200
    except Refusal as refusal:
        call.answer, call.status = refusal.body, refusal.status
        headers |= refusal.headers
    if fault and fault.after_acting and (failed := await _failed(fault, request, call)):
        return failed
    return web.json_response(call.answer, status=call.status, headers=headers)


async def _failed(fault: Fault, request: web.Request, call: Call) -> web.Response | None:
    response = await fault.answer(request)
    if response:
        call.status, call.answer = response.status, {"ok": False, "error": fault.error}
    return response


class ResponseUrlApi:
    """Answers `/response/…`."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    async def handle(self, request: web.Request) -> web.Response:
        path, sent = request.match_info["path"], _json_or_text(await request.read())
        arguments = sent if isinstance(sent, dict) else {"body": sent}
        call = Call("response_url", arguments, self._universe.app.clock(), str(request.url))
        _kind, _, rest = path.partition("/")
        world = self._universe.worlds.get(rest.partition("/")[0])
        call.team_id = world.workspace.team_id if world else None

        def act(_headers: dict[str, str]) -> Json:
            if not isinstance(sent, dict):
                raise Refusal("invalid_payload", status=400)
            if world is None:
                raise Refusal("expired_url", status=404)
            world.response_urls.use(path, _decoded(sent))
            return {}

        return await answer(self._universe, request, call, act)


def _json_or_text(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")


class FileApi:
    """Takes and gives the bytes of files, as `files.slack.com` does."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe

    async def upload(self, request: web.Request) -> web.Response:
        """Take the raw bytes; the call is an `upload`."""
        team_id, ticket = request.match_info["team"], request.match_info["ticket"]
        content = await request.read()
        call = Call(
            "upload", {"length": len(content)}, self._universe.app.clock(), str(request.url)
        )
        world = self._universe.worlds.get(team_id)
        call.team_id = team_id if world else None

        def act(_headers: dict[str, str]) -> Json:
            if world is None:
                raise Refusal("upload_not_found", status=404)
            world.files.take(ticket, content)
            return {}

        response = await answer(self._universe, request, call, act)
        is_taken = call.answer.get("ok")
        return web.Response(text=f"OK - {len(content)}") if is_taken else response

    async def download(self, request: web.Request) -> web.Response:
        """Give the bytes to somebody who is signed in and sees where the file is shared."""
        team_id, _, file_id = request.match_info["file"].partition("-")
        world, who = self._universe.signed_in(request.cookies.get(SESSION_COOKIE, "")) or (
            None,
            None,
        )
        if world is None or who is None or world.workspace.team_id != team_id:
            return web.Response(status=302, headers={"Location": "/signin"})
        try:
            file, message = world.files.shared(file_id)
            visible.seen(world, who, message)
        except (Refusal, NothingToPress):
            return web.Response(status=404, text="This file does not exist")
        return web.Response(body=file.content, content_type=file.mimetype)


# Arguments that hold JSON, and the error that Slack gives when they do not.
_JSON_ARGUMENTS = {
    "blocks": "invalid_blocks_format",
    "view": "invalid_arguments",
    "files": "invalid_arguments",
    "outputs": "invalid_arguments",
}


class WebApi:
    """Answers `/api/{method}`. `new_link` returns a fresh Socket Mode address."""

    def __init__(self, universe: Universe, new_link: Callable[[], str]) -> None:
        self._universe = universe
        self._methods: dict[str, Method] = {
            **basics.METHODS,
            **chat.METHODS,
            **conversations.METHODS,
            **conversations.FILE_METHODS,
            **conversations.GROUP_METHODS,
            **basics.OAUTH_METHODS,
            **chat.VIEW_METHODS,
            "apps.connections.open": Method(
                lambda _call: {"url": new_link()},
                token="xapp",  # noqa: S106  a kind of token
                tier=3,
            ),
        }

    async def handle(self, request: web.Request) -> web.Response:
        name = request.match_info["method"]
        call = Call(name, {}, self._universe.app.clock(), str(request.url))
        problem = await _record(request, call)

        def act(headers: dict[str, str]) -> Json:
            if problem:
                raise problem
            return self._answer(call, headers)

        return await answer(self._universe, request, call, act)

    def _answer(self, call: Call, headers: dict[str, str]) -> Json:
        method = self._methods.get(call.method)
        if method is None:
            raise Refusal("unknown_method", req_method=call.method)
        token = self._authorize(method, call.token)
        call.arguments = _decoded(call.arguments)
        api_call = ApiCall(self._universe, self._world(call, method, token), call.arguments, token)
        if method.tier:
            now = api_call.world.posting.monotonic()
            api_call.world.rates.count(call.method, method.tier, now)
        if token:
            headers["x-oauth-scopes"] = ",".join(token.installation.scopes)
            headers["x-accepted-oauth-scopes"] = ",".join(method.scopes)
            if method.scopes:
                api_call.need(*method.scopes)
        return method.run(api_call)

    def _authorize(self, method: Method, value: str | None) -> Token | None:
        """Return the bot's token; None where the method takes none, or the app's own."""
        if method.token is None:
            return None
        if not value:
            raise Refusal("not_authed")
        token = self._universe.app.tokens.check(value)
        if token is None and value != self._universe.app.app_token:
            raise Refusal("invalid_auth")
        if (token is None) != (method.token == "xapp"):  # noqa: S105  a kind of token
            raise Refusal("not_allowed_token_type")
        return token

    def _world(self, call: Call, method: Method, token: Token | None) -> WorkspaceState:
        """Return where a call acts, and note it; the first workspace where it acts in none."""
        if token is None or method.acts_in == "nowhere":
            if token and not token.installation.is_org_wide:
                call.team_id = token.installation.home_id
            return self._universe.worlds[call.team_id or next(iter(self._universe.worlds))]
        installation = token.installation
        needs_team = method.acts_in == "team_id"
        world = world_for(self._universe, installation, call.arguments, needs_team=needs_team)
        call.team_id = world.workspace.team_id
        return world


async def _record(request: web.Request, call: Call) -> Refusal | None:
    """Note token and arguments, from the address, a form or a JSON body; return what is wrong."""
    call.arguments = dict(request.query)
    given = None  # a token in the address or in JSON is none: https://docs.slack.dev/apis/web-api
    if request.content_type == "application/json":
        try:
            body = await request.json() if request.can_read_body else {}
        except ValueError:
            return Refusal("invalid_json")
        if not isinstance(body, dict):
            return Refusal("json_not_object")
        call.arguments |= body
    else:
        call.arguments |= dict(form := await request.post())
        given = form.get("token")
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    call.arguments.pop("token", None)
    call.token = (token.strip() if kind == "Bearer" else str(given or "")) or None
    if kind == "Basic":
        call.arguments |= _credentials(token)
    return None


def _credentials(encoded: str) -> Json:
    """Return the app's own credentials from a header of HTTP Basic; none, if it is garbled."""
    try:
        client_id, _, client_secret = (
            base64.b64decode(encoded, validate=True).decode().partition(":")
        )
    except ValueError:
        return {}
    return {"client_id": client_id, "client_secret": client_secret}


def _decoded(arguments: Json) -> Json:
    """Return the arguments with those decoded that are JSON text, as a form carries them."""
    decoded = dict(arguments)
    for name, error_code in _JSON_ARGUMENTS.items():
        if isinstance(value := decoded.get(name), str):
            try:
                decoded[name] = json.loads(value) if value else None
            except (ValueError, RecursionError) as error:
                raise Refusal(error_code) from error
    return decoded


SCOPES = ("commands", "chat:write", "im:write", "users:read")
_MAX_BODY_BYTES = 32 * 2**20  # above what the bot may send, so that Slack's own limits answer


@asynccontextmanager
async def running_slack(
    *, clock: Callable[[], float] = time.time, **settings: Any
) -> AsyncIterator[LocalSlack]:
    """Run a local Slack until the block ends; yield its first workspace, which has the app.

    `clock` returns Unix seconds; it ages and stamps everything but acks. Without `settings` the
    app has the commands and shortcuts of the manifest, and may ask for what they need.
    """
    about = read_manifest().settings
    known = {"commands": about["commands"], "shortcuts": about["shortcuts"], "scopes": SCOPES}
    settings = {**known, **settings}
    universe = Universe(clock, Settings(**settings))
    sockets = Sockets(universe.app.id, universe.change_event)
    # A line that is kept may be that of a bot which another one has followed at its address.
    connector = aiohttp.TCPConnector(force_close=True)
    async with aiohttp.ClientSession(
        cookie_jar=aiohttp.DummyCookieJar(), connector=connector
    ) as session:
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
    universe.app.tokens.give(installation)
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
    app.router.add_post(PATH, page.answer)
    return app
