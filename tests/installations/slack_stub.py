"""The method of Slack that installing calls, over a real socket."""

import base64
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

CLIENT_ID, CLIENT_SECRET = "111.222", "0123456789abcdef-secret"
CODE = "4724469134.4644010092847.code"
ANSWER: dict[str, Any] = {
    "ok": True,
    "app_id": "A1",
    "authed_user": {"id": "U0ADMIN"},
    "scope": "commands,chat:write",
    "token_type": "bot",
    "access_token": "xoxb-given",
    "bot_user_id": "U0BOT",
    "team": {"id": "T1", "name": "Acme"},
    "enterprise": None,
    "is_enterprise_install": False,
}
OF_ORGANISATION: dict[str, Any] = {
    "team": None,
    "enterprise": {"id": "E1", "name": "Starship"},
    "is_enterprise_install": True,
}


class SlackStub:
    """Takes the code once. `answer` is what it gives for it, `raw` takes the place of that.

    `before_answer` comes before either.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.answer: dict[str, Any] = dict(ANSWER)
        self.raw: tuple[int, str] | None = None
        self.codes = [CODE]
        self.forms: list[dict[str, str]] = []
        self.before_answer: Callable[[], Awaitable[object]] | None = None

    async def give(self, request: web.Request) -> web.Response:
        form = {name: str(value) for name, value in (await request.post()).items()}
        self.forms.append(form)
        if self.before_answer:
            await self.before_answer()
        if self.raw:
            status, text = self.raw
            return web.Response(status=status, text=text, content_type="text/html")
        if request.headers.get("Authorization") != _basic(CLIENT_ID, CLIENT_SECRET):
            return web.json_response({"ok": False, "error": "bad_client_secret"})
        if form.get("code") not in self.codes:
            return web.json_response({"ok": False, "error": "invalid_code"})
        self.codes.remove(form["code"])
        return web.json_response(self.answer)


@asynccontextmanager
async def running_slack_stub() -> AsyncIterator[SlackStub]:
    app = web.Application()
    runner = web.AppRunner(app)
    stub = SlackStub("")
    app.router.add_post("/api/oauth.v2.access", stub.give)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    stub.url = f"http://127.0.0.1:{runner.addresses[0][1]}/api/"
    try:
        yield stub
    finally:
        await runner.cleanup()


def _basic(name: str, secret: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{secret}".encode()).decode()
