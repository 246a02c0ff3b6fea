"""A stage for all tests of a module."""

from collections.abc import AsyncIterator

import pytest
from nicegui.testing.user_simulation import user_simulation

from tests.playground.page.drawing.stage import Stage


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def stage(anyio_backend: str) -> AsyncIterator[Stage]:
    stage = Stage()
    async with user_simulation(lambda: stage.draw()) as stage.user:
        yield stage
