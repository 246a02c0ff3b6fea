"""Whole-bot tests run in one of three ways, or in several where their differences matter.

"socket": in Socket Mode one process does it all on the embedded store. "http": the same process
over signed HTTP. "shared": a `web` and a `worker` share a PostgreSQL. `pytest.mark.transports`
of a test, or of its module, says in which it runs.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.virtual_time.late_store import late_store
from tests.whole.harness import Harness, running_harness


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test over each of its transports."""
    marker = metafunc.definition.get_closest_marker("transports")
    if marker and "transport" in metafunc.fixturenames:
        metafunc.parametrize("transport", marker.args, indirect=True)


@pytest.fixture
def transport(request: pytest.FixtureRequest) -> str:
    """Return what `settings_for` takes."""
    assert hasattr(request, "param"), "let `pytest.mark.transports` say in which it runs"
    if request.param == "shared":
        return str(request.getfixturevalue("database"))
    return str(request.param)


@pytest.fixture(autouse=True)
def store_as_the_seed_draws_it() -> Iterator[None]:
    with late_store():
        yield


@pytest.fixture
async def app(tmp_path: Path, transport: str) -> AsyncIterator[Harness]:
    """A bot in a workspace that has no key yet."""
    async with running_harness(tmp_path, transport) as app:
        yield app


@pytest.fixture
async def ready(app: Harness) -> Harness:
    """A workspace with a key, and three domains in its portfolio."""
    app.account.add("shop.example", health=41, tags=("prod", "eu"), folder="Web shops")
    app.account.add("www.example", health=97, tags=("prod",), folder="Sites")
    app.account.add("new.example", health=None)
    await app.connect()
    app.tracker.requests.clear()
    return app
