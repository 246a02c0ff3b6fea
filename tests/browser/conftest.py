"""The playground in a real browser: the system's Chromium, driven by Playwright."""

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.fakes import TIME_LIMIT_S

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""
expect.set_options(timeout=TIME_LIMIT_S * 1000)
# The sandbox needs rights that containers lack; the rest keeps it from calling home.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--in-process-gpu",
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
    playground = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", "--port", "0", *arguments),
        cwd=ROOT,
        stdout=PIPE,
    )
    try:
        assert playground.stdout is not None
        opened = (await playground.stdout.readline()).split()  # once the page is served
        assert opened, "the playground ended"
        yield opened[1].decode()
    finally:
        if playground.returncode is None:
            playground.send_signal(signal.SIGINT)
        await playground.communicate()
