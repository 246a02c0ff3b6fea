"""The composition root: with bot/features.py it makes, joins and closes every real object."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.engine.local import ticking
from bot.features import Pace, Parts, register_features
from bot.kept import KeptCommands
from bot.listeners.boundary import Boundary
from bot.logs import bolt_logger
from bot.settings import Settings
from bot.slack.calls import check_app_token
from bot.slack.errors import SlackError, SlackRefusedError
from bot.slack.identity import Identity, OneClient, OneWorkspace
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.socket_mode import connected
from bot.store.base import Documents
from bot.store.sealed import KeyRing, check_key_ring, load_or_make_key_file
from bot.store.sqlite import open_sqlite
from bot.tasks import Tasks
from bot.tracker.client import tracker_http
from bot.web import Check, HealthEndpoints, SlackEndpoint, listening

logger = structlog.get_logger()

# Platforms that stop a process kill it 30 s after they asked.
FINISH_WITHIN_S = 20.0
FOREIGN_WORKSPACE = "This bot serves another workspace. Ask whoever runs it to add this one."
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
        documents, ring = await stack.enter_async_context(_store(settings))
        http = await stack.enter_async_context(_slack_session())
        token = settings.slack_bot_token.get_secret_value()
        slack = _slack_client(settings, http, token)
        identity = Identity(slack)
        parts = Parts(
            settings=settings,
            documents=documents,
            ring=ring,
            kept=KeptCommands(documents, ring, clock=clock),
            tasks=Tasks(),
            slack=slack,
            posting=Posting(OneClient(identity, _poster(settings, http, token))),
            replies=Replies(http),
            tracker_http=await stack.enter_async_context(tracker_http()),
            clock=clock,
            pace=pace,
        )
        await _check_tokens(settings, parts.slack, identity)
        app = _bolt_app(_slack_client(settings, http, None), identity)
        running = register_features(app, parts)
        stack.push_async_callback(_finish, parts.tasks, running.boundary, finish_within_s)
        stack.callback(running.stop)
        await _open_to_slack(stack, app, parts, identity, running.tick)
        await stop.wait()
        logger.info("stopping")


def _slack_session() -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and nobody may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_LINE_S)
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT)


def _bolt_app(client: AsyncWebClient, identity: Identity) -> AsyncApp:
    """`client` has no token: Bolt adds that of each request."""
    return AsyncApp(
        logger=bolt_logger(),
        client=client,
        authorize=OneWorkspace(identity),  # type: ignore[arg-type]  # it may say None, as Bolt's own
        user_facing_authorize_error_message=FOREIGN_WORKSPACE,
        process_before_response=True,  # no polling for the ack: the listeners only ack
        request_verification_enabled=False,  # bot/web.py verifies; a socket needs no signature
    )


async def _open_to_slack(
    stack: AsyncExitStack,
    app: AsyncApp,
    parts: Parts,
    identity: Identity,
    tick: Callable[[], Awaitable[object]],
) -> None:
    """Begin to tick, to take Slack's requests, and to tell whether all of it works."""
    settings = parts.settings
    ticks = await stack.enter_async_context(ticking(tick, every_s=settings.tick_seconds))
    checks: dict[str, Check] = {
        "store": _works(parts.documents.check),
        "slack": _works(identity.fetch),
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
        await stack.enter_async_context(listening(settings.host, settings.port, health, endpoint))
    except OSError as error:
        where = f"HOST {settings.host}, PORT {settings.port}"
        raise StartError(f"cannot listen on {where}: {error.strerror or error}") from error


@asynccontextmanager
async def _store(settings: Settings) -> AsyncIterator[tuple[Documents, KeyRing]]:
    logger.info("store", path=str(settings.database_path.absolute()))
    documents = await open_sqlite(settings.database_path)
    try:
        ring = _key_ring(settings)
        await check_key_ring(documents, ring)
        yield documents, ring
    finally:
        await documents.close()


def _key_ring(settings: Settings) -> KeyRing:
    if settings.bot_secret_keys:
        return KeyRing.parse(settings.bot_secret_keys.get_secret_value())
    path = settings.database_path.with_name(settings.database_path.name + ".key")
    ring, is_new = load_or_make_key_file(path)
    if is_new:
        logger.warning(
            "BOT_SECRET_KEYS is not set: made a key file, without which the store cannot be read."
            " Keep a copy of it somewhere else",
            path=str(path),
        )
    return ring


def _slack_client(
    settings: Settings, http: aiohttp.ClientSession, token: str | None
) -> AsyncWebClient:
    return AsyncWebClient(
        token=token,
        base_url=settings.slack_api_url,
        session=http,
        # The SDK would repeat a post whose answer was lost; a refused one is safe to repeat.
        retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=1)],
    )


def _poster(settings: Settings, http: aiohttp.ClientSession, token: str) -> AsyncWebClient:
    """A client that repeats nothing by itself: see `Posting`."""
    client = _slack_client(settings, http, token)
    client.retry_handlers = []
    return client


async def _check_tokens(settings: Settings, client: AsyncWebClient, identity: Identity) -> None:
    """Find out at once what no waiting will mend; a Slack that is away is waited for."""
    await _check_token("SLACK_BOT_TOKEN", identity.fetch())
    if settings.slack_app_token:
        app_token = settings.slack_app_token.get_secret_value()
        await _check_token("SLACK_APP_TOKEN", check_app_token(client, app_token))


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
