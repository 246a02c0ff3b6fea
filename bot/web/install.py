"""The pages for browsers that install the bot."""

import secrets
from collections.abc import Awaitable, Callable

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_bolt_request
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

logger = structlog.get_logger()


class InstallEndpoint:
    """`GET /slack/install` and `GET /slack/oauth_redirect`, for a browser.

    Bolt's own adapter (1.30) makes every cookie `Secure`, of which browsers keep none for
    `http://127.0.0.1`: the flow's own headers are sent as they are.
    """

    def __init__(self, flow: AsyncOAuthFlow) -> None:
        self._flow = flow

    def register(self, app: web.Application) -> None:
        """Serve both, a HEAD of the second one not: it would use up what it brings."""
        app.router.add_get(self._flow.install_path, self.begin)
        app.router.add_get(self._flow.redirect_uri_path, self.finish, allow_head=False)

    async def begin(self, request: web.Request) -> web.Response:
        """Send the browser to Slack."""
        return await self._answer(request, self._flow.handle_installation)

    async def finish(self, request: web.Request) -> web.Response:
        """Answer the browser that comes back from Slack."""
        return await self._answer(request, self._flow.handle_callback)

    async def _answer(
        self,
        request: web.Request,
        handle: Callable[[AsyncBoltRequest], Awaitable[BoltResponse]],
    ) -> web.Response:
        try:
            answer = await handle(await to_bolt_request(request))
        except Exception:
            reference = secrets.token_hex(4)
            logger.exception("an installation broke", request=reference)
            text = f"Something broke. Please begin again. Reference {reference}."
            return web.Response(status=500, text=text, headers=_FOR_BROWSERS)
        return _for_browsers(answer)


# What stands in the address is good for an installation: it is to be kept and passed on nowhere.
_FOR_BROWSERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def _for_browsers(answer: BoltResponse) -> web.Response:
    response = web.Response(status=answer.status, body=answer.body.encode(), headers=_FOR_BROWSERS)
    for name, values in answer.headers.items():
        response.headers.popall(name, None)  # a body has a content type of its own
        for value in values:
            response.headers.add(name, value)
    return response
