"""Whole-bot tests run in both modes, on both stores.

In Socket Mode one process does it all on the embedded store; over signed HTTP a `web` and a
`worker` share a PostgreSQL.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.whole.town import Town, running_town


@pytest.fixture(params=["socket", "shared"])
def mode(request: pytest.FixtureRequest) -> str:
    """Return what `settings_for` takes."""
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
