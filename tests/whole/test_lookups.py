"""A name that cannot be looked up in time is trouble only for those who need it."""

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from bot.concurrency import EventLoop
from tests.fakes import TIME_LIMIT_S
from tests.whole.harness import running_bot, running_stand_ins

NAME = "service.example"


class Names:
    """`socket.getaddrinfo`, for which the service is on this machine, or hangs."""

    def __init__(self) -> None:
        self._ask = socket.getaddrinfo
        self.goes_on, self.asked = threading.Event(), threading.Semaphore(0)
        self.goes_on.set()
        self.has_given_up = False

    def __call__(self, host: str | bytes, *how: Any, **more: Any) -> Any:
        if host not in (NAME, NAME.encode()):
            return self._ask(host, *how, **more)
        self.asked.release()
        self.has_given_up |= not self.goes_on.wait(TIME_LIMIT_S)
        return self._ask("127.0.0.1", *how, **more)


def test_a_look_up_that_hangs_holds_up_nobody_who_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = Names()
    monkeypatch.setattr(socket, "getaddrinfo", names)

    async def scenario() -> tuple[str, bool]:
        threads = ThreadPoolExecutor(1)
        asyncio.get_running_loop().set_default_executor(threads)
        async with running_stand_ins(tmp_path, "http") as app:
            url = urlsplit(app.tracker.url)
            there = url._replace(netloc=f"{NAME}:{url.port}").geturl()
            app.settings = app.settings.model_copy(update={"domain_tracker_url": there})
            async with running_bot(app):
                for name in ("shop", "www", "blog"):
                    app.account.add(f"{name}.example", health=41)
                await app.connect()
                await app.ask(app.bob, "/domains")
                held = app.tracker.hold_scans()
                await app.bob.type("/scan shop.example")
                await held.waiting()
                names.goes_on.clear()
                while names.asked.acquire(blocking=False):
                    pass
                await app.bob.type("/scan www.example")
                await app.bob.type("/scan blog.example")
                with ThreadPoolExecutor() as aside:
                    waiting = asyncio.get_running_loop().run_in_executor(
                        aside, names.asked.acquire
                    )
                    await waiting
                listed = await app.ask(app.ada, "/domains")
                has_waited = names.has_given_up
                names.goes_on.set()
                held.release()
        return listed.everything, has_waited

    with asyncio.Runner(loop_factory=EventLoop) as runner:
        listed, has_waited = runner.run(scenario())

    assert "shop.example" in listed
    assert not has_waited
