"""`python -m bot playground` as a newcomer starts it: a real process, and what it says."""

import asyncio
import os
import shutil
import signal
import socket
import sys
import tomllib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Visit:
    """What somebody sees who starts a playground, opens its pages and stops it with Ctrl-C.

    `left` is what it leaves where it was started, `left_elsewhere` where temporary files go.
    """

    said: str
    pages: Sequence[str]
    outcome: tuple[int | None, str]
    left: Sequence[str]
    left_elsewhere: Sequence[str]


async def visited(kept: Path, temporary: Path, **environment: str) -> Visit:
    async with (
        playground(kept, "--port", "0", TMPDIR=str(temporary), **environment) as process,
        aiohttp.ClientSession() as http,
    ):
        said = await banner(process)
        pages = [await page(address(said) + path) for path in ("/", "/tracker", "/inspector")]
        link = f"{address(said)}/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
        async with http.ws_connect(link) as browser:
            await browser.receive()
            process.send_signal(signal.SIGINT)
            outcome = await ended(process)
    return Visit(said, pages, outcome, names_in(kept), names_in(temporary))


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Visit:
    """Return what becomes of one playground, on a machine with settings and proxies of its own.

    One for all that is to be seen: to start it takes seconds.
    """
    kept, temporary = (tmp_path_factory.mktemp(name) for name in ("kept", "temporary"))
    (kept / ".env").write_text("DATABASE_URL=nonsense\n")
    environment = {
        "HTTP_PROXY": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        "SLACK_CLIENT_ID": "1.2",
        "SLACK_CLIENT_SECRET": "secret",
        "PORT": "nonsense",
        "BOT_SECRET_KEYS": "nonsense",
    }
    return asyncio.run(visited(kept, temporary, **environment))


def test_it_serves_its_pages(visit: Visit) -> None:
    assert "and type /domains" in visit.said
    assert all("<html" in text for text in visit.pages)


def test_settings_and_proxies_of_the_machine_change_nothing(visit: Visit) -> None:
    assert "connected to the portfolio “northwind”" in visit.said


def test_an_open_browser_does_not_hold_up_its_end(visit: Visit) -> None:
    assert visit.outcome == (0, "")


def test_it_leaves_nothing_where_it_was_started(visit: Visit) -> None:
    assert visit.left == [".env"]
    assert visit.left_elsewhere == []


async def test_a_port_in_use_is_explained_in_a_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        async with playground(tmp_path, "--port", str(port)) as process:
            status, complaint = await ended(process)

    assert status == 1
    assert complaint.startswith(f"Port {port} on 127.0.0.1 is taken.")
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
