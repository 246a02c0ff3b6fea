"""Build Bolt's app and start its transport: HTTP, Socket Mode or none."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import aiohttp
import structlog
from aiohttp.web import RouteDef
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app, send_async_response
from slack_bolt.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.async_client import AsyncBaseSocketModeClient
from slack_sdk.socket_mode.request import SocketModeRequest
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.web.async_client import AsyncWebClient

from bot.installations.authorize import InstalledWorkspaces, correct_workspace
from bot.installations.repository import InstallationRepository
from bot.installations.views import not_installed_text
from bot.process.clock import Clock, seconds_now
from bot.process.concurrency import Tasks, run_shielded
from bot.settings import Settings, text_of
from bot.slack import auth
from bot.slack.client import ShortWait, check_app_token
from bot.slack.errors import SlackError, SlackRefusedError
from bot.store.deduplication import Dedup
from bot.web import server as web
from bot.web.metrics import Metrics

# https://docs.slack.dev/interactivity/handling-user-interaction#acknowledgment_response
ACK_WITHIN_S = 3.0
# https://docs.slack.dev/interactivity/handling-user-interaction#payloads
_KINDS = {
    "block_actions": "action",
    "shortcut": "action",
    "message_action": "action",
    "view_submission": "view",
    "view_closed": "view",
    "block_suggestion": "options",
    "event_callback": "event",
    "app_rate_limited": "rate_limited",
}
logger = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class SlackClients:
    """Makes clients of Slack's Web API that share one HTTP session."""

    api_url: str
    http: aiohttp.ClientSession

    def once(self, token: str | None = None) -> AsyncWebClient:
        """Return a client that repeats nothing: the SDK would a post whose answer was lost."""
        return AsyncWebClient(token, self.api_url, session=self.http, retry_handlers=[])

    def patient(self) -> AsyncWebClient:
        """Return a client that waits once when Slack asks it to, for at most 3 s."""
        client = self.once()
        client.retry_handlers = [ShortWait()]
        return client


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackAuth:
    """As whom the bot answers, and posts unasked.

    `find_slack` returns while Slack answers, and raises SlackError otherwise. `own` is the
    identity of a bot with one token, `None` where workspaces install it.
    """

    clients: SlackClients
    authorize: auth.Identity | InstalledWorkspaces
    find_slack: Callable[[], Awaitable[object]]
    own: auth.Identity | None = None


def open_workspaces(
    settings: Settings, repository: InstallationRepository, clients: SlackClients, *, clock: Clock
) -> SlackAuth:
    if token := text_of(settings.slack_bot_token):
        own = auth.Identity(clients.once(token), clock=clock)
        find_slack = auth.SlackHealth(own.ask).check
        return SlackAuth(clients=clients, authorize=own, find_slack=find_slack, own=own)
    unknown = not_installed_text(settings.public_url or "")
    return SlackAuth(
        clients=clients,
        authorize=InstalledWorkspaces(repository, clients.once, unknown),
        # Without an installation there is no token to ask with, and the bot is ready all the same.
        find_slack=auth.SlackHealth(lambda: auth.check_api(clients.once())).check,
    )


class SocketMode(AsyncSocketModeHandler):
    """Bolt's handler, for which an envelope that Slack sends again acts once.

    https://github.com/slackapi/bolt-js/issues/2487. Of several connections any may get it, the
    second time too (https://docs.slack.dev/apis/events-api/using-socket-mode): hence `seen`, what
    several processes know together.
    """

    def __init__(self, app: AsyncApp, app_token: str, *, seen: Dedup) -> None:
        super().__init__(app, app_token)
        self._seen = seen
        self.answering = Tasks()

    async def handle(self, client: AsyncBaseSocketModeClient, req: SocketModeRequest) -> None:
        """Answer an envelope; one that could not be taken is not acknowledged, and comes again."""
        try:
            await run_shielded(self.answering, self._answer(client, req))
        except ConnectionError as error:  # what Slack sends again is acknowledged then
            logger.warning("not acknowledged, the connection is closed", error=repr(error))

    async def _answer(self, client: AsyncBaseSocketModeClient, req: SocketModeRequest) -> None:
        name = f"envelope/{req.envelope_id}"
        if not await self._seen.remember(name):
            await client.send_socket_mode_response(SocketModeResponse(envelope_id=req.envelope_id))
            return
        began = time.time()
        response = await run_async_bolt_app(self.app, req)
        if response.status != 200:
            await self._seen.forget(name)
        await send_async_response(client, req, response, began)


class TimedApp(AsyncApp):
    """An app that tells `note_ack` (see `Metrics`) how long each request took to its ack.

    With `process_before_response=True` the ack is what dispatching returns. What is done for a
    request after its ack is not counted, nor what comes before Bolt.

    An event for which there is no listener gets 200 all the same: Slack switches all events off
    when most of them fail (https://docs.slack.dev/apis/events-api). So does the notice that Slack
    holds events of a workspace back: https://docs.slack.dev/reference/events/app_rate_limited.
    """

    def __init__(self, *, note_ack: Callable[..., None], **options: Any) -> None:
        super().__init__(**options)
        self._note_ack = note_ack

    async def async_dispatch(self, req: AsyncBoltRequest) -> BoltResponse:
        began, is_refused = seconds_now(), True
        kind = _KINDS.get(str(req.body.get("type")), "other")
        kind = "command" if "command" in req.body else kind
        try:
            if kind == "rate_limited":
                logger.warning("Slack holds events back", team_id=req.body.get("team_id"))
                response = BoltResponse(status=200)
            else:
                response = await super().async_dispatch(req)
            if kind == "event" and response.status == 404:
                kind, response = "ignored_event", BoltResponse(status=200)
            is_refused = response.status >= 400
        finally:
            self._note_ack(kind, seconds_now() - began, is_refused=is_refused)
        return response


class StartError(Exception):
    """The bot cannot start; the message is for the operator and holds no secret."""


def bolt_app(slack: SlackAuth, metrics: Metrics) -> AsyncApp:
    return TimedApp(
        note_ack=metrics.note_ack,
        name="domain-tracker",  # else Bolt 1.30 reads the sources of the whole stack to find one
        logger=logging.getLogger("slack_bolt"),  # on its own it would take the root's level
        client=slack.clients.patient(),  # Bolt adds the token of each request
        before_authorize=None if slack.own else correct_workspace,
        authorize=slack.authorize,
        process_before_response=True,  # no polling for the ack: the listeners only ack
        request_verification_enabled=False,  # web/server.py does; a socket needs none
    )


async def check_tokens(settings: Settings, slack: SlackAuth, *, answers: bool) -> None:
    """Raise StartError if Slack refuses a token for good; a Slack that is away is waited for."""
    name = "SLACK_BOT_TOKEN" if slack.own else "SLACK_API_URL"
    await _check_token(name, slack.find_slack())
    app_token = text_of(settings.slack_app_token)
    if app_token and answers:
        await _check_token("SLACK_APP_TOKEN", check_app_token(slack.clients.patient(), app_token))


def start_transport(
    stack: AsyncExitStack, app: AsyncApp, settings: Settings, seen: Dedup
) -> tuple[web.SlackEndpoint | None, Mapping[str, web.Check]]:
    """Begin to take Slack's requests; return their endpoint, or the checks of the socket."""
    app_token = text_of(settings.slack_app_token)
    if not app_token:
        return web.SlackEndpoint(app, text_of(settings.slack_signing_secret), seen=seen), {}
    link = SocketMode(app, app_token, seen=seen)
    # The SDK tries for ever, so that a Slack that is down for a minute does not end the bot.
    connecting = asyncio.create_task(link.connect_async())  # type: ignore[no-untyped-call]  # Bolt's own gap
    stack.push_async_callback(link.close_async)
    stack.push_async_callback(link.answering.drain, ACK_WITHIN_S)
    stack.push_async_callback(asyncio.gather, connecting, return_exceptions=True)
    stack.callback(connecting.cancel)
    return None, {"socket": link.client.is_connected}


async def listen(
    stack: AsyncExitStack,
    settings: Settings,
    health: web.HealthEndpoints,
    *,
    slack: web.SlackEndpoint | None,
    pages: Iterable[RouteDef],
    metrics: Metrics,
) -> None:
    """Begin to listen; raise StartError if the address cannot be listened on."""
    page = web.MetricsEndpoint(metrics.page, text_of(settings.metrics_token) or None)
    host, port = settings.host, settings.port
    listener = web.listening(host, port, health, slack, pages, metrics=page)
    try:
        await stack.enter_async_context(listener)
    except OSError as error:
        why = f"{error.strerror or error}. Set others, or end what listens there"
        raise StartError(f"cannot listen on HOST {host}, PORT {port}: {why}") from error


async def _check_token(name: str, asking: Awaitable[object]) -> None:
    try:
        await asking
    except SlackRefusedError as error:
        raise StartError(f"{name}: Slack refuses it ({error.code})") from error
    except SlackError as error:
        logger.warning("Slack does not answer yet", error=repr(error))
