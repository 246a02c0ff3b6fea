"""Other processes, for tests of what one process cannot show."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes import TIME_LIMIT_S

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def started(module: str, *arguments: object) -> AsyncIterator[Process]:
    """Yield a process that runs the test module with its output on pipes; kill it at the end."""
    words = ["-m", f"tests.store.{module}", *map(str, arguments)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, *words, cwd=ROOT, stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def next_line(process: Process) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), TIME_LIMIT_S)).decode().strip()
