"""The playground in a real browser: the system's Chromium, driven by Playwright."""

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from playwright.async_api import Browser, async_playwright, expect

from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
expect.set_options(timeout=TIME_LIMIT_S * 1000)
# The sandbox needs rights that containers lack; the rest keeps it from calling home.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip, and say so, where no Chromium is installed; CI sets REQUIRE_BROWSER and fails."""
    if CHROMIUM or os.environ.get("REQUIRE_BROWSER"):
        return
    reason = "no Chromium on this machine (Debian: apt-get install chromium)"
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.skip(reason=reason))


@asynccontextmanager
async def running_playground(*arguments: str) -> AsyncIterator[str]:
    """Run `python -m bot playground` and yield its address."""
    port = reserve_port()
    playground = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", str(port), *arguments), cwd=ROOT
    )
    try:
        address = f"http://127.0.0.1:{port}"
        await _answers(address, playground)
        yield address
    finally:
        if playground.returncode is None:
            playground.send_signal(signal.SIGINT)
        await playground.wait()


async def _answers(address: str, playground: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(TIME_LIMIT_S), aiohttp.ClientSession() as http:
        while True:
            assert playground.returncode is None, "the playground ended"
            try:
                async with http.get(address) as answer:
                    if answer.status == 200:
                        return
            except aiohttp.ClientConnectionError:
                pass
            await asyncio.sleep(0.05)


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        await browser.close()


@pytest.fixture
async def address() -> AsyncIterator[str]:
    async with running_playground() as address:
        yield address
