"""What the handles of a workspace and of an organisation have in common: the app and its lines."""

from collections.abc import Iterable, Mapping

from bot.playground.slack import lifecycle, signing
from bot.playground.slack.app import App, Call
from bot.playground.slack.authorizing import PATH
from bot.playground.slack.bell import PATIENCE_S
from bot.playground.slack.delivery import Delivery, Outbox
from bot.playground.slack.faults import Fault, Kind
from bot.playground.slack.installations import Installation
from bot.playground.slack.lines import Lines
from bot.playground.slack.realm import Realm
from bot.playground.slack.signed_http import SignedHttp
from bot.playground.slack.sockets import Sockets


class Handle:
    """A part of a running local Slack. What is here is the same on every handle."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines

    @property
    def realm(self) -> Realm:
        """Every workspace and organisation behind this address."""
        return self.lines.realm

    @property
    def app(self) -> App:
        """The app; its `settings` can be changed at any time."""
        return self.realm.app

    @property
    def sockets(self) -> Sockets:
        """The Socket Mode links of the app."""
        return self.lines.sockets

    @property
    def outbox(self) -> Outbox:
        """The way to the app, for payloads of all workspaces."""
        return self.lines.outbox

    @property
    def api_url(self) -> str:
        """The address of the Web API, with a slash at its end."""
        return f"{self.realm.base}/api/"

    @property
    def authorize_url(self) -> str:
        """The address of the page on which people allow the app."""
        return f"{self.realm.base}{PATH}"

    @property
    def app_token(self) -> str:
        """`xapp-…`, made for this run."""
        return self.app.app_token

    @property
    def signing_secret(self) -> str:
        """The secret that proves requests over HTTP, made for this run."""
        return self.app.signing_secret

    @property
    def client_id(self) -> str:
        """The app's public id for OAuth, made for this run."""
        return self.app.client_id

    @property
    def client_secret(self) -> str:
        """The app's secret for OAuth, made for this run."""
        return self.app.client_secret

    @property
    def redirect_urls(self) -> tuple[str, ...]:
        """Where people may be sent back to after they allowed the app, or below."""
        return self.app.settings.redirect_urls

    @redirect_urls.setter
    def redirect_urls(self, urls: Iterable[str]) -> None:
        self.app.settings.redirect_urls = tuple(urls)

    @property
    def rotates_tokens(self) -> bool:
        """Whether tokens that are given from now on expire after 12 hours."""
        return self.app.settings.rotates_tokens

    @rotates_tokens.setter
    def rotates_tokens(self, value: bool) -> None:
        self.app.settings.rotates_tokens = value

    @property
    def deploys_to_orgs(self) -> bool:
        """Whether the app can be installed for a whole organisation."""
        return self.app.settings.deploys_to_orgs

    @deploys_to_orgs.setter
    def deploys_to_orgs(self, value: bool) -> None:
        self.app.settings.deploys_to_orgs = value

    @property
    def calls(self) -> list[Call]:
        """Web API calls and uses of response_urls, oldest first; the last 20,000."""
        return self.app.calls

    @property
    def envelopes(self) -> list[Delivery]:
        """Payloads sent to the bot, oldest first; the last 20,000."""
        return self.outbox.sent

    def deliver_to(self, url: str) -> None:
        """Send payloads to this address as signed requests, no longer through sockets."""
        self.lines.request_url = url
        self.outbox.carrier = SignedHttp(self.lines.session, url, self.signing_secret)

    async def connected(self, timeout_s: float = PATIENCE_S) -> None:
        """Wait until a Socket Mode link of the bot is up. Raises: TimeoutError."""
        await self.realm.bell.until(lambda: self.sockets.count or None, timeout_s)

    async def retry_events(self) -> list[Delivery]:
        """Deliver once more what the bot has not answered, as Slack does after minutes."""
        return await self.outbox.retry_events()

    def fail_next(
        self,
        method: str,
        error: str = "ratelimited",
        status: int | None = None,
        retry_after_s: float = 1,
        times: int = 1,
        *,
        kind: Kind = "error",
        after_acting: bool = False,
        delay_s: float = 0,
    ) -> None:
        """Let the next `times` calls of a method go wrong; "response_url" is one, "*" is any.

        `kind`: "error" answers JSON with that error, "html" an error page, "drop" cuts the
        connection, "slow" only waits `delay_s` (so do the others, before they strike). `status`
        is 429 for `ratelimited` unless given, 500 for a page, else 200. With `after_acting` the
        message is posted or the form opened all the same, and only the answer is lost.
        """
        if status is None:
            status = 500 if kind == "html" else 429 if error == "ratelimited" else 200
        fault = Fault(kind, error, status, retry_after_s, delay_s, after_acting, times)
        self.app.faults.order(method, fault)

    def sign(self, body: bytes, at: float | None = None) -> dict[str, str]:
        """Return the headers that prove a body, signed at that Unix time (None: now)."""
        return signing.signed_headers(self.signing_secret, body, at)

    async def raw_post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Post anything to the bot's request URL; return status and body of its answer."""
        lines = self.lines
        sender = SignedHttp(lines.session, lines.request_url, self.signing_secret)
        return await sender.post(body, headers)

    async def _remove(
        self, installation: Installation, order: Iterable[str], at: float | None
    ) -> list[Delivery]:
        lifecycle.remove(self.realm, installation)
        return await self._tell_removed(installation, order, at)

    async def _revoke_tokens(self, installation: Installation, at: float | None) -> list[Delivery]:
        self.app.tokens.revoke_all(installation, "token_revoked")
        return await self._tell_removed(installation, ["tokens_revoked"], at)

    async def _tell_removed(
        self, installation: Installation, order: Iterable[str], at: float | None
    ) -> list[Delivery]:
        told = lifecycle.events_of_removal(self.realm, installation, order, at)
        return [await self.outbox.deliver_event(payload) for payload in told]
