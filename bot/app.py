"""The composition root: with bot/features.py it makes, joins and closes every real object."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.engine.local import ticking
from bot.features import Running, all_of, register_features
from bot.installations.authorize import note_asked_place
from bot.installations.shelf import InstallationShelf
from bot.kept import KeptCommands
from bot.lifecycle import Lifecycle, register_lifecycle
from bot.listeners.boundary import Boundary
from bot.logs import bolt_logger
from bot.parts import Pace, Parts
from bot.settings import Settings
from bot.slack.calls import check_app_token
from bot.slack.errors import SlackError, SlackRefusedError
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.socket_mode import connected
from bot.storage import opened_store
from bot.tasks import Tasks
from bot.tracker.client import tracker_http
from bot.web.health import Check, HealthEndpoints
from bot.web.listening import listening
from bot.web.slack import SlackEndpoint
from bot.workspaces import SlackClients, Workspaces, open_workspaces

logger = structlog.get_logger()

# Platforms that stop a process kill it 30 s after they asked.
FINISH_WITHIN_S = 20.0
PACE = Pace()
# The SDK 3.47 does not pass its `timeout` on to a session that it is given. With `connect` a
# Slack that cannot be reached is told apart from one that may have done what it was asked.
SLACK_TIMEOUT = aiohttp.ClientTimeout(total=15, connect=8)
IDLE_LINE_S = 4.0


class StartError(Exception):
    """The bot cannot start; the message is for the operator and holds no secret."""


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    *,
    clock: Callable[[], datetime] = utc_now,
    pace: Pace = PACE,
    finish_within_s: float = FINISH_WITHIN_S,
) -> None:
    """Run the bot until `stop`; then take nothing new and finish what was begun.

    Raises:
        StartError: Slack refuses a token for good, or the address cannot be listened on.
        StoreError: the store cannot be opened: in use, damaged, or sealed with other keys.
    """
    async with AsyncExitStack() as stack:
        documents, ring = await stack.enter_async_context(opened_store(settings))
        http = await stack.enter_async_context(_slack_session())
        clients, tasks = SlackClients(settings, http), Tasks()
        shelf = InstallationShelf(documents, ring)
        workspaces = open_workspaces(settings, shelf, clients, tasks, clock=clock)
        parts = Parts(
            settings=settings,
            documents=documents,
            ring=ring,
            kept=KeptCommands(documents, ring, clock=clock),
            tasks=tasks,
            client_for=workspaces.client_for,
            posting=Posting(workspaces.client_for, on_refused=workspaces.doubt),
            replies=Replies(http),
            tracker_http=await stack.enter_async_context(tracker_http()),
            clock=clock,
            pace=pace,
        )
        await _check_tokens(settings, clients, workspaces)
        app = _bolt_app(clients.patient(), workspaces)
        running = register_features(app, parts)
        lifecycle = register_lifecycle(app, parts, running, workspaces, documents, shelf)
        stack.push_async_callback(_finish, tasks, running.boundary, finish_within_s)
        stack.callback(running.stop)
        await _open_to_slack(stack, app, parts, workspaces, running, lifecycle)
        await stop.wait()
        logger.info("stopping")


def _slack_session() -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and nobody may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_LINE_S)
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT)


def _bolt_app(client: AsyncWebClient, workspaces: Workspaces) -> AsyncApp:
    """`client` has no token: Bolt adds that of each request."""
    return AsyncApp(
        logger=bolt_logger(),
        client=client,
        before_authorize=note_asked_place,
        authorize=workspaces.authorize,  # type: ignore[arg-type]  # it may say None, as Bolt's own
        user_facing_authorize_error_message=workspaces.unknown,
        process_before_response=True,  # no polling for the ack: the listeners only ack
        request_verification_enabled=False,  # web/slack.py does; a socket needs none
    )


async def _open_to_slack(
    stack: AsyncExitStack,
    app: AsyncApp,
    parts: Parts,
    workspaces: Workspaces,
    running: Running,
    lifecycle: Lifecycle,
) -> None:
    """Begin to tick, to take Slack's requests, and to tell whether all of it works."""
    settings = parts.settings

    async def tick() -> None:
        await all_of(running.tick(), lifecycle.tick())

    ticks = await stack.enter_async_context(ticking(tick, every_s=settings.tick_seconds))
    checks: dict[str, Check] = {
        "store": _works(parts.documents.check),
        "slack": _works(workspaces.find_slack),
        "tick": ticks.are_recent,
    }
    endpoint = None
    if settings.slack_app_token:
        app_token = settings.slack_app_token.get_secret_value()
        link = await stack.enter_async_context(connected(app, app_token))
        checks["socket"] = link.is_connected
    elif settings.slack_signing_secret:
        endpoint = SlackEndpoint(app, settings.slack_signing_secret.get_secret_value())
    health = HealthEndpoints(checks)
    try:
        await stack.enter_async_context(
            listening(settings.host, settings.port, health, endpoint, lifecycle.endpoint)
        )
    except OSError as error:
        where = f"HOST {settings.host}, PORT {settings.port}"
        raise StartError(f"cannot listen on {where}: {error.strerror or error}") from error


async def _check_tokens(settings: Settings, clients: SlackClients, workspaces: Workspaces) -> None:
    """Find out at once what no waiting will mend; a Slack that is away is waited for."""
    name = "SLACK_BOT_TOKEN" if workspaces.own else "SLACK_API_URL"
    await _check_token(name, workspaces.find_slack())
    if settings.slack_app_token:
        app_token = settings.slack_app_token.get_secret_value()
        await _check_token("SLACK_APP_TOKEN", check_app_token(clients.patient(), app_token))


async def _check_token(name: str, asking: Awaitable[object]) -> None:
    try:
        await asking
    except SlackRefusedError as error:
        raise StartError(f"{name}: Slack refuses it ({error.code})") from error
    except SlackError as error:
        logger.warning("Slack does not answer yet", error=repr(error))


def _works(check: Callable[[], Awaitable[object]]) -> Check:
    async def works() -> bool:
        await check()
        return True

    return works


async def _finish(tasks: Tasks, boundary: Boundary, within_s: float) -> None:
    """Wait for what was begun; whoever would be left without an answer is told so."""
    if await tasks.are_done_within(within_s):
        return
    logger.warning("work was cut off by the stop", people=await boundary.cut_off())
