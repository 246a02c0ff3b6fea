"""Fixtures for every test. Fakes live in tests/fakes.py; test data is built where it is read."""

import os

import pytest
from hypothesis import settings

OURS = (
    *("SLACK_", "BOT_", "DOMAIN_TRACKER_", "LOG_"),
    *("DATABASE_URL", "PORT", "HOST", "EGRESS_IPS", "TICK_SECONDS"),
)
# A busy machine is no reason to fail: what must be fast has a test of its own.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio only: Bolt supports nothing else."""
    return "asyncio"


@pytest.fixture(autouse=True)
def no_settings_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the developer's own settings: Bolt reads SLACK_* by itself, and may change mode."""
    for name in [name for name in os.environ if name.startswith(OURS)]:
        monkeypatch.delenv(name)
