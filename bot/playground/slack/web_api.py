"""The Web API over HTTP: arguments, token and scopes; the methods do the rest."""

import base64
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from bot.playground.slack.addressing import world_for
from bot.playground.slack.answering import answer
from bot.playground.slack.app import Call
from bot.playground.slack.methods import (
    basics,
    chat,
    conversations,
    oauth,
    usergroups,
    views,
)
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.realm import Realm
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.tokens import Token
from bot.playground.slack.world import World

Json = dict[str, Any]

# Arguments that hold JSON, and the error that Slack gives when they do not.
_JSON_ARGUMENTS = {
    "blocks": "invalid_blocks_format",
    "attachments": "invalid_attachments",
    "metadata": "invalid_metadata_format",
    "view": "invalid_arguments",
}


class WebApi:
    """Answers `/api/{method}`. `new_link` returns a fresh Socket Mode address."""

    def __init__(self, realm: Realm, new_link: Callable[[], str]) -> None:
        self._realm = realm
        self._methods: dict[str, Method] = {
            **basics.METHODS,
            **chat.METHODS,
            **conversations.METHODS,
            **oauth.METHODS,
            **usergroups.METHODS,
            **views.METHODS,
            "apps.connections.open": Method(lambda _call: {"url": new_link()}, token="xapp"),  # noqa: S106  a kind of token
        }

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one call and remember it."""
        name = request.match_info["method"]
        call = Call(name, {}, self._realm.app.clock(), str(request.url))
        problem = await _record(request, call)

        def act(headers: dict[str, str]) -> Json:
            if problem:
                raise problem
            return self._answer(call, headers)

        return await answer(self._realm, request, call, act)

    def _answer(self, call: Call, headers: dict[str, str]) -> Json:
        method = self._methods.get(call.method)
        if method is None:
            raise Refusal("unknown_method", req_method=call.method)
        token = self._authorize(method, call.token)
        call.arguments = _decoded(call.arguments)
        api_call = ApiCall(self._realm, self._world(call, method, token), call.arguments, token)
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
        token = self._realm.app.tokens.check(value)
        if token is None and value != self._realm.app.app_token:
            raise Refusal("invalid_auth")
        if (token is None) != (method.token == "xapp"):  # noqa: S105  a kind of token
            raise Refusal("not_allowed_token_type")
        return token

    def _world(self, call: Call, method: Method, token: Token | None) -> World:
        """Return where a call acts, and note it; the first workspace where it acts in none."""
        if token is None or method.acts_in == "nowhere":
            if token and not token.installation.is_org_wide:
                call.team_id = token.installation.home_id
            return self._realm.worlds[call.team_id or next(iter(self._realm.worlds))]
        installation = token.installation
        needs_team = method.acts_in == "team_id"
        world = world_for(self._realm, installation, call.arguments, needs_team=needs_team)
        call.team_id = world.workspace.team_id
        return world


async def _record(request: web.Request, call: Call) -> Refusal | None:
    """Note token and arguments, from the address, a form or a JSON body; return what is wrong."""
    call.arguments = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = await request.json() if request.can_read_body else {}
        except ValueError:
            return Refusal("invalid_json")
        if not isinstance(body, dict):
            return Refusal("json_not_object")
        call.arguments |= body
    else:
        call.arguments |= dict(await request.post())
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    given = call.arguments.pop("token", None)
    call.token = (token.strip() if kind == "Bearer" else given) or None
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
    """Return the arguments with those decoded that a form carries as JSON text."""
    decoded = dict(arguments)
    for name, error_code in _JSON_ARGUMENTS.items():
        if isinstance(value := decoded.get(name), str):
            try:
                decoded[name] = json.loads(value) if value else None
            except ValueError as error:
                raise Refusal(error_code) from error
    return decoded
