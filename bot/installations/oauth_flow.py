"""Install the app by OAuth, in a browser: https://docs.slack.dev/authentication/installing-with-oauth.

Bolt's flow, of which each override says what is wrong with the original.
"""

import asyncio
import re
import secrets
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import structlog
from slack_bolt.oauth.async_callback_options import AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth import OAuthStateUtils
from slack_sdk.oauth.installation_store import Installation as BoltInstallation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.installations import pages
from bot.installations.installation import Installation, organisation
from bot.installations.repository import InstallationRepository
from bot.installations.views import INSTALL_PATH
from bot.process.clock import Clock, seconds_now
from bot.process.concurrency import Tasks, run_shielded
from bot.process.errors import BotError, log_and_suppress
from bot.process.workspace import WorkspaceId
from bot.slack.client import slack_errors
from bot.slack.errors import SlackError, SlackRateLimitedError, SlackRefusedError
from bot.store.documents import ConflictError, UnreadableSecretError
from bot.store.encryption import KeyRing

logger = structlog.get_logger()
REDIRECT_PATH = "/slack/oauth_redirect"
# As long as Slack's code: https://docs.slack.dev/authentication/installing-with-oauth
LIVES_FOR = timedelta(minutes=10)
EXCHANGED_WITHIN_S = 15.0
CANCELLED = "access_denied"
LINES_A_MINUTE = 10
STALE = frozenset({"invalid_browser", "invalid_state", "missing_code"})
# https://docs.slack.dev/reference/methods/oauth.v2.access#errors
OPERATORS = frozenset({"bad_client_secret", "bad_redirect_uri", "invalid_client_id"})
OF_ORGANISATION = "cannot_install_an_org_installed_app"
SLACKS_WORD = re.compile(r"[a-z_]{1,60}")
# Slack does not say what they look like; this only keeps out what is surely none.
CODE = re.compile(r"[!-~]{1,1024}")
ABOUT = "the state of an installation that was begun"  # associated data of sealed states


class StateCookie(OAuthStateUtils):
    """The SDK's cookie, also for `http://127.0.0.1`, where browsers keep no `Secure` one."""

    def __init__(self, *, is_secure: bool) -> None:
        super().__init__(expiration_seconds=int(LIVES_FOR.total_seconds()))
        # `Lax`: it comes along when Slack sends the browser back, and with no foreign form.
        self._flags = "SameSite=Lax; Secure; " if is_secure else "SameSite=Lax; "

    def build_set_cookie_for_new_state(self, state: str) -> str:
        return super().build_set_cookie_for_new_state(state).replace("Secure; ", self._flags)

    def build_set_cookie_for_deletion(self) -> str:
        return super().build_set_cookie_for_deletion().replace("Secure; ", self._flags)


class InstallStates(AsyncOAuthStateStore):
    """Issues and checks states, whichever process with this ring issued them.

    Using one again does no harm: the cookie binds it to its browser, and Slack's code works once.
    """

    def __init__(self, ring: KeyRing, *, clock: Clock) -> None:
        self._ring = ring
        self._clock = clock

    async def async_issue(self, *_args: object, **_kwargs: object) -> str:
        return self._ring.encrypt((self._clock() + LIVES_FOR).isoformat(), ABOUT)

    async def async_consume(self, state: str) -> bool:
        """Return whether `state` is ours and young enough."""
        try:
            until = datetime.fromisoformat(self._ring.decrypt(state, ABOUT))
        except (UnreadableSecretError, ValueError):
            return False
        return until > self._clock()


async def exchange_code(
    client: AsyncWebClient, settings: AsyncOAuthSettings, code: str, asked_at: datetime
) -> Installation:
    """Exchange an OAuth code for an installation, made at `asked_at`; raise SlackError.

    https://docs.slack.dev/reference/methods/oauth.v2.access: not repeated, as a code works once.
    `client` has no token; its `retry_handlers` must be `[]`. SlackRefusedError: the code is used,
    expired or foreign, or the client secret is wrong.
    """
    basic = b64encode(f"{settings.client_id}:{settings.client_secret}".encode()).decode()
    async with slack_errors():
        async with asyncio.timeout(EXCHANGED_WITHIN_S):
            # Not by the SDK's `oauth_v2_access`: in 3.47 it uses what aiohttp 3.14 deprecates.
            response = await client.api_call(
                "oauth.v2.access",
                data={"code": code, "redirect_uri": settings.redirect_uri},
                headers={"Authorization": f"Basic {basic}"},
            )
        return _installation(response, asked_at)


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


class NewInstallation(BoltInstallation):
    """Ours, in the shape in which Bolt passes it from step to step; `before`: the replaced one."""

    def __init__(self, installation: Installation) -> None:
        super().__init__(user_id=installation.installed_by)
        self.installation = installation
        self.before: Installation | None = None


class InstallationStore(AsyncInstallationStore):
    """Bolt's interface to the stored installations, as far as its flow uses it: saving."""

    def __init__(self, repository: InstallationRepository) -> None:
        self._repository = repository

    async def async_save(self, installation: BoltInstallation) -> None:
        """Save an installation, replacing the one before; raise StoreError.

        A workspace that had the app before it joined its organisation keeps its id of then, under
        which all of its data is stored.
        """
        assert isinstance(installation, NewInstallation)  # noqa: S101  # from `run_installation`
        while True:
            home, before, rev = await self._before(installation.installation.home)
            made = replace(installation.installation, home=home)
            with suppress(ConflictError):  # a token was renewed, or the app removed, in between
                await self._repository.put(made, if_rev=rev)
                break
        installation.installation, installation.before = made, before
        scopes, is_again = len(made.scopes), before is not None
        logger.info("installed", home=str(home), is_again=is_again, scopes=scopes)

    async def _before(
        self, home: WorkspaceId
    ) -> tuple[WorkspaceId, Installation | None, int | None]:
        """Return the home of the one before, that one, and its rev (`None`: any)."""
        for each in (home, WorkspaceId(home.team_id)):
            try:
                kept = await self._repository.get(each)
            except UnreadableSecretError:  # its key is lost: installing again is what mends that
                return each, None, None
            if kept:
                return each, kept, kept.rev
        return home, None, 0


class Seldom:
    """Lets a few lines a minute into the log: strangers cause as many as they like.

    The first line after such a minute says how many were left out.
    """

    def __init__(self, clock: Callable[[], float] = seconds_now) -> None:
        self._clock = clock
        self._began = clock()
        self._count = 0

    def admits(self) -> bool:
        if (now := self._clock()) - self._began >= 60:
            if (left_out := self._count - LINES_A_MINUTE) > 0:
                logger.warning("more installations failed within a minute", count=left_out)
            self._began, self._count = now, 0
        self._count += 1
        return self._count <= LINES_A_MINUTE


class InstallFlow(AsyncOAuthFlow):
    """Bolt's flow, with our state cookie, address, exchange and pages.

    `on_installed(installation, before)` is to return soon, as a person waits for the page; what
    it raises is logged. `before` is the installation that was replaced.
    """

    def __init__(
        self,
        settings: AsyncOAuthSettings,
        *,
        client: AsyncWebClient,
        clock: Clock,
        on_installed: Callable[[Installation, Installation | None], Awaitable[None]],
        tasks: Tasks,
    ) -> None:
        super().__init__(client=client, settings=settings)
        redirect_uri = f"{self.redirect_uri}"
        settings.state_utils = StateCookie(is_secure=redirect_uri.startswith("https:"))
        self.success_handler = self._succeed
        self.failure_handler = lambda args: self._failed(args.reason)
        self._again = redirect_uri.removesuffix(REDIRECT_PATH) + INSTALL_PATH
        self._clock = clock
        self._on_installed = on_installed
        self._tasks = tasks
        self._log = Seldom()

    async def build_authorize_url(self, state: str, _request: AsyncBoltRequest) -> str:
        """Return Slack's page, encoded: the SDK (3.47) joins the parts as they are."""
        query = {
            "client_id": self.client_id,
            "scope": ",".join(self.settings.scopes or ()),
            "redirect_uri": self.redirect_uri or "",
            "state": state,
        }
        return f"{self.settings.authorization_url}?{urlencode(query)}"

    async def handle_callback(self, request: AsyncBoltRequest) -> BoltResponse:
        """Answer the browser that Slack sends back. Bolt answers our errors with a bare 500.

        Without a code the state stays new: Bolt would consume it. The work goes on as one of
        `tasks` when the browser leaves or the bot stops: Slack's tokens come once.
        """
        code = request.query.get("code", [""])[0]
        if "error" not in request.query and not CODE.fullmatch(code):
            return await self._failed("missing_code")
        try:
            return await run_shielded(self._tasks, super().handle_callback(request))
        except BotError as error:
            return self._broken(error)

    async def run_installation(self, code: str) -> BoltInstallation:
        """Exchange the code; raise SlackError. Bolt logs the code and loses Slack's reason."""
        made = await exchange_code(self.client, self.settings, code, self._clock())
        return NewInstallation(made)

    async def _succeed(self, args: AsyncSuccessArgs) -> BoltResponse:
        new = args.installation
        assert isinstance(new, NewInstallation)  # noqa: S101  # from `run_installation`
        made, before = new.installation, new.before
        with log_and_suppress("what follows an installation failed", Exception):
            await self._on_installed(made, before)
        return self._answer(200, pages.installed_page(made))

    async def _failed(self, reason: str) -> BoltResponse:
        """Answer Slack's or Bolt's error code. A stranger may have written it."""
        if reason == CANCELLED:
            return self._answer(200, pages.cancelled_page(again=self._again))
        if reason in STALE:
            if self._log.admits():
                logger.info("an installation came to nothing", reason=reason)
            # The cookie belongs to an installation that may go on.
            keeps_cookie = reason in {"invalid_browser", "missing_code"}
            page = pages.stale_page(again=self._again)
            return self._answer(400, page, keeps_cookie=keeps_cookie)
        # Only Slack's answer to a code says that the operator has set something up wrongly.
        is_known = SLACKS_WORD.fullmatch(reason) and reason not in OPERATORS
        return self._broken(SlackRefusedError(reason if is_known else "?"))

    def _broken(self, error: BotError) -> BoltResponse:
        """Answer an error, with the reference under which the log says why."""
        reference, status = secrets.token_hex(4), 500
        log = logger.bind(request=reference, error=repr(error))
        if isinstance(error, SlackRefusedError) and error.code in OPERATORS:
            log.error("SLACK_CLIENT_ID, SLACK_CLIENT_SECRET or PUBLIC_URL is wrong")
        else:
            if self._log.admits():
                log.warning("an installation failed")
            if isinstance(error, SlackError):
                status = 400 if isinstance(error, SlackRefusedError) else 502
            if isinstance(error, SlackRateLimitedError):  # strangers may use it up
                status = 429
        if isinstance(error, SlackRefusedError) and error.code == OF_ORGANISATION:
            return self._answer(400, pages.of_organisation_page())
        page = pages.failed_page(again=self._again, reference=reference)
        return self._answer(status, page)

    def _answer(self, status: int, page: str, *, keeps_cookie: bool = False) -> BoltResponse:
        deletion = self.settings.state_utils.build_set_cookie_for_deletion()
        return BoltResponse(
            status=status,
            body=page,
            headers={
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": pages.POLICY,
                "Set-Cookie": [] if keeps_cookie else [deletion],
            },
        )
