import asyncio
import socket
import threading
from typing import Any

import pytest

from bot.process.concurrency import EventLoop
from tests.fakes import TIME_LIMIT_S


def test_a_slow_name_lookup_keeps_only_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    ask, begun, goes_on, asked = socket.getaddrinfo, threading.Event(), threading.Event(), []

    def answer(host: str, *question: Any) -> Any:
        asked.append(host)
        if host == "hangs":
            begun.set()
            goes_on.wait(TIME_LIMIT_S)
        return ask("127.0.0.1", *question)

    async def scenario() -> list[Any]:
        loop = asyncio.get_running_loop()
        hanging = [asyncio.create_task(loop.getaddrinfo("hangs", 80)) for _ in range(100)]
        async with asyncio.timeout(TIME_LIMIT_S):
            await asyncio.to_thread(begun.wait)
            hanging.pop().cancel()
            [*_, (*_, place)] = await loop.getaddrinfo("answers", 81)
            await asyncio.to_thread(goes_on.set)
            return [place, *(found[0][-1] for found in await asyncio.gather(*hanging))]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    with asyncio.Runner(loop_factory=EventLoop) as runner:
        places = runner.run(scenario())

    assert asked == ["hangs", "answers"]
    assert places == [("127.0.0.1", 81), *[("127.0.0.1", 80)] * 99]
