"""What the handles of a workspace and of an organisation have in common: the app and its lines."""

import asyncio
from collections.abc import Iterable, Mapping

import aiohttp

from bot.playground.slack import delivery, lifecycle
from bot.playground.slack.app import Fault, Kind
from bot.playground.slack.authorize_page import PATH
from bot.playground.slack.block_contents import Json
from bot.playground.slack.changes import PATIENCE_S
from bot.playground.slack.delivery import Delivery, Outbox, SignedHttp
from bot.playground.slack.installations import Installation
from bot.playground.slack.sockets import Sockets
from bot.playground.slack.universe import Universe


class Lines:
    """All that leads from a local Slack to the app. `request_url` is empty until it is known."""

    def __init__(
        self, universe: Universe, sockets: Sockets, session: aiohttp.ClientSession
    ) -> None:
        self.universe = universe
        self.sockets = sockets
        self.session = session
        self.outbox = Outbox(sockets, universe.app.clock, universe.app.settings.answers_within_s)
        self.request_url = ""
        self._errands: set[asyncio.Task[None]] = set()
        universe.app.announce = self._announce

    async def close(self) -> None:
        """End every link, and the events still to be sent."""
        for errand in list(self._errands):
            errand.cancel()
        await asyncio.gather(*self._errands, return_exceptions=True)
        await self.sockets.close()

    def _announce(self, payloads: Iterable[Json]) -> None:
        errand = asyncio.create_task(self._tell(list(payloads)))
        self._errands.add(errand)
        errand.add_done_callback(self._errands.discard)

    async def _tell(self, payloads: list[Json]) -> None:
        for payload in payloads:
            await self.outbox.deliver_event(payload)
            self.universe.change_event.notify()


class Handle:
    """A workspace or an organisation of a running local Slack: what both can do.

    `app.settings` can be changed at any time. `calls` are Web API calls and uses of
    response_urls, and `envelopes` the payloads sent to the bot, both oldest first, the last
    20,000. The credentials of the app are made for this run.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.universe, self.sockets, self.outbox = lines.universe, lines.sockets, lines.outbox
        self.app = app = self.universe.app
        self.calls, self.envelopes = app.calls, self.outbox.sent
        self.app_token, self.signing_secret = app.app_token, app.signing_secret
        self.client_id, self.client_secret = app.client_id, app.client_secret
        self.api_url = f"{self.universe.base}/api/"
        self.authorize_url = f"{self.universe.base}{PATH}"

    def _installed(self) -> Installation | None:
        raise NotImplementedError

    def _installation(self) -> Installation:
        installation = self._installed()
        if installation is None:
            raise LookupError("the app is not installed here")
        return installation

    @property
    def is_installed(self) -> bool:
        """Whether the app acts here; of an organisation: whether all of it installed it."""
        return self._installed() is not None

    async def uninstall(
        self, *, order: Iterable[str] = lifecycle.REMOVAL, at: float | None = None
    ) -> list[Delivery]:
        """Remove the app, from the whole organisation if that installed it; tell the bot.

        The events go out in this `order`, those to which the app is subscribed; `at` is their time
        in Unix seconds (None: now). Raises: LookupError, if the app is not installed here.
        """
        installation = self._installation()
        lifecycle.remove(self.universe, installation)
        return await self._tell_removed(installation, order, at)

    async def revoke_bot_token(self, *, at: float | None = None) -> list[Delivery]:
        """Revoke the bot's tokens, and tell the bot of that alone; the app stays installed.

        Raises: LookupError, if the app is not installed here.
        """
        installation = self._installation()
        self.app.tokens.revoke_all(installation, "token_revoked")
        return await self._tell_removed(installation, ["tokens_revoked"], at)

    async def _tell_removed(
        self, installation: Installation, order: Iterable[str], at: float | None
    ) -> list[Delivery]:
        told = lifecycle.events_of_removal(self.universe, installation, order, at)
        return [await self.outbox.deliver_event(payload) for payload in told]

    def deliver_to(self, url: str) -> None:
        """Send payloads to this address as signed requests, no longer through sockets."""
        self.lines.request_url = url
        self.outbox.carrier = SignedHttp(self.lines.session, url, self.signing_secret)

    async def connected(self, timeout_s: float = PATIENCE_S) -> None:
        """Wait until a Socket Mode link of the bot is up. Raises: TimeoutError."""
        await self.universe.change_event.until(lambda: self.sockets.count or None, timeout_s)

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
        return delivery.signed_headers(self.signing_secret, body, at)

    async def raw_post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        """Post anything to the bot's request URL; return status and body of its answer."""
        lines = self.lines
        sender = SignedHttp(lines.session, lines.request_url, self.signing_secret)
        return await sender.post(body, headers)
