"""The least that a bot has to serve so that people can install it: a start, and a way back."""

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import aiohttp
from aiohttp import web

from bot.playground.slack import LocalSlack

Json = dict[str, Any]
COOKIE = "install-state"


class Installer:
    """Serves `/install` and `/callback`; `answers` are what the exchanges of codes gave."""

    def __init__(self, slack: LocalSlack, http: aiohttp.ClientSession) -> None:
        self._slack = slack
        self._http = http
        self.url = ""
        self.scopes = ",".join(slack.app.settings.scopes)
        self.answers: list[Json] = []

    @property
    def start_url(self) -> str:
        return f"{self.url}/install"

    def authorize_url(self, **changes: str) -> str:
        """Return the address of Slack's page; an empty change leaves a field out."""
        query = {
            "client_id": self._slack.client_id,
            "scope": self.scopes,
            "state": "a-state",
            "redirect_uri": f"{self.url}/callback",
        }
        sent = {key: value for key, value in (query | changes).items() if value}
        return f"{self._slack.authorize_url}?{urlencode(sent)}"

    async def exchange(self, **fields: str) -> Json:
        """Call `oauth.v2.access` with the right credentials, unless others are given."""
        credentials = {
            "client_id": self._slack.client_id,
            "client_secret": self._slack.client_secret,
        }
        url = self._slack.api_url + "oauth.v2.access"
        async with self._http.post(url, data=credentials | fields) as response:
            answer: Json = await response.json()
            return answer

    async def start(self, _request: web.Request) -> web.Response:
        state = secrets.token_hex(8)
        response = web.Response(status=302, headers={"Location": self.authorize_url(state=state)})
        response.set_cookie(COOKIE, state, secure=True, httponly=True, samesite="Lax")
        return response

    async def callback(self, request: web.Request) -> web.Response:
        if request.query.get("state") != request.cookies.get(COOKIE, "none"):
            return web.Response(status=400, text="another browser")
        if error := request.query.get("error"):
            return web.Response(text=f"cancelled: {error}")
        redirect_uri = f"{self.url}/callback"
        answer = await self.exchange(code=request.query["code"], redirect_uri=redirect_uri)
        self.answers.append(answer)
        return web.Response(text="installed" if answer["ok"] else answer["error"])


@asynccontextmanager
async def running_installer(slack: LocalSlack) -> AsyncIterator[Installer]:
    """Serve until the block ends; the app's redirect address is set."""
    async with aiohttp.ClientSession() as http:
        installer = Installer(slack, http)
        app = web.Application()
        app.router.add_get("/install", installer.start)
        app.router.add_get("/callback", installer.callback)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            installer.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            slack.app.settings.redirect_urls = [f"{installer.url}/callback"]
            yield installer
        finally:
            await runner.cleanup()
