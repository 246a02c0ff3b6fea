"""Two workspaces, a Slack and a Domain Tracker, and a bot that is started, stopped and killed."""

import asyncio
import contextvars
import io
import json
import os
from asyncio import base_events
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, cast
from unittest import mock

import structlog

from bot.app.main import serve
from bot.playground.slack import Delivery
from bot.playground.slack.delivery import Carrier
from bot.process.logs import set_up_logs
from bot.store.documents import StoreError
from bot.store.sqlite import SqliteDocuments
from tests.virtual_time.late_store import late_store
from tests.whole.harness import Harness, until_ready
from tests.whole.many import Many, many_stand_ins

NAMES = ("amber", "birch")
ACK_WITHIN_S = 3.0
# A start of the bot, counted from 1, to which a task or a line of the log belongs; 0: the world.
START: contextvars.ContextVar[int] = contextvars.ContextVar("START", default=0)


class Log(io.StringIO):
    """Keeps the bad lines, and the last of all. What a killed process logs is lost."""

    def __init__(self, killed: set[int]) -> None:
        super().__init__()
        self._killed = killed
        self.last: list[str] = []
        self.bad: list[str] = []

    def write(self, text: str) -> int:
        if START.get() not in self._killed and text.strip():
            self.last = [*self.last[-999:], text]
            if json.loads(text)["level"] in {"error", "critical"}:
                self.bad.append(text)
        return len(text)


class LateAcks:
    """Holds the acks up on their way to Slack, each for `late_s`, or for what is left of 3 s."""

    def __init__(self) -> None:
        self.late_s = 0.0
        self._late: dict[str, float] = {}
        self.carrier: Carrier | None = None

    async def carry(self, delivery: Delivery) -> tuple[int, Any]:
        assert self.carrier
        time = asyncio.get_running_loop().time
        began_s = time()
        answer = await self.carrier.carry(delivery)
        if self.late_s:
            # A socket that was drawn late may have used up most of it.
            late_s = max(0.0, min(self.late_s, ACK_WITHIN_S - 0.1 - (time() - began_s)))
            self._late[delivery.envelope_id] = late_s
            await asyncio.sleep(late_s)
        return answer

    def of(self, delivery: Delivery) -> float:
        return self._late.get(delivery.envelope_id, 0.0)


class World:
    """What is there beside the people: the stand-ins, and the bot between them."""

    def __init__(self, many: Many) -> None:
        self.many = many
        self.slack, self.tracker, self.clock = many.slack, many.tracker, many.clock
        self.killed: set[int] = set()
        self.log = Log(self.killed)
        self.late = LateAcks()
        self.tasks: dict[asyncio.Task[Any], None] = {}  # in the order in which they were made
        self._starts = 0
        self._stop = asyncio.Event()
        self._bot: asyncio.Task[None] | None = None
        self._down: list[list[float]] = []
        self._killed_at = 0.0

    @property
    def apps(self) -> list[Harness]:
        return [self.many[name] for name in NAMES]

    def was_down(self, moment: float) -> bool:
        """Return whether Slack could not count on the bot then, or soon after."""
        return any(since - ACK_WITHIN_S <= moment <= until for since, until in self._down)

    def was_killed_since(self, moment: float) -> bool:
        return moment <= self._killed_at

    async def start_bot(self) -> None:
        self._starts += 1
        self._stop = asyncio.Event()
        context = contextvars.copy_context()
        context.run(START.set, self._starts)
        work = serve(self.many.settings, self._stop, clock=self.clock)
        self._bot = asyncio.get_running_loop().create_task(work, context=context)
        await until_ready(self.apps[0], self._bot)
        if self.many.settings.slack_app_token:
            await self.slack.connected()
        self.late.carrier, self.slack.outbox.carrier = self.slack.outbox.carrier, self.late
        if self._down:
            self._down[-1][1] = self.clock.seconds()

    async def stop_bot(self) -> None:
        self._goes()
        self._stop.set()
        assert self._bot
        await self._bot

    async def kill_bot(self) -> None:
        """End it without a closing: all lines break, and nothing of it reaches anything any more.

        The system frees what a dead process held, so its own clean-up goes on in here.
        """
        self._goes()
        self.killed.add(self._starts)
        for transport in [*asyncio.get_running_loop()._transports.values()]:  # type: ignore[attr-defined]
            transport.abort()
        left = [task for task in self.tasks if not task.done()]
        for task in left:
            task.cancel()
        _, late = await asyncio.wait(left, timeout=120)
        assert not late, late
        for timer in asyncio.get_running_loop()._scheduled:  # type: ignore[attr-defined]
            if timer._context.get(START, 0) in self.killed:
                timer.cancel()
        self._killed_at = self.clock.seconds()  # until here it may take a request with it

    def _goes(self) -> None:
        self._down.append([self.clock.seconds(), float("inf")])
        assert self.late.carrier
        self.slack.outbox.carrier = self.late.carrier

    def make_task(
        self, loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, Any], **how: Any
    ) -> "asyncio.Task[Any]":
        """Make a task, as the loop's task factory, and note it if it is the bot's."""
        task = asyncio.Task(work, loop=loop, **how)
        if (how.get("context") or contextvars.copy_context()).get(START, 0):
            self.tasks[task] = None
            task.add_done_callback(self.tasks.pop)
        return task


@asynccontextmanager
async def running_world(folder: Path, transport: str, tick_s: float) -> AsyncIterator[World]:
    """Run the stand-ins, and a bot that nobody has installed yet."""
    async with many_stand_ins(folder, NAMES, transport=transport) as many:
        many.settings = many.settings.model_copy(update={"tick_seconds": tick_s})
        for app in many.apps.values():
            app.settings = many.settings
        many.slack.app.settings.answers_within_s = many.slack.outbox.ack_limit_s = ACK_WITHIN_S
        world = World(many)
        set_up_logs("INFO", "json", world.log)
        asyncio.get_running_loop().set_task_factory(cast(Any, world.make_task))
        # Bolt looks for these by itself.
        ours = {
            "SLACK_CLIENT_ID": many.slack.client_id,
            "SLACK_CLIENT_SECRET": many.slack.client_secret,
        }
        try:
            with (
                mock.patch.dict(os.environ, ours),
                late_store(),
                cut_off_when_killed(world.killed),
            ):
                await world.start_bot()
                yield world
                await world.stop_bot()
        finally:
            asyncio.get_running_loop().set_task_factory(None)
            structlog.reset_defaults()


@contextmanager
def cut_off_when_killed(killed: set[int]) -> Iterator[None]:
    """Let a killed process neither connect nor store anything."""
    connect, run = base_events.BaseEventLoop.create_connection, SqliteDocuments.run

    async def connected(loop: Any, *args: Any, **how: Any) -> Any:
        if START.get() in killed:
            if how.get("sock"):
                how["sock"].close()
            raise ConnectionRefusedError("killed")
        return await connect(loop, *args, **how)

    async def stored(documents: SqliteDocuments, action: Any) -> Any:
        if START.get() in killed:
            raise StoreError("killed")
        return await run(documents, action)

    with (
        mock.patch.object(base_events.BaseEventLoop, "create_connection", connected),
        mock.patch.object(SqliteDocuments, "run", stored),
    ):
        yield
