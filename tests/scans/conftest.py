"""What the tests of scans share."""

import pytest

from tests.scans.bulk_bot import Bot


@pytest.fixture
def bot() -> Bot:
    return Bot()
