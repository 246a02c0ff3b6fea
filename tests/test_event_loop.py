import asyncio
import socket
import threading
from typing import Any

import pytest

from bot.concurrency import new_loop
from tests.fakes import TIME_LIMIT_S


def test_forty_look_ups_that_hang_leave_threads_for_work(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on, given_up = threading.Event(), list[str]()

    def hang(*_question: Any) -> list[Any]:
        if not goes_on.wait(TIME_LIMIT_S):
            given_up.append("no thread was free until then")
        return []

    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        hanging = [asyncio.create_task(loop.getaddrinfo("hangs", 80)) for _ in range(40)]
        await asyncio.sleep(0)
        await asyncio.to_thread(goes_on.set)
        await asyncio.gather(*hanging)

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(scenario())

    assert given_up == []
