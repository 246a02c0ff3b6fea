"""What the doctor says of a real PostgreSQL, and of what none in a test can be."""

import base64
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.ops.doctor_store import check_database, database_finding
from bot.ops.output import Finding, Mark
from bot.ops.stores import DatabaseStore
from bot.store.encryption import KeyRing, check_key_ring
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.pool import connected
from bot.store.postgres.snapshot import Facts
from bot.store.snapshot import Page
from tests.ops.builders import ACME, an_installation
from tests.stores import keys_of

pytestmark = pytest.mark.anyio

RING = "k1:" + base64.b64encode(b"a" * 32).decode()
FACTS = Facts(version="16.2", read_s=0.0004, documents=41)


def store_at(url: str) -> DatabaseStore:
    return DatabaseStore(parse_address(url), migrations())


def about(findings: list[Finding]) -> dict[str, Mark]:
    return {finding.about: finding.mark for finding in findings}


FULL = """
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = 'disk_full'; END$$;
    CREATE TRIGGER refuse BEFORE INSERT ON document EXECUTE FUNCTION refuse();
"""
READ_ONLY = """DO $$BEGIN EXECUTE format(
    'ALTER DATABASE %I SET default_transaction_read_only = on', current_database()
); END$$"""


@pytest.mark.parametrize(
    ("trouble", "said"),
    [(FULL, "DiskFull: no space left"), (READ_ONLY, "read-only transaction")],
    ids=["full", "read-only"],
)
async def test_a_database_that_answers_but_takes_no_writes_is_a_failure(
    database: str, trouble: str, said: str
) -> None:
    found, _ = await check_database(store_at(database))
    async with await connected(parse_address(database)) as connection:
        await connection.execute(trouble.encode())

    (refused, *rest), snapshot = await check_database(store_at(database))

    assert refused.mark is Mark.FAIL
    assert said in refused.said
    assert about(rest) == about(found), "it hides nothing"
    assert snapshot == Page(), "the check leaves nothing behind"


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
    assert keys_of(snapshot) == ("-.T1/installation", "-.T1/kept/U1/a", "meta/key-check")


@pytest.mark.parametrize(
    ("finding", "mark", "said"),
    [
        (lambda: database_finding("db", replace(FACTS, version="13.4")), Mark.WARN, "14 or"),
        (lambda: database_finding("db", replace(FACTS, version="18beta1")), Mark.OK, "18beta1"),
        (lambda: database_finding("db", replace(FACTS, read_s=0.2)), Mark.WARN, "close to"),
    ],
    ids=["old", "new", "slow"],
)
def test_what_is_not_so_well_is_a_warning(
    finding: Callable[[], Finding], mark: Mark, said: str
) -> None:
    assert finding().mark is mark
    assert said in finding().line
