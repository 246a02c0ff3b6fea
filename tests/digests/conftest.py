import pytest

from tests.digests.builders import Bot


@pytest.fixture
def bot() -> Bot:
    """Return the digests' part of a bot, with its store in memory."""
    return Bot()
