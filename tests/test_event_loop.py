import asyncio
import socket
import threading
from typing import Any

import pytest

from bot.concurrency import new_loop
from tests.fakes import TIME_LIMIT_S


def test_forty_look_ups_that_hang_leave_threads_for_work(monkeypatch: pytest.MonkeyPatch) -> None:
    goes_on = threading.Event()

    def hang(*question: Any) -> list[Any]:
        goes_on.wait(TIME_LIMIT_S)
        return []

    async def scenario() -> bool:
        loop = asyncio.get_running_loop()
        hanging = [asyncio.create_task(loop.getaddrinfo("hangs", 80)) for _ in range(40)]
        await asyncio.sleep(0)
        has_waited = await asyncio.to_thread(goes_on.is_set)
        goes_on.set()
        await asyncio.gather(*hanging)
        return has_waited

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert not runner.run(scenario())
