"""Whole-bot tests run in one of three modes, or in several where their differences matter.

"socket": in Socket Mode one process does it all on the embedded store. "http": the same process
over signed HTTP. "shared": a `web` and a `worker` share a PostgreSQL. `pytest.mark.modes` of a
test, or of its module, says in which it runs.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.whole.town import Town, running_town


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test in each of its modes."""
    marker = metafunc.definition.get_closest_marker("modes")
    if marker and "mode" in metafunc.fixturenames:
        metafunc.parametrize("mode", marker.args, indirect=True)


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> str:
    """Return what `settings_for` takes."""
    assert hasattr(request, "param"), "let `pytest.mark.modes` say in which it runs"
    if request.param == "shared":
        return str(request.getfixturevalue("database"))
    return str(request.param)


@pytest.fixture
async def town(tmp_path: Path, mode: str) -> AsyncIterator[Town]:
    """A bot in a workspace that has no key yet."""
    async with running_town(tmp_path, mode) as town:
        yield town


@pytest.fixture
async def shop(town: Town) -> Town:
    """A workspace with a key, and three domains in its portfolio."""
    town.acme.add("shop.example", health=41, tags=("prod", "eu"), folder="Web shops")
    town.acme.add("www.example", health=97, tags=("prod",), folder="Sites")
    town.acme.add("new.example", health=None)
    await town.connect()
    town.tracker.requests.clear()
    return town
