"""Install the app by OAuth, in a browser: https://docs.slack.dev/authentication/installing-with-oauth.

Bolt leads through it; what it would log, lose or answer with a bare 500 is done here.
"""

import asyncio
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol
from urllib.parse import urlencode

import structlog
from slack_bolt.oauth.async_callback_options import AsyncFailureArgs, AsyncSuccessArgs
from slack_bolt.oauth.async_oauth_flow import AsyncOAuthFlow
from slack_bolt.oauth.async_oauth_settings import AsyncOAuthSettings
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.oauth import AuthorizeUrlGenerator, OAuthStateUtils
from slack_sdk.oauth.installation_store import Installation as BoltInstallation
from slack_sdk.oauth.installation_store.async_installation_store import AsyncInstallationStore
from slack_sdk.oauth.state_store.async_state_store import AsyncOAuthStateStore

from bot.concurrency import Tasks, run_shielded
from bot.deduplication import DedupStore, MemoryDedup
from bot.errors import BotError
from bot.installations.models import Installation, Tokens, organisation
from bot.installations.repository import RecentInstallations, save_installation
from bot.slack.auth import IssuedInstallation, OAuthCalls
from bot.slack.errors import SlackError, SlackRefusedError, SlackUnreachableError
from bot.store.documents import UnreadableSecretError
from bot.store.encryption import KeyRing
from bot.workspace import WorkspaceId

# A workspace or an organisation.
TEAM = re.compile(r"[TE][A-Z0-9]{1,30}")


class AuthorizeLink(AuthorizeUrlGenerator):
    """The SDK's address of Slack's question, encoded: its own (3.47) joins what it is given."""

    def __init__(
        self,
        *,
        client_id: str,
        redirect_uri: str | None,
        scopes: Sequence[str],
        authorization_url: str,
    ) -> None:
        super().__init__(
            client_id=client_id,
            redirect_uri=redirect_uri,
            scopes=scopes,
            authorization_url=authorization_url,
        )

    def generate(self, state: str, team: str | None = None) -> str:
        """Return the address; `team` is what anybody may have written into the link to us."""
        query = {
            "client_id": self.client_id,
            "scope": ",".join(self.scopes or ()),
            "redirect_uri": self.redirect_uri or "",
            "state": state,
        }
        if team and TEAM.fullmatch(team):
            query["team"] = team
        return f"{self.authorization_url}?{urlencode(query)}"


class StateCookie(OAuthStateUtils):
    """The SDK's cookie, also for `http://127.0.0.1`, where browsers keep no `Secure` one.

    `SameSite=Lax`: it comes along when Slack sends the browser back, and with no foreign form.
    """

    def __init__(self, *, is_secure: bool, lives_for: timedelta) -> None:
        super().__init__(expiration_seconds=int(lives_for.total_seconds()))
        self._flags = "HttpOnly; Path=/; SameSite=Lax" + ("; Secure" if is_secure else "")

    def build_set_cookie_for_new_state(self, state: str) -> str:
        """Return the header that sets it."""
        return f"{self.cookie_name}={state}; {self._flags}; Max-Age={self.expiration_seconds}"

    def build_set_cookie_for_deletion(self) -> str:
        """Return the header that removes it."""
        return f"{self.cookie_name}=; {self._flags}; Max-Age=0"


# As long as Slack's code: https://docs.slack.dev/authentication/installing-with-oauth
LIVES_FOR = timedelta(minutes=10)
MAX_REMEMBERED = 10_000
ABOUT = "the state of an installation that was begun"


class InstallStates(AsyncOAuthStateStore):
    """Makes states, and takes each of them once, whichever process with this ring made it.

    `used` is what several processes know together. While it cannot be asked, no state is taken:
    the installation could not be saved, either. Without it this process alone knows, until it
    ends, which were used. Another one would take them again, which gives nobody anything: the
    cookie binds a state to the browser that began, and Slack's code is good for one use.
    """

    def __init__(
        self, ring: KeyRing, *, clock: Callable[[], datetime], used: DedupStore | None = None
    ) -> None:
        self._ring = ring
        self._clock = clock
        self._used = used or MemoryDedup(
            clock=lambda: clock().timestamp(),
            at_most=MAX_REMEMBERED,
            for_s=LIVES_FOR.total_seconds(),
        )

    async def async_issue(self, *_args: object, **_kwargs: object) -> str:
        """Return a new state."""
        until = int((self._clock() + LIVES_FOR).timestamp())
        return self._ring.encrypt(f"{secrets.token_hex(16)} {until}", ABOUT)

    async def async_consume(self, state: str) -> bool:
        """Say whether `state` is ours, young enough and new; it is not new any more then.

        Raises StoreError when the other processes cannot be asked.
        """
        name, until = self._opened(state)
        return until > self._clock() and await self._used.is_new(f"state/{name}")

    def _opened(self, state: str) -> tuple[str, datetime]:
        """Return its name, and until when it is good: for ever past when it is not ours."""
        try:
            name, _, until = self._ring.decrypt(state, ABOUT).partition(" ")
        except UnreadableSecretError:
            return "", datetime.min.replace(tzinfo=UTC)
        return name, datetime.fromtimestamp(int(until), UTC)


# Anybody may come back with a code of their own making, and each costs one question to Slack.
AT_ONCE = 5
WAITS_S = 5.0
# A clock that is wrong by more is no clock.
CLOCKS_DIFFER_BY = timedelta(days=1)


class Exchange:
    """Gives codes to Slack, a few at a time. Whoever waits in vain is asked to try again."""

    def __init__(
        self,
        calls: OAuthCalls,
        *,
        clock: Callable[[], datetime],
        at_once: int = AT_ONCE,
        waits_s: float = WAITS_S,
    ) -> None:
        self._calls = calls
        self._clock = clock
        self._turns = asyncio.Semaphore(at_once)
        self._waits_s = waits_s

    async def __call__(self, code: str, redirect_uri: str) -> Installation:
        """Return what Slack gives for a code.

        Raises:
            SlackRefusedError: the code is spent, too old or not ours; or so is our secret.
            SlackError: Slack did not answer, or too many others ask at this moment.
        """
        async with self._turn():
            asked_at = self._clock()
            given = await self._calls.exchange(code, redirect_uri)
            bot_id = await self._calls.bot_id(given.tokens.access)
        return _installation(given, bot_id, asked_at)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(self._waits_s):
                await self._turns.acquire()
        except TimeoutError:
            raise SlackUnreachableError("too many installations at once") from None
        try:
            yield
        finally:
            self._turns.release()


def _installation(
    given: IssuedInstallation, bot_id: str | None, asked_at: datetime
) -> Installation:
    enterprise_id = given.enterprise_id
    if given.team_id:
        home = WorkspaceId(given.team_id, enterprise_id)
    else:
        home = organisation(enterprise_id or "")
    lives_s = given.tokens.expires_in_s
    return Installation(
        home=home,
        app_id=given.app_id,
        bot_id=bot_id,
        bot_user_id=given.bot_user_id,
        scopes=given.scopes,
        installed_by=given.installed_by,
        installed_at=_installed_at(given, asked_at),
        name=given.name,
        tokens=Tokens(
            access=given.tokens.access,
            refresh=given.tokens.refresh,
            expires_at=None if lives_s is None else asked_at + timedelta(seconds=lives_s),
        ),
    )


def _installed_at(given: IssuedInstallation, asked_at: datetime) -> datetime:
    """By Slack's clock: it is compared with the times of Slack's events."""
    theirs = given.answered_at
    if theirs is None or abs(theirs - asked_at) > CLOCKS_DIFFER_BY:
        return asked_at
    return theirs


logger = structlog.get_logger()
CANCELLED = "access_denied"
STALE = frozenset({"invalid_browser", "invalid_state", "missing_code"})
# https://docs.slack.dev/reference/methods/oauth.v2.access#errors
OPERATORS = frozenset({"bad_client_secret", "bad_redirect_uri", "invalid_client_id"})
OF_ORGANISATION = "cannot_install_an_org_installed_app"
SLACKS_WORD = re.compile(r"[a-z_]{1,60}")


class Pages(Protocol):
    """What people see at the end, as HTML; `POLICY` is the Content-Security-Policy of all."""

    POLICY: str

    def installed_page(
        self, *, name: str, app_id: str, team_id: str, is_again: bool = False
    ) -> str:
        """A workspace has the app; `is_again`: it had it before."""
        ...

    def installed_everywhere_page(self, *, name: str, app_id: str, enterprise_id: str) -> str:
        """An organisation has the app, but none of its workspaces yet."""
        ...

    def cancelled_page(self, *, again: str) -> str:
        """The person said no to Slack's question. `again` is where installing begins."""
        ...

    def stale_page(self, *, again: str) -> str:
        """The way back was too late, was gone twice, or leads from another browser."""
        ...

    def refused_page(self, *, again: str, reference: str) -> str:
        """Slack did not accept it."""
        ...

    def of_organisation_page(self) -> str:
        """The organisation has the app, and decides which of its workspaces have it."""
        ...

    def set_up_wrongly_page(self, *, reference: str) -> str:
        """Slack does not know the app by what its operator has set."""
        ...

    def unanswered_page(self, *, again: str, reference: str) -> str:
        """Slack did not answer, or nothing that can be read."""
        ...

    def not_kept_page(self, *, again: str, reference: str) -> str:
        """Slack said yes, and the bot could not keep that."""
        ...


class InstallAnswers:
    """Each with its page and its status. `again` is the address where installing begins."""

    def __init__(self, pages: Pages, *, cookie: OAuthStateUtils, again: str) -> None:
        self._pages = pages
        self._cookie = cookie
        self._again = again

    def success(self, made: Installation, *, is_again: bool) -> BoltResponse:
        """Answer that the app is installed; `is_again`: it was before, and nothing is lost."""
        if made.is_org_wide:
            page = self._pages.installed_everywhere_page(
                name=made.name, app_id=made.app_id, enterprise_id=made.home.enterprise_id or ""
            )
        else:
            page = self._pages.installed_page(
                name=made.name,
                app_id=made.app_id,
                team_id=made.home.team_id,
                is_again=is_again,
            )
        return self._answer(200, page)

    def failure(self, reason: str) -> BoltResponse:
        """Answer what Slack or Bolt say against it. A stranger may have written the reason."""
        if reason == CANCELLED:
            return self._answer(200, self._pages.cancelled_page(again=self._again))
        if reason in STALE:
            logger.info("an installation came to nothing", reason=reason)
            # The cookie belongs to an installation that may go on.
            keeps_cookie = reason in {"invalid_browser", "missing_code"}
            page = self._pages.stale_page(again=self._again)
            return self._answer(400, page, keeps_cookie=keeps_cookie)
        return self.error(SlackRefusedError(reason if SLACKS_WORD.fullmatch(reason) else "?"))

    def error(self, error: BotError) -> BoltResponse:
        """Answer that it failed, with the reference under which the log says why."""
        reference = secrets.token_hex(4)
        told = logger.bind(request=reference, error=repr(error))
        if isinstance(error, SlackRefusedError) and error.code in OPERATORS:
            told.error("SLACK_CLIENT_ID, SLACK_CLIENT_SECRET or PUBLIC_URL is wrong")
            return self._answer(500, self._pages.set_up_wrongly_page(reference=reference))
        told.warning("an installation failed")
        if isinstance(error, SlackRefusedError) and error.code == OF_ORGANISATION:
            return self._answer(400, self._pages.of_organisation_page())
        status, page = 500, self._pages.not_kept_page
        if isinstance(error, SlackRefusedError):
            status, page = 400, self._pages.refused_page
        elif isinstance(error, SlackError):
            status, page = 502, self._pages.unanswered_page
        return self._answer(status, page(again=self._again, reference=reference))

    def _answer(self, status: int, page: str, *, keeps_cookie: bool = False) -> BoltResponse:
        deletion = self._cookie.build_set_cookie_for_deletion()
        return BoltResponse(
            status=status,
            body=page,
            headers={
                "Content-Type": "text/html; charset=utf-8",
                "Content-Security-Policy": self._pages.POLICY,
                "Set-Cookie": [] if keeps_cookie else [deletion],
            },
        )


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
            return await run_shielded(self._tasks, super().handle_callback(request))
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
