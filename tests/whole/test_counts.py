"""What an answer costs, in things that can be counted: a change that adds one has to say so.

The names are those of docs/metrics.md: the service's `list` and `scan`, the store's `get` and
`put`, Slack's methods. `task`: an asyncio task that the bot makes;
that of an HTTP request is made by aiohttp, which passes the factory by on Python 3.12 and 3.13.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import CoroutineType
from typing import Any, cast

import pytest

from bot.store.fenced import timed_documents
from bot.web.metrics import CallMetrics
from tests.digests.builders import DAY, NINE, Bot, DocumentsOnDisk
from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import Harness, running_bot, running_stand_ins

pytestmark = pytest.mark.transports("http")

BOT = f"{Path(__file__).parents[2] / 'bot'}/"
NEVER_S = 3600.0  # periodic work would be counted too


class Counted:
    """The calls and tasks of the running bot since `clear`."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self._tasks: list[asyncio.Task[Any]] = []

    def note_call(self, name: str) -> None:
        """Count a call; lines, routes and rounds have no cost of their own."""
        if not name.startswith("/") and name != "app_home_opened":
            self.calls[name] += 1

    def make(self, loop: asyncio.AbstractEventLoop, work: Any, **how: Any) -> Any:
        """Make a task, as the loop's task factory."""
        task = asyncio.Task(work, loop=loop, **how)
        file = work.cr_code.co_filename if isinstance(work, CoroutineType) else ""
        if file.startswith(BOT) and not file.startswith((f"{BOT}playground/", f"{BOT}web/")):
            self.calls["task"] += 1
            self._tasks.append(task)
        return task

    async def of(self, act: Callable[[], Awaitable[object]]) -> dict[str, int]:
        """Return what `act` costs, with what goes on after its answer."""
        await self._settle()
        self.calls.clear()
        await act()
        await self._settle()
        return dict(self.calls)

    async def _settle(self) -> None:
        async with asyncio.timeout(TIME_LIMIT_S):
            while left := [task for task in self._tasks if not task.done()]:
                self._tasks = left
                await asyncio.wait(left)


@pytest.fixture
async def counted() -> AsyncIterator[Counted]:
    yield Counted()
    asyncio.get_running_loop().set_task_factory(None)


@pytest.fixture
async def app(
    tmp_path: Path, transport: str, counted: Counted, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Harness]:
    """A bot whose calls are counted, and whose clock never ticks."""
    note_call = CallMetrics.note_call

    def noted(metrics: CallMetrics, name: str, outcome: str, took_s: float) -> None:
        counted.note_call(name)
        note_call(metrics, name, outcome, took_s)

    monkeypatch.setattr(CallMetrics, "note_call", noted)
    monkeypatch.setattr("bot.domains.kept_facts.KNOWN_FOR_S", NEVER_S)
    async with running_stand_ins(tmp_path, transport) as app:
        app.settings = app.settings.model_copy(update={"tick_seconds": NEVER_S})
        async with running_bot(app):
            asyncio.get_running_loop().set_task_factory(counted.make)
            yield app


async def test_an_answer_costs_so_many_calls_and_tasks(ready: Harness, counted: Counted) -> None:
    async def cost_of(line: str) -> dict[str, int]:
        return await counted.of(lambda: ready.ask(ready.bob, line))

    async def open_home() -> None:
        def drawn() -> tuple[str, int] | None:
            home = ready.bob.home
            return (home.id, home.revision) if home else None

        before = drawn()
        await ready.bob.by_id.open_home()
        event = ready.slack.world.workspace.change_event
        await event.until(lambda: drawn() != before or None, TIME_LIMIT_S)

    for line in ("/scan shop.example", "/domains"):
        await ready.ask(ready.bob, line)

    assert await cost_of("/domains") == {"task": 1, "response_url": 1}
    assert await cost_of("/domains help") == {"task": 1, "response_url": 1}
    assert await cost_of("/scan shop.example") == SCAN
    assert await cost_of("/adddomain more.example") == ADD
    await open_home()
    assert await counted.of(open_home) == HOME


# The result, its end dates and the state of the key's limit are kept. A list that was asked for is
# compared with the sample of the last one.
SCAN = {"scan": 1, "list": 1, "response_url": 2, "get": 9, "put": 5, "task": 5}
HOME = {"views.publish": 1, "users.info": 1, "get": 3, "task": 2}
# The list is another one then: its sample is kept.
ADD = {"add": 1, "list": 1, "response_url": 1, "get": 7, "put": 4, "task": 5} | {
    "users.info": 1  # for the history: who it was
}


async def test_a_digest_costs_so_many_calls() -> None:
    counted = Counted()
    documents = timed_documents(
        cast(Any, DocumentsOnDisk()), lambda name, *_how: counted.note_call(name)
    )
    bot = Bot(documents=cast(Any, documents))
    await bot.make()
    await bot.at(NINE)
    bot.forget_posts()
    bot.lists.asked.clear()
    bot.clock.now = NINE + DAY
    counted.calls.clear()

    await bot.worker.run_due()
    await bot.tasks.drain(TIME_LIMIT_S)

    assert len(bot.lists.asked) == len(bot.posts.posts) == 1
    # The end dates are known still. One write decides who posts, one records the post.
    assert counted.calls == {"due_keys": 1, "get": 1, "list_prefix": 1, "put": 2}
