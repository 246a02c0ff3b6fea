"""Run tests in virtual time. Loaded with `-p`, before the bot and the libraries.

A test that needs what is outside this process is marked `real_time`.
"""

from collections.abc import Generator

import pytest

from tests.virtual_time import clock

clock.install()

import asyncio  # noqa: E402
from asyncio import unix_events  # noqa: E402

from tests.virtual_time.loop import VirtualLoop  # noqa: E402

asyncio.SelectorEventLoop = VirtualLoop  # type: ignore[misc]
unix_events._UnixDefaultEventLoopPolicy._loop_factory = VirtualLoop  # type: ignore[attr-defined]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seed", default="0", help="what comes late in virtual time; or `real`")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    clock.use(clock_of(item))
    try:
        return (yield)
    finally:
        clock.use(None)


def clock_of(item: pytest.Item) -> clock.VirtualClock | None:
    seed = item.config.getoption("--seed")
    if seed == "real" or item.get_closest_marker("real_time"):
        return None
    return clock.VirtualClock(int(seed), item.nodeid)
