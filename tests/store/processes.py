"""Other processes, for tests of what one process cannot show."""

import asyncio
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes import TIME_LIMIT_S
from tests.processes import BotProcess, start_bot

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def started(module: str, *arguments: object) -> AsyncIterator[BotProcess]:
    """Yield a process that runs the test module with its output on pipes; kill it at the end."""
    words, module = map(str, arguments), f"tests.{module}"
    process = await start_bot(
        *words, env=os.environ, cwd=ROOT, module=module, stdout=PIPE, stderr=PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def next_line(process: BotProcess) -> str:
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), TIME_LIMIT_S)).decode().strip()
