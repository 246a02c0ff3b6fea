"""What the tests of the Home tab share."""

import pytest

from tests.builders import a_domain
from tests.listeners.running import Bot


@pytest.fixture
def bot(bot: Bot) -> Bot:
    """A workspace with two domains; no one has opened Home."""
    bot.lists.domains = (a_domain(), a_domain("www.example", 97))
    return bot
