"""Every store, for several processes to share; what each of them has is in `processes.py`."""

import pytest

from tests.fakes import FakeClock
from tests.store.conftest import documents as documents
from tests.store.conftest import needed as needed


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()
