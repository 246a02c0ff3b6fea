"""The Web API over HTTP: arguments, token and scopes; the methods do the rest."""

import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from bot.playground.slack.answering import answer
from bot.playground.slack.methods import basics, chat, conversations, usergroups, views
from bot.playground.slack.methods.call import ApiCall, Method
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.world import Call, World

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

    def __init__(self, world: World, new_link: Callable[[], str]) -> None:
        self._world = world
        self._methods: dict[str, Method] = {
            **basics.METHODS,
            **chat.METHODS,
            **conversations.METHODS,
            **usergroups.METHODS,
            **views.METHODS,
            "apps.connections.open": Method(lambda _call: {"url": new_link()}, token="xapp"),  # noqa: S106  a kind of token
        }

    async def handle(self, request: web.Request) -> web.Response:
        """Answer one call and remember it."""
        name = request.match_info["method"]
        call = Call(name, {}, self._world.workspace.clock(), str(request.url))
        problem = await _record(request, call)

        def act(headers: dict[str, str]) -> Json:
            if problem:
                raise problem
            return self._answer(call, headers)

        return await answer(self._world, request, call, act)

    def _answer(self, call: Call, headers: dict[str, str]) -> Json:
        method = self._methods.get(call.method)
        if method is None:
            raise Refusal("unknown_method", req_method=call.method)
        self._authorize(method, call.token)
        call.arguments = _decoded(call.arguments)
        api_call = ApiCall(self._world, call.arguments)
        if method.token == "xoxb":  # noqa: S105  the kind of token, not one
            headers["x-oauth-scopes"] = ",".join(self._world.scopes)
            headers["x-accepted-oauth-scopes"] = ",".join(method.scopes)
            if method.scopes:
                api_call.need(*method.scopes)
        return method.run(api_call)

    def _authorize(self, method: Method, token: str | None) -> None:
        if method.token is None:
            return
        if not token:
            raise Refusal("not_authed")
        if token not in (self._world.bot_token, self._world.app_token):
            raise Refusal("invalid_auth")
        if not token.startswith(method.token):
            raise Refusal("not_allowed_token_type")
        if token == self._world.bot_token and self._world.token_refusal:
            raise Refusal(self._world.token_refusal)


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
    return None


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
