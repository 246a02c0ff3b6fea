"""Response urls over HTTP."""

import json
from typing import Any

from aiohttp import web

from bot.playground.slack.answering import answer
from bot.playground.slack.refusals import Refusal
from bot.playground.slack.world import Call, World

Json = dict[str, Any]


class ResponseUrlApi:
    """Answers `/response/…`."""

    def __init__(self, world: World) -> None:
        self._world = world

    async def handle(self, request: web.Request) -> web.Response:
        """Act on one use."""
        path, sent = request.match_info["path"], _decoded(await request.read())
        arguments = sent if isinstance(sent, dict) else {"body": sent}
        now = self._world.workspace.clock()
        call = Call("response_url", arguments, now, str(request.url))

        def act(_headers: dict[str, str]) -> Json:
            if not isinstance(sent, dict):
                raise Refusal("invalid_payload", status=400)
            self._world.response_urls.use(path, sent)
            return {}

        return await answer(self._world, request, call, act)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
