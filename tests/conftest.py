"""Fixtures for every test. Fakes live in tests/fakes.py; test data is built where it is read."""

import os

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio only: Bolt supports nothing else."""
    return "asyncio"


@pytest.fixture(autouse=True)
def no_settings_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the developer's own settings: Bolt reads SLACK_* by itself, and changes mode for some."""
    ours = ("SLACK_", "BOT_", "DOMAIN_TRACKER_", "DATABASE_URL", "PORT", "HOST", "LOG_")
    for name in [name for name in os.environ if name.startswith(ours)]:
        monkeypatch.delenv(name)
