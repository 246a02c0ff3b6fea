"""Response urls over HTTP."""

import json
from typing import Any

from aiohttp import web

from bot.playground.slack.answering import answer
from bot.playground.slack.app import Call
from bot.playground.slack.realm import Realm
from bot.playground.slack.refusals import Refusal

Json = dict[str, Any]


class ResponseUrlApi:
    """Answers `/response/…`."""

    def __init__(self, realm: Realm) -> None:
        self._realm = realm

    async def handle(self, request: web.Request) -> web.Response:
        """Act on one use."""
        path, sent = request.match_info["path"], _decoded(await request.read())
        arguments = sent if isinstance(sent, dict) else {"body": sent}
        call = Call("response_url", arguments, self._realm.app.clock(), str(request.url))
        _kind, _, rest = path.partition("/")
        world = self._realm.worlds.get(rest.partition("/")[0])
        call.team_id = world.workspace.team_id if world else None

        def act(_headers: dict[str, str]) -> Json:
            if not isinstance(sent, dict):
                raise Refusal("invalid_payload", status=400)
            if world is None:
                raise Refusal("expired_url", status=404)
            world.response_urls.use(path, sent)
            return {}

        return await answer(self._realm, request, call, act)


def _decoded(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode(errors="replace")
