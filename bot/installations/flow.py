"""Installing by OAuth, in a browser: https://docs.slack.dev/authentication/installing-with-oauth.

Bolt leads through it; what it would log, lose or answer with a bare 500 is done here.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import structlog
from slack_bolt.oauth.async_callback_options import AsyncFailureArgs, AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth.installation_store import Installation as BoltInstallation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore

from bot.errors import BotError
from bot.installations.answers import InstallAnswers, Pages
from bot.installations.errand import run_errand
from bot.installations.exchange import Exchange
from bot.installations.installation import Installation
from bot.installations.links import AuthorizeLink, StateCookie
from bot.installations.recent import RecentInstallations
from bot.installations.saving import save_installation
from bot.installations.state import LIVES_FOR, InstallStates
from bot.tasks import Tasks

logger = structlog.get_logger()

INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
# Slack does not say what they look like; this only keeps out what is surely none.
CODE = re.compile(r"[!-~]{1,1024}")

OnInstalled = Callable[[Installation, Installation | None], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class OAuthPlace:
    """As whom, for what and where the bot is installed; `public_url` has no slash at its end."""

    client_id: str
    client_secret: str = field(repr=False)
    scopes: Sequence[str]
    authorize_url: str
    public_url: str


class _Made(BoltInstallation):
    """Ours, in the shape in which Bolt hands it from step to step."""

    def __init__(self, ours: Installation) -> None:
        super().__init__(user_id=ours.installed_by)
        self.ours = ours
        self.is_again = False


class InstallFlow(AsyncOAuthFlow):
    """Bolt's flow, with our state, store and pages. No answer of it is a bare 500.

    `on_installed(installation, before)` is to return soon, as somebody waits for the page; what
    it raises is logged. `before` is the installation whose place it took. What Slack gives for a
    code is kept by one of `tasks`, also when the browser has left or the bot is to stop.
    """

    def __init__(
        self,
        *,
        place: OAuthPlace,
        exchange: Exchange,
        recent: RecentInstallations,
        states: InstallStates,
        pages: Pages,
        on_installed: OnInstalled,
        tasks: Tasks,
    ) -> None:
        super().__init__(settings=_settings(place, states))
        self.settings.state_utils = StateCookie(
            is_secure=place.public_url.startswith("https:"), lives_for=LIVES_FOR
        )
        self.settings.authorize_url_generator = AuthorizeLink(
            client_id=place.client_id,
            redirect_uri=self.settings.redirect_uri,
            scopes=place.scopes,
            authorization_url=place.authorize_url,
        )
        self.success_handler = self._tell_success
        self.failure_handler = self._tell_failure
        self._answers = InstallAnswers(
            pages, cookie=self.settings.state_utils, again=place.public_url + INSTALL_PATH
        )
        self._exchange = exchange
        self._recent = recent
        self._on_installed = on_installed
        self._tasks = tasks

    async def handle_callback(self, request: AsyncBoltRequest) -> BoltResponse:
        """Answer the browser that Slack sends back. Without a code its state stays new."""
        code = request.query.get("code", [""])[0]
        if "error" not in request.query and not CODE.fullmatch(code):
            return self._answers.failure("missing_code")
        try:
            return await run_errand(self._tasks, super().handle_callback(request))
        except BotError as error:
            return self._answers.error(error)

    async def run_installation(self, code: str) -> BoltInstallation:
        """Exchange the code; raise SlackError. Bolt's own would log the code."""
        return _Made(await self._exchange(code, f"{self.settings.redirect_uri}"))

    async def store_installation(
        self,
        request: AsyncBoltRequest,  # noqa: ARG002  # Bolt's
        installation: BoltInstallation,
    ) -> None:
        """Keep what Slack gave; raise StoreError."""
        assert isinstance(installation, _Made)  # noqa: S101  # ours, from run_installation
        saved = await save_installation(self._recent, installation.ours)
        installation.ours = saved.installation
        installation.is_again = saved.before is not None
        logger.info(
            "installed",
            home=str(saved.installation.home),
            is_again=installation.is_again,
            scopes=len(saved.installation.scopes),
        )
        try:
            await self._on_installed(saved.installation, saved.before)
        except Exception:
            logger.exception("what follows an installation failed")

    async def _tell_success(self, args: AsyncSuccessArgs) -> BoltResponse:
        assert isinstance(args.installation, _Made)  # noqa: S101  # ours, from run_installation
        made = args.installation
        return self._answers.success(made.ours, is_again=made.is_again)

    async def _tell_failure(self, args: AsyncFailureArgs) -> BoltResponse:
        return self._answers.failure(args.reason)


def _settings(place: OAuthPlace, states: InstallStates) -> AsyncOAuthSettings:
    """Everything by name: Bolt reads what is missing from the environment, and keeps files."""
    return AsyncOAuthSettings(
        client_id=place.client_id,
        client_secret=place.client_secret,
        scopes=place.scopes,
        user_scopes=[],
        redirect_uri=place.public_url + REDIRECT_PATH,
        install_path=INSTALL_PATH,
        redirect_uri_path=REDIRECT_PATH,
        install_page_rendering_enabled=False,
        authorization_url=place.authorize_url,
        installation_store=AsyncInstallationStore(),
        state_store=states,
        state_expiration_seconds=int(LIVES_FOR.total_seconds()),
    )
