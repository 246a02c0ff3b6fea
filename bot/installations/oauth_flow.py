"""Install the app by OAuth, in a browser: https://docs.slack.dev/authentication/installing-with-oauth."""

import asyncio
import hmac
import re
import secrets
from base64 import b64encode
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import structlog
from aiohttp import web
from cachetools import TTLCache
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.installations import pages
from bot.installations.installation import Installation, organisation
from bot.installations.repository import InstallationRepository
from bot.installations.views import INSTALL_PATH
from bot.process.clock import Clock, seconds_now
from bot.process.concurrency import Tasks, run_shielded
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.settings import Settings, text_of
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES
from bot.slack.client import slack_errors
from bot.slack.errors import SlackRefusedError

logger = structlog.get_logger()
REDIRECT_PATH = "/slack/oauth_redirect"
COOKIE = "domain-tracker-state"
# As long as Slack's code: https://docs.slack.dev/authentication/installing-with-oauth
LIVES_FOR_S = 600
EXCHANGED_WITHIN_S = 15.0
CANCELLED = "access_denied"
LINES_A_MINUTE = 10
# https://docs.slack.dev/reference/methods/oauth.v2.access#errors
OPERATORS = frozenset({"bad_client_secret", "bad_redirect_uri", "invalid_client_id"})
OF_ORGANISATION = "cannot_install_an_org_installed_app"
SLACKS_WORD = re.compile(r"[a-z_]{1,60}")
# Slack does not say what they look like; this only keeps out what is surely none.
CODE = re.compile(r"[!-~]{1,1024}")
# The address contains an OAuth code: it must not be cached or sent on.
FOR_BROWSERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": pages.POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def _installation(response: AsyncSlackResponse, asked_at: datetime) -> Installation:
    is_org_wide = response.get("is_enterprise_install") is True
    enterprise: Mapping[str, Any] = response.get("enterprise") or {}
    enterprise_id = _text(enterprise["id"]) if enterprise or is_org_wide else None
    installed_in = enterprise if is_org_wide else response["team"]
    home_id = _text(installed_in["id"])
    return Installation(
        home=organisation(home_id) if is_org_wide else WorkspaceId(home_id, enterprise_id),
        app_id=_text(response["app_id"]),
        bot_user_id=_text(response["bot_user_id"]),
        scopes=tuple(filter(None, map(str.strip, _text(response["scope"]).split(",")))),
        installed_by=_text(response["authed_user"]["id"]),
        installed_at=asked_at,
        name=str(installed_in.get("name") or ""),
        token=_text(response["access_token"]),
    )


def _text(value: object) -> str:
    if not (isinstance(value, str) and value):
        raise TypeError("a text was expected")
    return value


class InstallFlow:
    """Leads a browser to Slack's page and back, and saves what Slack gives.

    `on_installed(installation, before)` only begins something; `before` is the installation that
    was replaced. `client` has no token; its `retry_handlers` must be `[]`.
    """

    def __init__(
        self,
        settings: Settings,
        repository: InstallationRepository,
        *,
        client: AsyncWebClient,
        clock: Clock,
        on_installed: Callable[[Installation, Installation | None], object],
        tasks: Tasks,
    ) -> None:
        self._settings = settings
        self._repository = repository
        self._client = client
        self._clock = clock
        self._on_installed = on_installed
        self._tasks = tasks
        self._again = f"{settings.public_url}{INSTALL_PATH}"
        self._redirect_uri = f"{settings.public_url}{REDIRECT_PATH}"
        # What was logged within a minute: strangers cause as much as they like.
        self._logged: TTLCache[str, None] = TTLCache(LINES_A_MINUTE, 60, timer=seconds_now)

    def routes(self) -> list[web.RouteDef]:
        """Return both pages; a HEAD request of the second would use up its code."""
        return [
            web.get(INSTALL_PATH, self.begin),
            web.get(REDIRECT_PATH, self.finish, allow_head=False),
        ]

    async def begin(self, _request: web.Request) -> web.Response:
        """Send a browser to Slack, with a state that its cookie binds to it."""
        state, settings = secrets.token_urlsafe(32), self._settings
        mentions = MENTION_SCOPES if settings.slack_mentions else ()
        query = {
            "client_id": settings.slack_client_id or "",
            "scope": ",".join([*NEEDED_SCOPES, *OPTIONAL_SCOPES, *mentions]),
            "redirect_uri": self._redirect_uri,
            "state": state,
        }
        address = f"{settings.slack_authorize_url}?{urlencode(query)}"
        response = web.Response(status=302, headers={**FOR_BROWSERS, "Location": address})
        response.set_cookie(
            COOKIE,
            state,
            max_age=LIVES_FOR_S,
            httponly=True,
            # It comes along when Slack sends the browser back, and with no foreign form.
            samesite="Lax",
            secure=self._again.startswith("https:"),  # browsers keep no such one for 127.0.0.1
        )
        return response

    async def finish(self, request: web.Request) -> web.Response:
        """Answer the browser that Slack sends back."""
        if (reason := request.query.get("error")) is not None:
            return self._refused(reason)
        code = request.query.get("code", "")
        if not (_is_same_browser(request) and CODE.fullmatch(code)):
            # The cookie belongs to an installation that may go on.
            return _answer(400, pages.stale_page(again=self._again), keeps_cookie=True)
        try:
            # Slack's tokens come once: it goes on when the browser leaves or the bot stops.
            return _answer(200, await run_shielded(self._tasks, self._install(code)))
        except Exception as error:  # noqa: BLE001  # a person waits: the log has it all
            return self._broken(error)

    async def _install(self, code: str) -> str:
        made, before = await self._repository.install(await self._exchange(code))
        logger.info("installed", home=str(made.home), is_again=before is not None)
        self._on_installed(made, before)
        return pages.installed_page(made)

    async def _exchange(self, code: str) -> Installation:
        """Exchange a code for an installation; raise SlackError.

        https://docs.slack.dev/reference/methods/oauth.v2.access: not repeated, as a code works
        once. SlackRefusedError: it is used, expired or foreign, or the client secret is wrong.
        """
        settings, asked_at = self._settings, self._clock()
        known = f"{settings.slack_client_id}:{text_of(settings.slack_client_secret)}"
        async with slack_errors():
            async with asyncio.timeout(EXCHANGED_WITHIN_S):
                # Not by the SDK's `oauth_v2_access`: in 3.47 it uses what aiohttp 3.14 deprecates.
                response = await self._client.api_call(
                    "oauth.v2.access",
                    data={"code": code, "redirect_uri": self._redirect_uri},
                    headers={"Authorization": f"Basic {b64encode(known.encode()).decode()}"},
                )
            return _installation(response, asked_at)

    def _refused(self, reason: str) -> web.Response:
        """Answer the error that Slack's page gave, or that a stranger has written."""
        if reason == CANCELLED:
            return _answer(200, pages.cancelled_page(again=self._again))
        # Only Slack's answer to a code says that the operator has set something up wrongly.
        is_known = SLACKS_WORD.fullmatch(reason) and reason not in OPERATORS
        return self._broken(SlackRefusedError(reason if is_known else "?"))

    def _broken(self, error: Exception) -> web.Response:
        """Answer an error, with the reference under which the log says why."""
        reference, code = secrets.token_hex(4), getattr(error, "code", "")
        if code == OF_ORGANISATION:
            return _answer(400, pages.of_organisation_page())
        log, status = logger.bind(request=reference, error=repr(error)), 500
        if code in OPERATORS:
            log.error("SLACK_CLIENT_ID, SLACK_CLIENT_SECRET or PUBLIC_URL is wrong")
        elif not isinstance(error, BotError):
            log.error("an installation broke", exc_info=error)
        else:
            status = 400 if isinstance(error, SlackRefusedError) else 502
            if self._logged.currsize < LINES_A_MINUTE:
                self._logged[reference] = None
                log.warning("an installation failed")
        return _answer(status, pages.failed_page(again=self._again, reference=reference))


def _is_same_browser(request: web.Request) -> bool:
    """Return whether the state is that of the browser's cookie."""
    state, cookie = request.query.get("state", ""), request.cookies.get(COOKIE, "")
    same = hmac.compare_digest(state.encode(errors="replace"), cookie.encode(errors="replace"))
    return bool(cookie) and same


def _answer(status: int, page: str, *, keeps_cookie: bool = False) -> web.Response:
    response = web.Response(
        status=status, text=page, content_type="text/html", headers=FOR_BROWSERS
    )
    if not keeps_cookie:
        response.del_cookie(COOKIE)
    return response
