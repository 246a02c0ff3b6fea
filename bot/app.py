"""The composition root: with bot/features.py it makes, joins and closes every real object."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime

import aiohttp
import structlog
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.commons import Commons, commons_of
from bot.engine.local import ticking
from bot.features import register_features
from bot.installations.authorize import note_asked_place
from bot.installations.shelf import InstallationShelf
from bot.kept import KeptCommands
from bot.lifecycle import register_lifecycle
from bot.listeners.boundary import Boundary
from bot.listeners.interrupted import Interruptions
from bot.listeners.journal import Journal
from bot.listeners.timed import TimedApp
from bot.logs import bolt_logger, lines_counted
from bot.measuring import look_at_processes
from bot.metrics.metrics import Metrics
from bot.parts import Pace, Parts, Role
from bot.pending import PendingAnswers
from bot.periodic import Periodic, going_on
from bot.presence import REFRESH_EVERY_S, OneProcess, Processes, SharedProcesses
from bot.settings import Settings
from bot.slack.calls import check_app_token
from bot.slack.errors import SlackError, SlackRefusedError
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.slack.traced import traced_calls
from bot.socket_mode import connected
from bot.storage import Stored, opened_store
from bot.tasks import Tasks
from bot.tracker.client import tracker_http
from bot.web.health import Check, HealthEndpoints
from bot.web.install import InstallEndpoint
from bot.web.listening import listening
from bot.web.metrics import MetricsEndpoint
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
    role: Role = Role.ALL,
    clock: Callable[[], datetime] = utc_now,
    pace: Pace = PACE,
    finish_within_s: float = FINISH_WITHIN_S,
) -> None:
    """Run a process of the bot until `stop`; then take nothing new and finish what was begun.

    Raises:
        StartError: Slack refuses a token for good, or the address cannot be listened on.
        StoreError: the store cannot be opened: in use, damaged, or sealed with other keys.
    """
    async with AsyncExitStack() as stack:
        metrics = _metrics(settings, role)
        stack.enter_context(lines_counted(metrics.lines.note_line))
        stored = await stack.enter_async_context(opened_store(settings, metrics.store.note_call))
        documents, ring = stored.documents, stored.ring
        http = await stack.enter_async_context(_slack_session(metrics))
        clients, tasks = SlackClients(settings, http), Tasks()
        shelf = InstallationShelf(documents, ring)
        commons = commons_of(stored)
        recent_for_s = commons.installations_for_s
        workspaces = open_workspaces(
            settings, shelf, clients, tasks, clock=clock, recent_for_s=recent_for_s
        )
        processes = _processes(stored, role, clock=clock)
        answers = PendingAnswers(documents, ring, clock=clock)
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
            metrics=metrics,
            commons=commons,
            journal=Journal(answers, tasks, process_id=processes.process_id, clock=clock),
            pace=pace,
        )
        await _check_tokens(settings, clients, workspaces, role)
        app = _bolt_app(clients.patient(), workspaces, metrics)
        running = register_features(app, parts)
        lifecycle = register_lifecycle(app, parts, running, workspaces, documents, shelf)
        interruptions = Interruptions(
            answers, processes, parts.replies, tasks, client_for=parts.client_for
        )
        # Pushed before what waits for the work: until that is done, this process still lives.
        stack.push_async_callback(processes.leave)
        await stack.enter_async_context(ticking(interruptions.tick, every_s=REFRESH_EVERY_S))
        stack.push_async_callback(_finish, tasks, running.boundary, finish_within_s)
        stack.callback(running.stop)
        stack.callback(interruptions.stop)
        periodic = Periodic(running=running, lifecycle=lifecycle)
        checks = await stack.enter_async_context(
            going_on(stored, parts, role, periodic, finish_within_s=finish_within_s)
        )
        door = await _open_to_slack(stack, app, settings, role, commons)
        health = HealthEndpoints(
            {
                "store": _works(documents.check),
                "slack": _works(workspaces.find_slack),
                **checks,
                **door.checks,
            }
        )
        install = lifecycle.endpoint if role.answers else None
        look_at_processes(metrics, stored)
        await _listen(stack, settings, health, metrics, slack=door.endpoint, install=install)
        await stop.wait()
        logger.info("stopping")


def _metrics(settings: Settings, role: Role) -> Metrics:
    return Metrics(role=role.value, store="postgresql" if settings.is_shared else "sqlite")


def _processes(stored: Stored, role: Role, *, clock: Callable[[], datetime]) -> Processes:
    if stored.shared is None:
        return OneProcess()
    names = stored.ring.names
    return SharedProcesses(stored.documents, role=role.value, clock=clock, keys=names)


def _slack_session(metrics: Metrics) -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and nobody may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_LINE_S)
    traces = [traced_calls(metrics.slack.note_call)]
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT, trace_configs=traces)


def _bolt_app(client: AsyncWebClient, workspaces: Workspaces, metrics: Metrics) -> AsyncApp:
    """`client` has no token: Bolt adds that of each request."""
    return TimedApp(
        note_ack=metrics.people.note_ack,
        logger=bolt_logger(),
        client=client,
        before_authorize=note_asked_place,
        authorize=workspaces.authorize,
        user_facing_authorize_error_message=workspaces.unknown,
        process_before_response=True,  # no polling for the ack: the listeners only ack
        request_verification_enabled=False,  # web/slack.py does; a socket needs none
    )


@dataclass(frozen=True, slots=True)
class _Door:
    """By which way Slack's requests come in: over HTTP, a socket, or, to a worker, not at all."""

    endpoint: SlackEndpoint | None = None
    checks: Mapping[str, Check] = field(default_factory=dict)


async def _open_to_slack(
    stack: AsyncExitStack, app: AsyncApp, settings: Settings, role: Role, commons: Commons
) -> _Door:
    if not role.answers:
        return _Door()
    if settings.slack_app_token:
        app_token = settings.slack_app_token.get_secret_value()
        link = await stack.enter_async_context(connected(app, app_token, seen=commons.seen))
        return _Door(checks={"socket": link.is_connected})
    secret = settings.slack_signing_secret  # the settings require one of the two
    if secret is None:
        return _Door()
    return _Door(SlackEndpoint(app, secret.get_secret_value(), seen=commons.seen))


async def _listen(
    stack: AsyncExitStack,
    settings: Settings,
    health: HealthEndpoints,
    metrics: Metrics,
    *,
    slack: SlackEndpoint | None,
    install: InstallEndpoint | None,
) -> None:
    token = settings.metrics_token
    page = MetricsEndpoint(metrics.page, token.get_secret_value() if token else None)
    try:
        await stack.enter_async_context(
            listening(
                settings.host,
                settings.port,
                health,
                slack,
                install,
                metrics=page,
                note_request=metrics.people.note_http,
            )
        )
    except OSError as error:
        where = f"HOST {settings.host}, PORT {settings.port}"
        raise StartError(f"cannot listen on {where}: {error.strerror or error}") from error


async def _check_tokens(
    settings: Settings, clients: SlackClients, workspaces: Workspaces, role: Role
) -> None:
    """Find out at once what no waiting will mend; a Slack that is away is waited for."""
    name = "SLACK_BOT_TOKEN" if workspaces.own else "SLACK_API_URL"
    await _check_token(name, workspaces.find_slack())
    if settings.slack_app_token and role.answers:
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
