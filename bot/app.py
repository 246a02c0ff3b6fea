"""The composition root: with bot/features.py it makes, joins and closes every real object."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import structlog

from bot.door import bolt_app, check_tokens, listen, open_door
from bot.engine.local import ticking
from bot.features import Running, register_features
from bot.ground import Ground, laid
from bot.lifecycle import register_lifecycle
from bot.listeners.interrupted import Interruptions
from bot.measuring import look_at_processes
from bot.parts import Pace, Parts, Role
from bot.periodic import Periodic, going_on
from bot.presence import REFRESH_EVERY_S
from bot.settings import Settings
from bot.tasks import Tasks
from bot.web.health import Check, HealthEndpoints
from bot.workspaces import Workspaces

logger = structlog.get_logger()

# Platforms that stop a process kill it 30 s after they asked.
FINISH_WITHIN_S = 20.0
PACE = Pace()


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
    """Run a process of the bot until `stop`; then begin nothing new and finish what was begun.

    What Slack still sends by HTTP meanwhile is answered: `/readyz` keeps a balancer from it.

    Raises:
        StartError: Slack refuses a token for good, or the address cannot be listened on.
        StoreError: the store cannot be opened: in use, damaged, out of date, not to be reached,
            or sealed with other keys.
    """
    async with AsyncExitStack() as stack:
        ground = await laid(stack, settings, role, clock, pace)
        parts, workspaces = ground.parts, ground.workspaces
        await check_tokens(parts, ground.clients, workspaces, role)
        app = bolt_app(ground.clients.patient(), workspaces, parts.metrics)
        running = register_features(app, parts)
        lifecycle = register_lifecycle(
            app, parts, running, workspaces, ground.stored.documents, ground.shelf
        )
        finishing = _Finishing(finish_within_s)
        listener = await _watch_over_answers(stack, ground, running, finishing)
        periodic = Periodic(running=running, lifecycle=lifecycle)
        checks = await stack.enter_async_context(
            going_on(ground.stored, parts, role, periodic, finish_within_s=finish_within_s)
        )
        door = await open_door(stack, app, parts, role)
        checks = {**_own_checks(parts, workspaces), **checks, **door.checks}
        look_at_processes(parts.metrics, ground.stored)
        install = lifecycle.endpoint if role.answers else None
        health = HealthEndpoints(checks)
        await listen(listener, parts, health, slack=door.endpoint, install=install)
        logger.info("started", role=role.value, process=ground.processes.process_id)
        await stop.wait()
        logger.info("stopping")
        health.stop()
        finishing.begin()


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
    stack: AsyncExitStack, ground: Ground, running: Running, finishing: _Finishing
) -> AsyncExitStack:
    """Tell whoever waits for a process that has died; at the end, see to those who wait here.

    Return what is closed only when nobody waits any more.
    """
    parts, processes = ground.parts, ground.processes
    interruptions = Interruptions(
        ground.answers, processes, parts.replies, parts.tasks, client_for=parts.client_for
    )
    # Pushed before what waits for the work: until that is done, this process still lives.
    stack.push_async_callback(processes.leave)
    await stack.enter_async_context(ticking(interruptions.tick, every_s=REFRESH_EVERY_S))
    listener = await stack.enter_async_context(AsyncExitStack())
    stack.push_async_callback(_finish, parts.tasks, running, finishing)
    stack.callback(running.stop)
    stack.callback(interruptions.stop)
    return listener


async def _finish(tasks: Tasks, running: Running, finishing: _Finishing) -> None:
    """Wait for what was begun; whoever would be left without an answer is told so."""
    if await tasks.are_done_within(finishing.left_s()):
        return
    people = await running.boundary.cut_off()
    running.cut_off()
    logger.warning("work was cut off by the stop", people=people)


def _own_checks(parts: Parts, workspaces: Workspaces) -> dict[str, Check]:
    return {"store": _works(parts.documents.check), "slack": _works(workspaces.find_slack)}


def _works(check: Callable[[], Awaitable[object]]) -> Check:
    async def works() -> bool:
        await check()
        return True

    return works
