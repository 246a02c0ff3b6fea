"""How many modules a reader has to open to follow a command."""

import sys
from pathlib import Path
from types import FrameType

import httpx
import pytest
from slack_bolt.async_app import AsyncApp

from bot.domains.service import FRESH_FOR
from tests.whole.harness import Harness

BOT = f"{Path(__file__).parents[2] / 'bot'}/"
MAX_MODULES = 31


@pytest.mark.transports("socket")
async def test_a_warm_scan_enters_few_modules_before_it_asks_the_service(ready: Harness) -> None:
    await ready.ask(ready.bob, "/scan shop.example")

    way: list[str] = []
    for _ in range(30):  # periodic work may come in between, of another kind each time
        ready.clock.ahead += FRESH_FOR
        with Entered() as entered:
            await ready.ask(ready.bob, "/scan shop.example")
        way = [each for each in way or entered.modules if each in entered.modules]
        if len(way) <= MAX_MODULES:
            break

    assert 0 < len(way) <= MAX_MODULES, "\n".join(way)


class Entered:
    """Notes which modules of the bot run, from Bolt's dispatch until httpx is asked to send."""

    def __init__(self) -> None:
        self.modules: list[str] = []
        self._is_begun = self._is_over = False

    def __enter__(self) -> "Entered":
        sys.setprofile(self._note)
        return self

    def __exit__(self, *_exc: object) -> None:
        sys.setprofile(None)

    def _note(self, frame: FrameType, event: str, _argument: object) -> None:
        if self._is_over or event != "call":
            return
        code = frame.f_code
        self._is_begun = self._is_begun or code is AsyncApp.async_dispatch.__code__
        self._is_over = code is httpx.AsyncClient.send.__code__
        if self._is_begun and code.co_filename.startswith(BOT):
            name = code.co_filename.removeprefix(BOT)
            if name not in self.modules and not name.startswith("playground/"):
                self.modules.append(name)
