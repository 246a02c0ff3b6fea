"""What the tests of listeners share."""

from collections.abc import AsyncIterator

import pytest

from tests.listeners.running import AdminBot, Bot, running_admin_bot, running_bot


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    """A workspace without digests; the clock stands at noon."""
    async with running_bot(Bot) as bot:
        yield bot


@pytest.fixture
async def admin_bot() -> AsyncIterator[AdminBot]:
    """There is a key in use and one before it."""
    async with running_admin_bot() as bot:
        yield bot
