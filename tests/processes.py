"""Real processes of the bot that start in a few milliseconds.

`python -m bot` takes a second of the processor for its imports, which are the same each time. Here
one process has done them, and the others are forked from it. What follows is as after a start by a
shell: an own pid, environment, folder, standard streams, signals, exit status. Tests of the start
itself run `python -m bot` all the same.
"""

import asyncio
import contextlib
import multiprocessing
import os
import runpy
import signal
import sys
from asyncio.subprocess import PIPE
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[1]
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.preloaded"])


class BotProcess:
    """A process that was started here, with the names of asyncio's `Process`."""

    def __init__(self, process: ForkServerProcess) -> None:
        self._process = process
        self._has_ended = asyncio.Event()
        self._transports: list[asyncio.BaseTransport] = []
        self.stdin: IO[bytes] | None = None
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self.pid = process.pid or 0
        self.returncode: int | None = None
        asyncio.get_running_loop().add_reader(process.sentinel, self._note_end)

    def send_signal(self, number: int) -> None:
        """Send a signal, if it has not ended yet."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for its end and return the exit status; what it said and no one read is lost."""
        await self._has_ended.wait()
        for each in self._transports:
            each.close()
        assert self.returncode is not None
        return self.returncode

    async def communicate(self) -> tuple[bytes, bytes]:
        """Return all that it still says, and wait for its end."""
        out, err = await asyncio.gather(*map(_read, (self.stdout, self.stderr)))
        await self.wait()
        return out, err

    async def reader(self, end: int | None) -> asyncio.StreamReader | None:
        """Return what reads our end of a pipe; it is closed with the process."""
        if end is None:
            return None
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(end, "rb", buffering=0)
        )
        self._transports.append(transport)
        return reader

    def _note_end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self.returncode = self._process.exitcode
        self._process.close()
        if self.stdin:
            self.stdin.close()
        self._has_ended.set()


async def start_bot(
    *words: str,
    env: Mapping[str, str],
    cwd: Path,
    module: str = "bot",
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | IO[bytes] | None = None,
) -> BotProcess:
    """Start `python -m bot` with these words, or another module; the rest is as in asyncio."""
    (theirs_in, write), (theirs_out, out), (theirs_err, err) = (
        _pipe(stdin, is_input=True),
        _pipe(stdout),
        _pipe(stderr),
    )
    streams = (theirs_in, theirs_out, theirs_err)
    process = FORKS.Process(
        target=_become, args=(module, words, dict(env), str(cwd), streams), daemon=True
    )
    process.start()
    for each in streams:
        if each:
            each.close()
    bot = BotProcess(process)
    bot.stdin = None if write is None else os.fdopen(write, "wb", buffering=0)
    bot.stdout, bot.stderr = await bot.reader(out), await bot.reader(err)
    return bot


async def start_new_bot(*words: str, **how: Any) -> asyncio.subprocess.Process:
    """Start `python -m bot` with these words as a shell does, imports and all."""
    return await asyncio.create_subprocess_exec(sys.executable, "-m", "bot", *words, **how)


def _pipe(
    given: int | IO[bytes] | None, *, is_input: bool = False
) -> tuple[Connection | None, int | None]:
    """Return the process's end, in what can be sent to it, and ours."""
    if given is None:
        return None, None
    if given != PIPE:
        assert not isinstance(given, int)
        return Connection(os.dup(given.fileno()), readable=False), None
    read, write = os.pipe()
    if is_input:
        return Connection(read, writable=False), write
    return Connection(write, readable=False), read


def _become(
    module: str,
    words: tuple[str, ...],
    env: dict[str, str],
    cwd: str,
    streams: tuple[Connection | None, ...],
) -> None:
    """Go on as `python -m` would in this environment and folder, with these streams."""
    for number, stream in enumerate(streams):
        if stream:
            os.dup2(stream.fileno(), number)
            stream.close()
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, "utf-8", "backslashreplace", closefd=False)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = [module, *words]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    return await stream.read() if stream else b""
