"""Run a process of the bot: build and connect its objects, serve, and stop them in order."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack
from functools import partial

import structlog
from aiohttp.web import RouteDef
from slack_bolt.async_app import AsyncApp

from bot.app import bolt as slack_app
from bot.app.features import Features, register_features
from bot.app.services import Role, Services, build_services
from bot.blocks.command_names import NAMING
from bot.dispatch.commands import COMMANDS
from bot.installations.listeners import LifecycleListeners
from bot.installations.oauth_flow import InstallFlow
from bot.installations.uninstall import Uninstaller, still_works
from bot.installations.welcome import StoreCheck, Welcome
from bot.jobs.scheduler import ROUND_WITHIN_S, ticking
from bot.process.clock import Clock, utc_now
from bot.process.concurrency import Tasks
from bot.settings import Settings
from bot.web.server import Check, HealthEndpoints

logger = structlog.get_logger()
# Platforms that stop a process kill it 30 s after they asked.
FINISH_WITHIN_S = 20.0
# Of the time for finishing; the rest is for what the jobs leave behind.
JOBS_END_WITHIN = 0.7


async def start_periodic(
    stack: AsyncExitStack,
    services: Services,
    role: Role,
    features: Features,
    periodic: Iterable[Callable[[], Awaitable[object]]],
    *,
    finish_within_s: float,
) -> Mapping[str, Check]:
    """Begin what comes again; return how to tell whether it does.

    When the stack ends nothing more is begun, and what the queue has begun is waited for.
    """
    shared, every_s = services.shared, services.settings.tick_seconds

    async def tick() -> None:
        if shared is None:  # nor is there a queue
            await features.worker.run_due()

    checks = {"tick": await stack.enter_async_context(ticking(tick, every_s=every_s))}
    for act in periodic if role.delivers else ():  # each takes its documents up for one of all
        alone = ticking(act, every_s=every_s, within_s=ROUND_WITHIN_S)
        await stack.enter_async_context(alone)
    if shared and role.delivers:
        # Slow to import, and the embedded store has no queue.
        from bot.jobs.queue import working

        queue = working(
            shared.pool,
            features.worker.deliver,
            clock=services.clock,
            every_s=every_s,
            finish_within_s=finish_within_s * JOBS_END_WITHIN,
        )
        checks["queue"] = await stack.enter_async_context(queue)
        stack.callback(services.tasks.stop)
    return checks


async def serve(
    settings: Settings,
    stop: asyncio.Event,
    *,
    role: Role = Role.ALL,
    clock: Clock = utc_now,
    finish_within_s: float = FINISH_WITHIN_S,
) -> None:
    """Run a process of the bot until `stop`; then begin nothing new and finish what was begun.

    What Slack still sends by HTTP is answered: `/readyz` keeps a balancer from it. `clock` may be
    moved together with Slack's. Raises StartError, and StoreError as `build_services` does.
    """
    NAMING.set((settings.slack_command_prefix, COMMANDS))
    async with AsyncExitStack() as stack:
        services = await build_services(stack, settings, role, clock)
        await slack_app.check_tokens(settings, services.slack, answers=role.answers)
        app = slack_app.bolt_app(services.slack, services.metrics)
        features = register_features(app, services)
        pages, lifecycle = await register_lifecycle(app, services, features)
        loop, end_at = asyncio.get_running_loop(), math.inf

        async def finish() -> None:
            left_s = min(finish_within_s, max(0.0, end_at - loop.time()))
            await _finish(services.tasks, features, left_s)

        stack.push_async_callback(finish)  # what came by HTTP until the server was closed
        listener = await stack.enter_async_context(AsyncExitStack())
        stack.push_async_callback(finish)
        stack.callback(services.tasks.stop)
        periodic = [*features.periodic, lifecycle]
        checks = {
            "store": services.documents.check,
            "slack": services.slack.find_slack,
            **await start_periodic(
                stack, services, role, features, periodic, finish_within_s=finish_within_s
            ),
        }
        endpoint = None
        if role.answers:  # a worker takes nothing from Slack
            endpoint, link = slack_app.start_transport(stack, app, settings, services.seen)
            checks |= link
        else:
            pages = []
        health = HealthEndpoints(checks)
        await slack_app.listen(
            listener, settings, health, slack=endpoint, pages=pages, metrics=services.metrics
        )
        logger.info("started", role=role.value)
        await stop.wait()
        logger.info("stopping")
        health.stop()
        end_at = loop.time() + finish_within_s


async def register_lifecycle(
    app: AsyncApp, services: Services, features: Features
) -> tuple[Sequence[RouteDef], Callable[[], Awaitable[object]]]:
    """Attach the events of removed workspaces; return the pages of OAuth, and periodic work."""
    own, documents = services.slack.own, services.documents
    uninstaller = Uninstaller(
        documents,
        services.tasks,
        services.installations,
        still_works=partial(still_works, services.slack.authorize.client_for),
        caches=[features.portfolio.forget, services.installations.forget],
        clock=services.clock,
        audit=features.audit,
        installed_since=lambda: own.since if own else None,
    )
    welcome = Welcome(
        documents,
        services.installations,
        services.posting,
        services.tasks,
        features.keys,
        features.audit,
        features.permissions,
    )
    LifecycleListeners(uninstaller, services.tasks, on_granted=welcome.on_granted).register(app)
    if own:
        store_check = StoreCheck(documents, own.fetch)
        await store_check.check_at_start()
        return [], store_check.check
    flow = InstallFlow(
        services.settings,
        services.installations,
        client=services.slack.clients.once(),
        clock=services.clock,
        on_installed=welcome.on_installed,
        tasks=services.tasks,
    )
    return flow.routes(), uninstaller.run_due


async def _finish(tasks: Tasks, features: Features, left_s: float) -> None:
    """Wait for running work; people who would get no answer get a notice."""
    if await tasks.drain(left_s):
        return
    people = await features.boundary.cancel_all()
    features.client.cut_off()
    logger.warning("work was cut off by the stop", people=people)
