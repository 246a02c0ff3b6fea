"""Run tests in virtual time. Loaded with `-p`, before the bot and the libraries.

A test that needs what is outside this process is marked `real_time`. `--seeds 1-20,real` runs
each test under those seeds, and once in real time; by default each runs with nothing late, and
under the seeds in `FOUND`.
"""

import re
from collections.abc import Generator

import pytest

from tests.virtual_time import clock

clock.install()

import asyncio  # noqa: E402
from asyncio import unix_events  # noqa: E402

from tests.virtual_time.found import FOUND  # noqa: E402
from tests.virtual_time.loop import VirtualLoop  # noqa: E402

asyncio.SelectorEventLoop = VirtualLoop
unix_events._UnixDefaultEventLoopPolicy._loop_factory = VirtualLoop  # type: ignore[attr-defined]
REAL = "real"
REPLAY = "PYTHONHASHSEED=0 .venv/bin/python -m pytest --seeds {} '{}'"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=_seeds, help="of what comes late: 7, 1-20, real, …")


def _seeds(text: str) -> list[str]:
    parts = [part.partition("-") for part in text.split(",")]
    return [
        seed
        for first, _, last in parts
        for seed in ([first] if not last else map(str, range(int(first), int(last) + 1)))
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    found = FOUND.get(metafunc.definition.name, ())
    seeds = metafunc.config.getoption("--seeds") or [*(["0"] if found else ()), *map(str, found)]
    if seeds:
        metafunc.fixturenames.append("seed")
        metafunc.parametrize("seed", seeds, ids=lambda seed: f"seed_{seed}", indirect=True)


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> str:
    """Return by which the running test draws what comes late; see `pytest_generate_tests`."""
    return str(request.param)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    drawn_by = parameters.get("seed", "0")
    if drawn_by != REAL and not item.get_closest_marker("real_time"):
        clock.use(clock.VirtualClock(int(drawn_by), item.nodeid))
    try:
        return (yield)
    finally:
        clock.use(None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how each failure under a seed is seen again."""
    reports = [*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")]
    for name in dict.fromkeys(report.nodeid for report in reports):
        if named := re.search(r"\bseed_(\w+)", name.partition("[")[2]):
            terminalreporter.line("again: " + REPLAY.format(named[1], name))
