"""What all tests of pages share."""

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="package", autouse=True)
def frozen_garbage() -> Iterator[None]:
    """Let what `visiting` froze be collected again."""
    yield
    gc.unfreeze()
