"""Fixtures for every test. Fakes live in tests/fakes.py; test data is built where it is read."""

import asyncio
import gc
import logging
import os
from collections.abc import Generator, Iterator

import certifi
import pytest
from aiohttp import web_app
from hypothesis import HealthCheck, settings

from bot.jobs.queue_jobs import migrations
from bot.store.postgres.address import parse_address
from bot.store.postgres.migrations import migrate
from tests.fakes import TIME_LIMIT_S, FakeClock
from tests.memory import MemoryDocuments
from tests.postgres import MigratedDatabases, PostgresServer, running_postgres

SETTINGS = (
    *("SLACK_", "BOT_", "DOMAIN_TRACKER_", "LOG_"),
    *("DATABASE_URL", "PORT", "HOST", "EGRESS_IPS", "TICK_SECONDS", "METRICS_TOKEN"),
)
# What a person hears while they wait, and what the bot does when its store or Slack is slow, have
# tests of their own: elsewhere nothing depends on these, however busy the machine is.
WAITS = (
    "bot.store.deduplication.ASKED_WITHIN_S",
    "bot.installations.authorize.KNOWN_WITHIN_S",
    "bot.installations.listeners.ANSWERED_WITHIN_S",
    "bot.digests.form_listeners.COUNT_WITHIN_S",
    "bot.dispatch.error_boundary.FIRST_WORD_AFTER_S",
    "bot.dispatch.error_boundary.FIRST_WORD_IN_HOME_AFTER_S",
    "bot.home.listeners.FIRST_DRAW_AFTER_S",
    "bot.dispatch.error_boundary.TOLD_WITHIN_S",
    "bot.dispatch.router.DRAWN_AGAIN_AFTER_S",
    "bot.dispatch.router.OPTIONS_WITHIN_S",
    "bot.domains.kept_facts.ANSWERED_WITHIN_S",
    "bot.domains.service.ASKED_WITHIN_S",
    "bot.tracker.shared_limits.ANSWERED_WITHIN_S",
)
END = "-----END CERTIFICATE-----\n"
REAL_TIME_LIMIT_S = 600  # with processes that start slowly on a busy machine
# A busy machine is no reason to fail: what must be fast has a test of its own. The examples are
# the same in each run, so that a commit has one verdict; `make seeds` looks for others.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fixed", patient, derandomize=True)
settings.register_profile("explore", patient, max_examples=1_000, print_blob=True)
settings.load_profile("fixed")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected, and never look at what is there then.

    Everything that is made lives as long as the run: a fifth of the time went into seeing so,
    and more later, whenever a test made enough for another look.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark what needs PostgreSQL or a browser: their clocks are their own."""
    parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
    if (
        "postgres" in getattr(item, "fixturenames", ())
        or {"postgres", "shared"} & {each for each in parameters if isinstance(each, str)}
        or item.get_closest_marker("browser")
    ):
        item.add_marker(pytest.mark.real_time)
    if item.get_closest_marker("real_time"):
        item.add_marker(pytest.mark.timeout(REAL_TIME_LIMIT_S))


@pytest.fixture
def anyio_backend() -> str:
    """Run async tests on asyncio only: Bolt supports nothing else."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let clients and processes believe one authority, as no one here speaks TLS.

    To load all 140 takes 20 to 90 ms of the processor each time.
    """
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(certifi.contents().partition(END)[0] + END)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(autouse=True)
def forgotten_servers() -> Iterator[None]:
    """Let go of a test's servers: aiohttp (3.14) keeps 1,024 handlers, each with its workspace."""
    yield
    web_app._cached_build_middleware.cache_clear()


@pytest.fixture(autouse=True)
def own_log_settings() -> Iterator[None]:
    """Take back what a test set up for the log, as the next one may look at what is logged."""
    root = logging.getLogger()
    handlers, levels = root.handlers[:], {each: each.level for each in _loggers()}
    yield
    root.handlers[:] = handlers
    for logger in _loggers():
        if logger.level != levels.get(logger, logging.NOTSET):
            logger.setLevel(levels.get(logger, logging.NOTSET))


def _loggers() -> list[logging.Logger]:
    known = logging.root.manager.loggerDict.values()
    return [logging.root, *(each for each in known if isinstance(each, logging.Logger))]


@pytest.fixture(autouse=True)
def patient_bot(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the bot wait in real time as long as a test may take; a test of a wait sets its own."""
    if request.node.get_closest_marker("real_time"):
        for wait in WAITS:
            monkeypatch.setattr(wait, TIME_LIMIT_S)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def documents() -> MemoryDocuments:
    return MemoryDocuments()


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Start a PostgreSQL when the first test asks for one, and stop it with the run."""
    with running_postgres() as server:
        yield server


@pytest.fixture
def empty_database(postgres: PostgresServer) -> Iterator[str]:
    """Return the address of a database with nothing in it, of this test alone."""
    with postgres.database() as url:
        yield url


@pytest.fixture(scope="session")
def migrated_databases(postgres: PostgresServer) -> Iterator[MigratedDatabases]:
    """Make a database with all tables; return what copies it, and empties the copies."""
    with postgres.database() as url:
        asyncio.run(migrate(parse_address(url), migrations()))
        databases = MigratedDatabases(postgres, url)
        yield databases
        databases.close()


@pytest.fixture
def database(migrated_databases: MigratedDatabases) -> Iterator[str]:
    """Return the address of a database with all tables and no rows, of this test alone."""
    with migrated_databases.database() as url:
        yield url


@pytest.fixture(autouse=True)
def no_settings_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the developer's own: Bolt reads SLACK_* by itself, clients would ask a proxy."""
    for name in [*os.environ]:
        if name.startswith(SETTINGS) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
