"""Build, connect and close the bot's objects for each kind of process: the composition root."""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime

import aiohttp
import structlog

from bot.app import bolt as slack_app
from bot.app.features import Features, register_features
from bot.app.installations import Lifecycle, register_lifecycle
from bot.app.services import (
    Role,
    Services,
    Stored,
    build_shared_state,
    observe_store,
    opened_store,
)
from bot.blocks.command_names import NAMING
from bot.dispatch.commands import COMMANDS
from bot.dispatch.deferred_commands import DeferredCommands
from bot.dispatch.interrupted import InflightTracker
from bot.installations.repository import InstallationRepository
from bot.jobs.scheduler import ROUND_WITHIN_S, ticking
from bot.process.clock import utc_now
from bot.process.concurrency import Tasks
from bot.process.logs import lines_counted
from bot.settings import Settings
from bot.slack.posting import Posting
from bot.slack.replies import LINES_PER_HOST, Replies
from bot.tracker.http import tracker_http
from bot.web.metrics import Metrics, traced_calls
from bot.web.server import Check, HealthEndpoints

# The SDK 3.47 does not pass its `timeout` on to a session that it is given. With `connect` a Slack
# that cannot be reached differs from one that may have done what it was asked.
SLACK_TIMEOUT = aiohttp.ClientTimeout(total=15, connect=8)
IDLE_LINE_S = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """Shared resources of one process; their creator closes them."""

    parts: Services
    stored: Stored
    clients: slack_app.SlackClients
    workspaces: slack_app.SlackAuth
    installations: InstallationRepository


async def build_runtime(
    stack: AsyncExitStack,
    settings: Settings,
    role: Role,
    clock: Callable[[], datetime],
) -> Runtime:
    """Build what the process works with; raise StoreError (see `opened_store`)."""
    metrics = Metrics(role=role.value, store="postgresql" if settings.is_shared else "sqlite")
    stack.enter_context(lines_counted(metrics.note_line))
    stored = await stack.enter_async_context(opened_store(settings, metrics.store.note_call))
    documents, ring = stored.documents, stored.ring
    tasks = Tasks()
    commons = build_shared_state(stored)
    http = await stack.enter_async_context(_slack_session(metrics))
    clients = slack_app.SlackClients(settings, http)
    installations = InstallationRepository(documents, ring)
    workspaces = slack_app.open_workspaces(settings, installations, clients, clock=clock)
    parts = Services(
        settings=settings,
        documents=documents,
        ring=ring,
        deferred=DeferredCommands(documents, ring, clock=clock),
        tasks=tasks,
        client_for=workspaces.client_for,
        posting=Posting(workspaces.client_for),
        replies=Replies(http),
        tracker_http=await stack.enter_async_context(tracker_http()),
        clock=clock,
        metrics=metrics,
        commons=commons,
        inflight=InflightTracker(),
    )
    return Runtime(
        parts=parts,
        stored=stored,
        clients=clients,
        workspaces=workspaces,
        installations=installations,
    )


def _slack_session(metrics: Metrics) -> aiohttp.ClientSession:
    # A line that the other side is about to close loses a post without a word, and no process may
    # repeat it: idle lines are given up early.
    connector = aiohttp.TCPConnector(
        keepalive_timeout=IDLE_LINE_S, limit=0, limit_per_host=LINES_PER_HOST
    )
    trace = traced_calls(metrics.slack.note_call)
    return aiohttp.ClientSession(connector=connector, timeout=SLACK_TIMEOUT, trace_configs=[trace])


# Of the time for finishing; the rest is for what the jobs leave behind.
JOBS_END_WITHIN = 0.7


@asynccontextmanager
async def run_periodic(
    runtime: Runtime,
    role: Role,
    running: Features,
    lifecycle: Lifecycle,
    *,
    finish_within_s: float,
) -> AsyncIterator[Mapping[str, Check]]:
    """Do what comes again inside the block; yield how to tell whether it does.

    At the end nothing more is begun, and what the queue has begun is waited for.
    """
    parts, shared = runtime.parts, runtime.stored.shared
    every_s, timed = parts.settings.tick_seconds, parts.metrics.periodic.timed
    for_all = {**running.periodic, **lifecycle.periodic} if role.delivers else {}
    periodic = {name: timed(name, act) for name, act in for_all.items()}
    await lifecycle.at_start()

    async def tick() -> None:
        if shared is None:  # nor is there a queue
            await running.digests.run_due()

    async with AsyncExitStack() as rounds:
        ticks = await rounds.enter_async_context(ticking(timed("tick", tick), every_s=every_s))
        if shared is None:
            for act in periodic.values():
                alone = ticking(act, every_s=every_s, within_s=ROUND_WITHIN_S)
                await rounds.enter_async_context(alone)
        if shared is None or not role.delivers:
            yield {"tick": ticks.are_recent}
            return
        # Slow to import, and the embedded store has no queue.
        from bot.jobs.queue import INTERVALS, working
        from bot.jobs.queue_jobs import Work

        work = Work(
            periodic=periodic,
            deliver=running.digests.deliver,
            clock=parts.clock,
        )
        async with working(
            shared.pool,
            work,
            every_s=every_s,
            finish_within_s=finish_within_s * JOBS_END_WITHIN,
            # Slow looks must not delay quick ticks.
            intervals=replace(INTERVALS, look_s=min(INTERVALS.look_s, every_s / 4)),
        ) as takes_part:
            try:
                yield {"tick": ticks.are_recent, "queue": takes_part}
            finally:
                running.stop()


logger = structlog.get_logger()
# Platforms that stop a process kill it 30 s after they asked.
FINISH_WITHIN_S = 20.0


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    *,
    role: Role = Role.ALL,
    clock: Callable[[], datetime] = utc_now,
    finish_within_s: float = FINISH_WITHIN_S,
) -> None:
    """Run a process of the bot until `stop`; then begin nothing new and finish what was begun.

    What Slack still sends by HTTP is answered: `/readyz` keeps a balancer from it. `clock` may be
    moved together with Slack's. Raises StartError, and StoreError as `opened_store` does.
    """
    NAMING.set((settings.slack_command_prefix, COMMANDS))
    async with AsyncExitStack() as stack:
        runtime = await build_runtime(stack, settings, role, clock)
        parts, workspaces = runtime.parts, runtime.workspaces
        await slack_app.check_tokens(parts, runtime.clients, workspaces, role)
        app = slack_app.bolt_app(runtime.clients.patient(), workspaces, parts.metrics)
        running = register_features(app, parts)
        lifecycle = register_lifecycle(app, parts, running, workspaces, runtime.installations)
        loop, end_at = asyncio.get_running_loop(), math.inf

        async def finish() -> None:
            left_s = min(finish_within_s, max(0.0, end_at - loop.time()))
            await _finish(parts.tasks, running, left_s)

        listener = await stack.enter_async_context(AsyncExitStack())
        stack.push_async_callback(finish)
        stack.callback(running.stop)
        checks = await stack.enter_async_context(
            run_periodic(runtime, role, running, lifecycle, finish_within_s=finish_within_s)
        )
        endpoint, link_checks = await slack_app.start_transport(stack, app, parts, role)
        checks = {
            "store": parts.documents.check,
            "slack": workspaces.find_slack,
            **checks,
            **link_checks,
        }
        observe_store(parts.metrics, runtime.stored)
        install = lifecycle.endpoint if role.answers else None
        health = HealthEndpoints(checks)
        await slack_app.listen(listener, parts, health, slack=endpoint, install=install)
        logger.info("started", role=role.value)
        await stop.wait()
        logger.info("stopping")
        health.stop()
        end_at = loop.time() + finish_within_s


async def _finish(tasks: Tasks, running: Features, left_s: float) -> None:
    """Wait for running work; people who would get no answer get a notice."""
    if await tasks.drain(left_s):
        return
    people = await running.boundary.cancel_all()
    running.cut_off()
    logger.warning("work was cut off by the stop", people=people)
