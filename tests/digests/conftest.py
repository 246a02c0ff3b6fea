import pytest

from tests.digests.office import Office


@pytest.fixture
def office() -> Office:
    return Office()
