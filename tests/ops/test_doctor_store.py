"""

What the doctor says of a real PostgreSQL.
"""

import asyncio
import base64
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.installations.repository import InstallationRepository
from bot.jobs.queue_jobs import migrations
from bot.ops.doctor import check_database, check_store, ring_finding
from bot.ops.output import Mark
from bot.process.workspace import WorkspaceId
from bot.store.documents import Document
from bot.store.encryption import KeyRing, RingSource, associated_data, check_key_ring
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import open_postgres
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore
from bot.store.sqlite import open_sqlite
from tests.builders import KEY
from tests.installations.builders import an_installation
from tests.store.test_encryption import a_ring

ACME = WorkspaceId("T1")
OLD, BOTH, NEW = a_ring("k1"), a_ring("k2", "k1"), a_ring("k2")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.sqlite"


def a_sealed(ring: KeyRing, workspace: WorkspaceId = ACME) -> Document:
    sealed = ring.encrypt(KEY, associated_data("api-key", ACME))
    return Document(f"{workspace}/key", {"sealed": sealed}, 1, None)


async def make_store(path: Path) -> None:
    store = await open_sqlite(path)
    await check_key_ring(store, OLD)
    await store.close()


def add_nonsense(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO docs VALUES ('-.T1/digest/d1', 'nonsense')")


async def test_a_store_that_can_be_made_is_well_and_is_not_made(path: Path) -> None:
    finding, documents = await check_store(FileStore(path.parent / "a" / "b" / "bot.sqlite"))

    assert finding.mark is Mark.OK
    assert "is not there yet" in finding.detail
    assert documents == ()
    assert not path.with_name("a").exists()


async def test_a_file_that_went_under_a_running_bot_is_a_failure(path: Path) -> None:
    await make_store(path)
    running = await open_sqlite(path)
    await asyncio.to_thread(path.unlink)

    finding, documents = await check_store(FileStore(path))

    assert finding.mark is Mark.FAIL
    assert f"is gone, and process {os.getpid()} uses it" in finding.detail
    assert documents is None
    await running.close()


async def test_an_unreadable_document_is_named(path: Path) -> None:
    await make_store(path)
    add_nonsense(path)

    finding, _ = await check_store(FileStore(path))

    assert finding.mark is Mark.FAIL
    assert "-.T1/digest/d1" in finding.detail


def test_a_ring_that_opens_everything_is_well_and_its_keys_are_named() -> None:
    finding = ring_finding(RingSource(BOTH), [a_sealed(OLD), a_sealed(BOTH)])

    assert finding.mark is Mark.OK
    assert (
        finding.detail
        == "BOT_SECRET_KEYS decrypts all that is sealed (2 secrets); keys in use: k1, k2"
    )


async def test_the_store_s_own_note_is_no_secret_of_anybody(path: Path) -> None:
    await make_store(path)
    _, empty = await check_store(FileStore(path))

    assert empty is not None
    assert "(0 secrets)" in ring_finding(RingSource(OLD), empty).detail
    assert "(1 secret)" in ring_finding(RingSource(OLD), [*empty, a_sealed(OLD)]).detail


DAMAGED = "damaged, or moved there from another document"
UNKNOWN = "of a kind that this version of the bot does not know"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (a_sealed(OLD), "-.T1/key (sealed): sealed with the key k1, which is missing"),
        (a_sealed(NEW, WorkspaceId("T2")), f"-.T2/key (sealed): {DAMAGED}"),
        (Document("-.T1/key", {"sealed": 5}, 1, None), f"-.T1/key (sealed): {DAMAGED}"),
        (
            Document("-.T1/x", {"sealed": NEW.encrypt("a", "x")}, 1, None),
            f"-.T1/x (sealed): {UNKNOWN}",
        ),
        (
            Document("nowhere/key", {"sealed": "v1.k2.AAAA"}, 1, None),
            f"nowhere/key (sealed): {UNKNOWN}",
        ),
        (
            Document("meta/key-check", {"k2": "v1.k2.AA"}, 1, None),
            f"meta/key-check (k2): {DAMAGED}",
        ),
    ],
    ids=["of a key that is missing", "moved", "no text", "unknown", "no place", "note"],
)
def test_a_document_that_no_key_opens_is_named(document: Document, said: str) -> None:
    finding = ring_finding(RingSource(NEW), [document])

    assert finding.mark is Mark.FAIL
    assert said in finding.detail
    assert KEY not in finding.line
    assert "Put the missing or earlier one back" in finding.hint


def test_a_key_file_that_is_gone_is_a_failure(path: Path) -> None:
    source = RingSource(None, path.with_name("bot.sqlite.key"))

    finding = ring_finding(source, [a_sealed(OLD)])

    assert finding.mark is Mark.FAIL
    assert "the keys named k1" in finding.hint


RING = "k1:" + base64.b64encode(b"a" * 32).decode()


def store_at(url: str) -> DatabaseStore:
    return DatabaseStore(parse_address(url), migrations())


async def test_only_secrets_and_installations_are_read(database: str) -> None:
    documents, ring = await open_postgres(parse_address(database)), KeyRing.parse(RING)
    await check_key_ring(documents, ring)
    await InstallationRepository(documents, ring).put(an_installation())
    await documents.put("-.T1/digest/d1", {"text": "sealed"})
    await documents.put("-.T1/kept/U1/a", {"sealed": "v1.k1.AAAA"})
    await documents.close()

    finding, found = await check_database(store_at(database))

    assert finding.mark is Mark.OK
    assert tuple(each.key for each in found or ()) == (
        "-.T1/installation",
        "-.T1/kept/U1/a",
        "meta/key-check",
    )
