import pytest

from tests.installations.builders import Registry


@pytest.fixture
def registry() -> Registry:
    return Registry()
