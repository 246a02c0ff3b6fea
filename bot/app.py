"""The composition root: the one place that makes real objects, joins them and closes them."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import aiohttp
import httpx
import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.adding import Adding
from bot.connection import Connection
from bot.engine.local import ticking
from bot.kept import KeptCommands
from bot.keys import Keys
from bot.listeners.adding import AddingListeners
from bot.listeners.boundary import FIRST_WORD_AFTER_S, Boundary
from bot.listeners.dispatcher import Dispatcher
from bot.listeners.domains import DomainsListeners
from bot.listeners.failures import Failures
from bot.listeners.kept import KeptRuns
from bot.listeners.key import KeyListeners
from bot.listeners.scan import STILL_WAITING_AFTER_S, ScanListeners
from bot.portfolio.portfolio import Portfolio
from bot.scans import Scans
from bot.settings import Settings
from bot.slack.calls import check_app_token
from bot.slack.errors import SlackError, SlackRefusedError, SlackUnavailableError
from bot.slack.identity import Identity, OneWorkspace
from bot.slack.notices import RefusalNotices
from bot.slack.replies import Replies
from bot.socket_mode import connected
from bot.store.base import Documents
from bot.store.sealed import KeyRing, check_key_ring, load_or_make_key_file
from bot.store.sqlite import open_sqlite
from bot.tasks import Tasks
from bot.tracker.budget import Budget
from bot.tracker.client import TrackerClient, tracker_http
from bot.views.key_trouble import refusal_notice
from bot.web import Check, HealthEndpoints, SlackEndpoint, listening

logger = structlog.get_logger()

# Platforms that stop a process kill it 30 s after they asked.
DRAIN_WITHIN_S = 25.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long people wait for a word: the first one, and the second one of a scan."""

    first_word_after_s: float = FIRST_WORD_AFTER_S
    still_waiting_after_s: float = STILL_WAITING_AFTER_S


def utc_now() -> datetime:
    """Return the present moment."""
    return datetime.now(UTC)


class StartError(Exception):
    """The bot cannot start; the message is for the operator and holds no secret."""


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    *,
    clock: Callable[[], datetime] = utc_now,
    pace: Pace = Pace(),
) -> None:
    """Run the bot until `stop`; then take nothing new and finish what was begun.

    Raises:
        StartError: Slack refuses a token for good.
        StoreError: the store cannot be opened: in use, damaged, or sealed with other keys.
    """
    async with AsyncExitStack() as stack:
        documents, ring = await _open_store(settings)
        stack.push_async_callback(documents.close)
        http = await stack.enter_async_context(aiohttp.ClientSession())
        client = _slack_client(settings, http, settings.slack_bot_token.get_secret_value())
        identity = Identity(client)
        await _check_tokens(settings, client, identity)
        app = AsyncApp(
            client=_slack_client(settings, http, None),  # Bolt adds the token of each request
            authorize=OneWorkspace(identity),  # type: ignore[arg-type]  # it may say None, as Bolt's own
            process_before_response=True,  # no polling for the ack: the listeners only ack
            request_verification_enabled=False,  # bot/web.py verifies; a socket needs no signature
        )
        tasks = Tasks()
        kept = KeptCommands(documents, ring, clock=clock)
        tracker_client = await stack.enter_async_context(tracker_http())
        _register_features(
            settings,
            app,
            Replies(http),
            _Parts(documents, ring, kept, tasks, client, tracker_client, clock, pace),
        )
        stack.push_async_callback(_drain, tasks)
        await stack.enter_async_context(
            ticking(kept.forget_expired, every_s=settings.tick_seconds)
        )
        checks = {"store": _works(documents.check), "slack": _known(identity)}
        slack_endpoint = None
        if settings.slack_app_token:
            app_token = settings.slack_app_token.get_secret_value()
            link = await stack.enter_async_context(connected(app, app_token))
            checks["slack"] = link.is_connected
        elif settings.slack_signing_secret:
            secret = settings.slack_signing_secret.get_secret_value()
            slack_endpoint = SlackEndpoint(app, secret)
        health = HealthEndpoints(checks)
        await stack.enter_async_context(
            listening(settings.host, settings.port, health, slack_endpoint)
        )
        await stop.wait()
        logger.info("stopping")


@dataclass(frozen=True, slots=True)
class _Parts:
    documents: Documents
    ring: KeyRing
    kept: KeptCommands
    tasks: Tasks
    client: AsyncWebClient
    tracker_client: httpx.AsyncClient
    clock: Callable[[], datetime]
    pace: Pace


def _register_features(settings: Settings, app: AsyncApp, replies: Replies, parts: _Parts) -> None:
    clock, pace = parts.clock, parts.pace
    keys = Keys(parts.documents, parts.ring, clock=clock)
    budget = Budget()
    tracker = TrackerClient(
        parts.tracker_client, base_url=settings.domain_tracker_url, budget=budget
    )
    notices = RefusalNotices(parts.client, refusal_notice, parts.tasks.start)
    connection = Connection(tracker, keys, on_refusal=notices)
    portfolio = Portfolio(connection, clock=clock)
    scans = Scans(connection, portfolio, parts.documents, clock=clock)
    failures = Failures(keys, parts.kept, egress_addresses=settings.egress_addresses, clock=clock)
    boundary = Boundary(parts.tasks, failures, first_word_after_s=pace.first_word_after_s)
    dispatcher = Dispatcher(app, boundary, replies)

    DomainsListeners(portfolio).register(dispatcher)
    ScanListeners(
        connection, portfolio, scans, still_waiting_after_s=pace.still_waiting_after_s
    ).register(dispatcher)
    AddingListeners(
        connection,
        portfolio,
        Adding(connection, portfolio),
        owned_type=settings.domain_tracker_owned_type,
    ).register(dispatcher)
    KeyListeners(
        keys=keys,
        connection=connection,
        portfolio=portfolio,
        kept=KeptRuns(parts.kept, dispatcher, replies),
        failures=failures,
        budget=budget,
        clock=clock,
    ).register(dispatcher)


def _slack_client(
    settings: Settings, http: aiohttp.ClientSession, token: str | None
) -> AsyncWebClient:
    return AsyncWebClient(
        token=token,
        base_url=settings.slack_api_url,
        timeout=10,
        session=http,
        # The SDK would repeat a post whose answer was lost; a refused one is safe to repeat.
        retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=1)],
    )


async def _open_store(settings: Settings) -> tuple[Documents, KeyRing]:
    documents = await open_sqlite(settings.database_path)
    try:
        ring = _key_ring(settings)
        await check_key_ring(documents, ring)
    except BaseException:
        await documents.close()
        raise
    return documents, ring


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


async def _check_tokens(settings: Settings, client: AsyncWebClient, identity: Identity) -> None:
    """Find out at once what no waiting will mend; a Slack that is away is waited for."""
    try:
        await identity.fetch()
    except SlackUnavailableError as error:
        logger.warning("Slack does not answer yet", error=repr(error))
        return
    except SlackRefusedError as error:
        raise StartError(f"SLACK_BOT_TOKEN: Slack refuses it ({error.code})") from error
    if settings.slack_app_token:
        try:
            await check_app_token(client, settings.slack_app_token.get_secret_value())
        except SlackRefusedError as error:
            raise StartError(f"SLACK_APP_TOKEN: Slack refuses it ({error.code})") from error
        except SlackError as error:
            logger.warning("Slack does not answer yet", error=repr(error))


def _works(check: Callable[[], Awaitable[None]]) -> Check:
    async def works() -> bool:
        await check()
        return True

    return works


def _known(identity: Identity) -> Check:
    async def known() -> bool:
        await identity.fetch()
        return True

    return known


async def _drain(tasks: Tasks) -> None:
    if late := await tasks.drain(DRAIN_WITHIN_S):
        logger.warning("work was cut off by the stop", tasks=late)
