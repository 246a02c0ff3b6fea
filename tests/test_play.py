"""`python -m bot playground` as a newcomer starts it: a real process, and what it says."""

import asyncio
import os
import shutil
import signal
import socket
import sys
import tomllib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest

from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.real_time

ROOT = Path(__file__).parents[1]


@asynccontextmanager
async def playground(
    folder: Path, *arguments: str, **environment: str
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the playground in a process of its own; its words are to be read from its outputs."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "playground", *arguments),
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()  # not killed: it takes its folder away with it
        async with asyncio.timeout(TIME_LIMIT_S):
            await process.communicate()


async def banner(process: asyncio.subprocess.Process) -> str:
    """Everything that is said once the page is ready."""
    assert process.stdout is not None
    lines: list[str] = []
    async with asyncio.timeout(TIME_LIMIT_S):
        while not lines or "Ctrl-C" not in lines[-1]:
            line = await process.stdout.readline()
            assert line, (await process.communicate())[1].decode()
            lines.append(line.decode())
    return "".join(lines)


def address(said: str) -> str:
    return said.split()[1]


async def ended(process: asyncio.subprocess.Process) -> tuple[int | None, str]:
    """The exit status, and what was said as a complaint."""
    async with asyncio.timeout(TIME_LIMIT_S):
        _, complaint = await process.communicate()
    return process.returncode, complaint.decode()


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def page(url: str) -> str:
    async with aiohttp.ClientSession() as http, http.get(url) as answer:
        assert answer.status == 200
        return await answer.text()


async def test_it_serves_its_pages_and_leaves_nothing_behind(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """On a machine with settings and proxies of its own, until Ctrl-C, with a browser open."""
    temporary = tmp_path_factory.mktemp("temporary")
    (tmp_path / ".env").write_text("DATABASE_URL=nonsense\n")
    proxies = dict.fromkeys(("HTTP_PROXY", "https_proxy"), "http://127.0.0.1:9")
    settings = dict.fromkeys(("SLACK_CLIENT_ID", "PORT", "BOT_SECRET_KEYS"), "nonsense")
    async with (
        playground(
            tmp_path, "--port", "0", TMPDIR=str(temporary), **proxies, **settings
        ) as process,
        aiohttp.ClientSession() as http,
    ):
        said = await banner(process)
        pages = [await page(address(said) + path) for path in ("/", "/tracker", "/inspector")]
        link = f"{address(said)}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        async with http.ws_connect(link) as browser:
            await browser.receive()
            process.send_signal(signal.SIGINT)
            outcome = await ended(process)

    assert "and type /domains" in said
    assert "connected to the portfolio “northwind”" in said
    assert all("<html" in text for text in pages)
    assert outcome == (0, "")
    assert (names_in(tmp_path), names_in(temporary)) == ([".env"], [])


async def test_a_port_in_use_is_explained_in_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with playground(tmp_path, "--port", str(port)) as process:
            status, complaint = await ended(process)

    assert status == 1
    assert complaint.startswith(f"The playground cannot start: Port {port} on 127.0.0.1 is taken.")
    assert "--port" in complaint
    assert len(complaint.splitlines()) == 1


async def test_the_wheel_has_no_playground_and_says_where_it_is(tmp_path: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert (wheel["packages"], wheel["exclude"]) == (["bot"], ["bot/playground"])
    shutil.copytree(ROOT / "bot", tmp_path / "bot", ignore=shutil.ignore_patterns("playground"))
    metadata = tmp_path / "domain_tracker_for_slack-1.0.dist-info/METADATA"
    metadata.parent.mkdir()
    metadata.write_text(
        f"Metadata-Version: 2.4\nName: {project['project']['name']}\nVersion: 1.0\n"
    )

    async with playground(tmp_path, PYTHONPATH=str(tmp_path)) as process:
        status, complaint = await ended(process)

    assert status == 1
    assert "make demo" in complaint
    assert len(complaint.splitlines()) == 1
