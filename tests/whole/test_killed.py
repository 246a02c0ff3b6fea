"""Killed in the middle of their work: who waited hears of it. Real processes, real kills."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port
from tests.stores import read_snapshot
from tests.whole.harness import (
    Harness,
    open_documents,
    running_bot,
    running_stand_ins,
    until_ready,
)
from tests.whole.test_process import process, stand_ins_in_real_time

pytestmark = pytest.mark.anyio

INTERRUPTED = "interrupted"
TELL_WITHIN_S = 100  # on a busy machine


@asynccontextmanager
async def killed_at_the_end(
    app: Harness, *words: str, module: str = "bot", port: int | None = None
) -> AsyncIterator[None]:
    """Run the bot in a process of its own until the end of the block."""
    port = port or app.settings.port
    async with process(app, *words, module=module, PORT=f"{port}") as bot:
        assert bot.stdin
        # How far its clock is ahead, where it is one that asks.
        bot.stdin.write(f"{app.clock.ahead.total_seconds()}\n".encode())
        await until_ready(app, port=port)
        yield


async def until_noted(app: Harness, *, is_noted: bool = True) -> None:
    """Wait until the store holds that somebody waits, or no longer."""
    async with asyncio.timeout(TIME_LIMIT_S):
        while await _is_noted(app) is not is_noted:  # noqa: ASYNC110  no event of another process tells
            await asyncio.sleep(0.02)


async def _is_noted(app: Harness) -> bool:
    if not app.settings.is_shared:
        snapshot = await read_snapshot(app.settings.database_path)
        return any("/pending/" in document.key for document in snapshot.documents)
    documents = await open_documents(app.settings)
    try:
        return any("/pending/" in key for key in await documents.list_keys(""))
    finally:
        await documents.close()


@pytest.mark.parametrize("is_scan", [True, False], ids=["scan", "addition"])
@pytest.mark.transports("http")
async def test_who_waited_for_the_only_process_hears_of_it_after_its_next_start(
    tmp_path: Path, transport: str, is_scan: bool
) -> None:
    async with running_stand_ins(tmp_path, transport) as app:
        app.account.add("shop.example", health=41)
        hold = app.tracker.hold_scans()
        async with killed_at_the_end(app, module="tests.benchmarks.fleet_bot"):
            await app.connect()
            await until_noted(app, is_noted=False)  # that was ada's
            app.tracker.latency_s = 0 if is_scan else 60
            await app.bob.type("/scan shop.example" if is_scan else "/adddomain new.example")
            await until_noted(app)
        hold.release()
        app.tracker.latency_s = 0
        app.clock.ahead += timedelta(minutes=1)

        async with running_bot(app):
            text = await app.bob.next_message(
                where=lambda message: INTERRUPTED in message.everything
            )
            answer = await app.press(app.bob, text, "Try again")

        assert ("may still have been done" in text.everything) is not is_scan
        assert ("Scan of shop.example" if is_scan else "Added ") in answer.everything


@pytest.mark.timeout(300)
async def test_who_waited_for_one_of_two_processes_hears_of_it(
    tmp_path: Path, database: str
) -> None:
    """In real seconds, within a minute: so long it takes until the other one can be sure."""
    async with stand_ins_in_real_time(tmp_path, database) as app:
        app.account.add("shop.example", health=41)
        hold = app.tracker.hold_scans()
        async with killed_at_the_end(app, "web", port=reserve_port()):
            async with killed_at_the_end(app, "web"):
                await app.connect()
                await until_noted(app, is_noted=False)  # that was ada's
                await app.bob.type("/scan shop.example")
                await hold.waiting(1)
                await until_noted(app)
            text = await app.bob.next_message(
                timeout_s=TELL_WITHIN_S, where=lambda message: INTERRUPTED in message.everything
            )
            await until_noted(app, is_noted=False)
        hold.release()

        assert text.buttons == ["Try again"]
