"""Whole-bot tests run in one of three modes, or in several where their differences matter.

"socket": in Socket Mode one process does it all on the embedded store. "http": the same process
over signed HTTP. "shared": a `web` and a `worker` share a PostgreSQL. `pytest.mark.modes` of a
test, or of its module, says in which it runs.
"""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import certifi
import pytest
from aiohttp import web_app

from tests.whole.town import Town, running_town

END = "-----END CERTIFICATE-----\n"


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


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let clients and processes believe one authority, as nobody here speaks TLS.

    To load all 140 takes 20 to 90 ms of the processor each time.
    """
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(certifi.contents().partition(END)[0] + END)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(autouse=True)
def forgotten_servers() -> Iterator[None]:
    """Let go of the servers of a test: aiohttp (3.14) keeps 1,024 handlers, and a town by each."""
    yield
    web_app._cached_build_middleware.cache_clear()


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
