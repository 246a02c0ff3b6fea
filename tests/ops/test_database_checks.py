"""What the doctor says of a real PostgreSQL, and of what none in a test can be."""

import base64
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from bot.installations.directory import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.ops.doctor import check_stored
from bot.ops.doctor_store import (
    check_database,
    connections_finding,
    database_finding,
    processes_finding,
    tls_finding,
)
from bot.ops.output import Finding, Mark
from bot.ops.stores import PROCESS, DatabaseStore, Process
from bot.process_heartbeat import SharedProcesses
from bot.store.encryption import KeyRing, check_key_ring
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.snapshot import Facts
from bot.store.sqlite import Snapshot
from tests.ops.builders import ACME, an_installation
from tests.postgres import PostgresServer
from tests.store.postgres.pooler import pooled

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
RING = "k1:" + base64.b64encode(b"a" * 32).decode()
PASSWORD = "sesame-open"
ADDRESS = parse_address(f"postgresql://bot:{PASSWORD}@db.example/tracker?pool_size=10")
FACTS = Facts(
    version="16.2",
    is_near=False,
    is_encrypted=True,
    read_s=0.0004,
    documents=41,
    allowed=97,
    used=12,
)
WEB, WORKER, ALL = (Process(role=role) for role in ("web", "worker", "all"))


def store_at(url: str, **more: Any) -> DatabaseStore:
    return DatabaseStore(parse_address(url), migrations(), **{"watch_s": 0.01, **more})


def about(findings: list[Finding]) -> dict[str, Mark]:
    return {finding.about: finding.mark for finding in findings}


async def test_an_empty_database_is_well_and_nobody_runs(database: str) -> None:
    findings, snapshot = await check_database(store_at(database))

    names = ("DATABASE_URL", "TLS", "connections", "processes")
    assert about(findings) == dict.fromkeys(names, Mark.OK)
    assert "0 documents, its schema is up to date" in findings[0].said
    assert findings[-1].said == "none is running"
    assert snapshot is not None


async def test_a_database_without_tables_is_to_be_migrated(empty_database: str) -> None:
    (finding,), snapshot = await check_database(store_at(empty_database))

    assert finding.mark is Mark.FAIL
    assert "python -m bot migrate" in finding.mend
    assert snapshot is None


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://bot:{PASSWORD}@127.0.0.1:9/tracker",
        f"postgresql://bot:{PASSWORD}@/tracker?host=/nowhere",
    ],
    ids=["port", "socket"],
)
async def test_a_database_that_is_not_there_is_told_without_its_password(url: str) -> None:
    (finding,), snapshot = await check_database(store_at(url))

    assert finding.mark is Mark.FAIL
    assert "cannot connect to" in finding.said
    assert PASSWORD not in finding.line
    assert snapshot is None


async def test_a_wrong_database_is_told(database: str) -> None:
    place, _, rest = database.partition("?")

    (finding,), _ = await check_database(store_at(f"{place}x?{rest}"))

    assert "does not exist" in finding.said


async def test_living_processes_are_named_by_their_work(database: str) -> None:
    documents = await open_postgres(parse_address(database))
    web, killed = (SharedProcesses(documents, role=role, clock=lambda: NOW) for role in ROLES)
    await web.heartbeat()
    await killed.heartbeat()

    class Watching(DatabaseStore):
        async def pages(self, **more: Any) -> AsyncGenerator[Snapshot]:
            if more["kinds"] == {PROCESS}:
                await web.heartbeat()
            async with aclosing(super().pages(**more)) as pages:
                async for page in pages:
                    yield page

    watching = Watching(parse_address(database), migrations(), watch_s=0)
    findings, _ = await check_database(watching)
    await documents.close()

    assert findings[-1].line.startswith("FAIL  processes: only 1 web. No process delivers digests")


ROLES = ("web", "worker")


async def test_behind_a_pooler_the_connections_are_its_matter(database: str) -> None:
    findings, _ = await check_database(store_at(f"{database}&pool_mode=transaction"))

    assert "connections" not in about(findings)


async def test_a_pooler_that_the_address_does_not_name_is_told_of(
    postgres: PostgresServer, database: str
) -> None:
    if not postgres.can_restart:
        pytest.skip("the pooler of the tests knows no passwords")
    async with pooled(parse_address(database)) as (url, _):
        findings, _ = await check_database(store_at(url))

    (said,) = [each for each in findings if each.about == "connections"]
    assert said.mark is Mark.WARN
    assert "Add pool_mode=transaction to DATABASE_URL." in said.line


async def test_what_is_sealed_and_installed_is_seen_and_nothing_else_is_read(
    database: str,
) -> None:
    documents, ring = await open_postgres(parse_address(database)), KeyRing.parse(RING)
    await check_key_ring(documents, ring)
    await InstallationRepository(documents, ring).put(an_installation())
    await InstallationRepository(documents, ring).put(replace(an_installation(ACME), tokens=None))
    await documents.put("-.T1/digest/d1", {"text": "sealed"})
    await documents.put("-.T1/kept/U1/a", {"sealed": "v1.k1.AAAA"})
    await documents.close()

    _, snapshot = await check_database(store_at(database))

    assert snapshot is not None
    assert snapshot.keys == ("-.T1/installation", "-.T1/kept/U1/a", "meta/key-check")


async def test_the_doctor_reads_the_keys_of_the_setting(database: str) -> None:
    documents = await open_postgres(parse_address(database))
    await check_key_ring(documents, KeyRing.parse(RING))
    await documents.close()
    store = store_at(database)

    well = await check_stored(store, RING, None)
    wrong = await check_stored(store, None, None)

    assert well[-1].line == (
        "ok    BOT_SECRET_KEYS: BOT_SECRET_KEYS opens the only sealed text; keys in use: k1."
    )
    assert wrong[-1].mark is Mark.FAIL


def test_how_it_answers_is_said_in_one_line() -> None:
    assert database_finding(ADDRESS, FACTS).line == (
        "ok    DATABASE_URL: db.example, database tracker answers in 0.4 ms; PostgreSQL 16.2, 41"
        " documents, its schema is up to date."
    )


@pytest.mark.parametrize(
    ("finding", "mark", "said"),
    [
        (lambda: database_finding(ADDRESS, replace(FACTS, version="13.4")), Mark.WARN, "14 or"),
        (lambda: database_finding(ADDRESS, replace(FACTS, version="18beta1")), Mark.OK, "18beta1"),
        (lambda: database_finding(ADDRESS, replace(FACTS, read_s=0.2)), Mark.WARN, "close to"),
        (lambda: tls_finding(replace(FACTS, is_encrypted=False)), Mark.WARN, "sslmode"),
        (lambda: tls_finding(replace(FACTS, is_encrypted=False, is_near=True)), Mark.OK, "not"),
        (lambda: tls_finding(FACTS), Mark.OK, "encrypted"),
    ],
    ids=["old", "new", "slow", "open", "near", "encrypted"],
)
def test_what_is_not_so_well_is_a_warning(
    finding: Callable[[], Finding], mark: Mark, said: str
) -> None:
    assert finding().mark is mark
    assert said in finding().line


@pytest.mark.parametrize(
    ("used", "allowed", "running", "mark"),
    [
        (12, 97, [], Mark.OK),
        (88, 97, [], Mark.WARN),
        (87, 97, [], Mark.OK),
        (90, 97, [WEB, WORKER] * 4, Mark.OK),
        (90, 97, [WEB, WORKER] * 5, Mark.WARN),
        (1, 10, [ALL], Mark.OK),
        (1, 9, [ALL], Mark.WARN),
    ],
)
def test_each_process_needs_its_pool(
    used: int, allowed: int, running: list[Process], mark: Mark
) -> None:
    facts = replace(FACTS, used=used, allowed=allowed)

    assert connections_finding(ADDRESS, facts, running).mark is mark


@pytest.mark.parametrize(
    ("running", "line"),
    [
        ([], "ok    processes: none is running."),
        ([ALL], "ok    processes: 1 all."),
        ([WEB, WORKER, WEB], "ok    processes: 2 web, 1 worker."),
        ([WEB], "FAIL  processes: only 1 web. No process delivers digests: start"),
        ([WORKER], "FAIL  processes: only 1 worker. No process answers Slack: start"),
        ([Process(role="?")], "ok    processes: 1 ?."),
    ],
    ids=["nobody", "all in one", "both", "web only", "worker only", "of another version"],
)
def test_each_kind_of_work_needs_somebody(running: list[Process], line: str) -> None:
    assert processes_finding(running).line.startswith(line)
