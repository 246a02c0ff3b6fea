"""The composition root: with bot/features.py it makes, joins and closes every real object."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

import aiohttp
import structlog

from bot.commons import commons_of
from bot.door import bolt_app, check_tokens, listen, open_door
from bot.engine.local import ticking
from bot.features import Running, register_features
from bot.installations.shelf import InstallationShelf
from bot.kept import KeptCommands
from bot.lifecycle import register_lifecycle
from bot.listeners.boundary import Boundary
from bot.listeners.interrupted import Interruptions
from bot.listeners.journal import Journal
from bot.logs import lines_counted
from bot.measuring import look_at_processes
from bot.metrics.metrics import Metrics
from bot.parts import Pace, Parts, Role
from bot.pending import PendingAnswers
from bot.periodic import Periodic, going_on
from bot.presence import REFRESH_EVERY_S, OneProcess, Processes, SharedProcesses
from bot.settings import Settings
from bot.sharing.holds import SharedHolds
from bot.slack.posting import Posting
from bot.slack.replies import Replies
from bot.slack.traced import traced_calls
from bot.storage import Stored, opened_store
from bot.store.base import Documents
from bot.tasks import Tasks
from bot.tracker.client import tracker_http
from bot.web.health import Check, HealthEndpoints
from bot.workspaces import SlackClients, Workspaces, open_workspaces

logger = structlog.get_logger()

# Platforms that stop a process kill it 30 s after they asked.
FINISH_WITHIN_S = 20.0
PACE = Pace()
# The SDK 3.47 does not pass its `timeout` on to a session that it is given. With `connect` a
# Slack that cannot be reached is told apart from one that may have done what it was asked.
SLACK_TIMEOUT = aiohttp.ClientTimeout(total=15, connect=8)
IDLE_LINE_S = 4.0


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
        StoreError: the store cannot be opened: in use, damaged, out of date, not to be reached,
            or sealed with other keys.
    """
    async with AsyncExitStack() as stack:
        made = await _made(stack, settings, role, clock, pace)
        parts, workspaces = made.parts, made.workspaces
        await check_tokens(parts, made.clients, workspaces, role)
        app = bolt_app(made.clients.patient(), workspaces, parts.metrics)
        running = register_features(app, parts)
        lifecycle = register_lifecycle(
            app, parts, running, workspaces, made.stored.documents, made.shelf
        )
        finishing = _Finishing(finish_within_s)
        await _watch_over_answers(stack, made, running, finishing)
        periodic = Periodic(running=running, lifecycle=lifecycle)
        checks = await stack.enter_async_context(
            going_on(made.stored, parts, role, periodic, finish_within_s=finish_within_s)
        )
        door = await open_door(stack, app, parts, role)
        checks = {**_own_checks(parts, workspaces), **checks, **door.checks}
        look_at_processes(parts.metrics, made.stored)
        install = lifecycle.endpoint if role.answers else None
        await listen(stack, parts, HealthEndpoints(checks), slack=door.endpoint, install=install)
        await stop.wait()
        logger.info("stopping")
        finishing.begin()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """What everything else stands on."""

    parts: Parts
    stored: Stored
    shelf: InstallationShelf
    clients: SlackClients
    workspaces: Workspaces
    processes: Processes
    answers: PendingAnswers


async def _made(
    stack: AsyncExitStack,
    settings: Settings,
    role: Role,
    clock: Callable[[], datetime],
    pace: Pace,
) -> _Made:
    metrics = Metrics(role=role.value, store="postgresql" if settings.is_shared else "sqlite")
    stack.enter_context(lines_counted(metrics.lines.note_line))
    stored = await stack.enter_async_context(opened_store(settings, metrics.store.note_call))
    documents, ring, commons = stored.documents, stored.ring, commons_of(stored)
    http = await stack.enter_async_context(_slack_session(metrics))
    clients, tasks = SlackClients(settings, http), Tasks()
    shelf = InstallationShelf(documents, ring)
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
        posting=_posting(workspaces, documents, tasks, clock=clock),
        replies=Replies(http),
        tracker_http=await stack.enter_async_context(tracker_http()),
        clock=clock,
        metrics=metrics,
        commons=commons,
        journal=Journal(answers, tasks, process_id=processes.process_id, clock=clock),
        pace=pace,
    )
    return _Made(
        parts=parts,
        stored=stored,
        shelf=shelf,
        clients=clients,
        workspaces=workspaces,
        processes=processes,
        answers=answers,
    )


def _slack_session(metrics: Metrics) -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and nobody may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(keepalive_timeout=IDLE_LINE_S)
    traces = [traced_calls(metrics.slack.note_call)]
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT, trace_configs=traces)


def _posting(
    workspaces: Workspaces, documents: Documents, tasks: Tasks, *, clock: Callable[[], datetime]
) -> Posting:
    holds = SharedHolds(documents, tasks, clock=clock)
    return Posting(workspaces.client_for, on_refused=workspaces.doubt, holds=holds)


def _processes(stored: Stored, role: Role, *, clock: Callable[[], datetime]) -> Processes:
    if stored.shared is None:
        return OneProcess()
    names = stored.ring.names
    return SharedProcesses(stored.documents, role=role.value, clock=clock, keys=names)


class _Finishing:
    """How long a stop may still take. Until it has begun, all of its time is left."""

    def __init__(self, within_s: float) -> None:
        self._within_s = within_s
        self._end_at: float | None = None

    def begin(self) -> None:
        self._end_at = asyncio.get_running_loop().time() + self._within_s

    def left_s(self) -> float:
        if self._end_at is None:
            return self._within_s
        return max(0.0, self._end_at - asyncio.get_running_loop().time())


async def _watch_over_answers(
    stack: AsyncExitStack, made: _Made, running: Running, finishing: _Finishing
) -> None:
    """Tell whoever waits for a process that has died; at the end, see to those who wait here."""
    parts, processes = made.parts, made.processes
    interruptions = Interruptions(
        made.answers, processes, parts.replies, parts.tasks, client_for=parts.client_for
    )
    # Pushed before what waits for the work: until that is done, this process still lives.
    stack.push_async_callback(processes.leave)
    await stack.enter_async_context(ticking(interruptions.tick, every_s=REFRESH_EVERY_S))
    stack.push_async_callback(_finish, parts.tasks, running.boundary, finishing)
    stack.callback(running.stop)
    stack.callback(interruptions.stop)


async def _finish(tasks: Tasks, boundary: Boundary, finishing: _Finishing) -> None:
    """Wait for what was begun; whoever would be left without an answer is told so."""
    if await tasks.are_done_within(finishing.left_s()):
        return
    logger.warning("work was cut off by the stop", people=await boundary.cut_off())


def _own_checks(parts: Parts, workspaces: Workspaces) -> dict[str, Check]:
    return {"store": _works(parts.documents.check), "slack": _works(workspaces.find_slack)}


def _works(check: Callable[[], Awaitable[object]]) -> Check:
    async def works() -> bool:
        await check()
        return True

    return works
