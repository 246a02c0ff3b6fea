import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.ops.doctor_store import check_disk, check_store, disk_warning, ring_finding
from bot.ops.output import Mark
from bot.store.documents import Document
from bot.store.encryption import KeyRing, RingSource, associated_data, check_key_ring
from bot.store.sqlite import Snapshot, open_sqlite
from bot.workspace import WorkspaceId
from tests.builders import KEY
from tests.store.test_encryption import a_ring

pytestmark = pytest.mark.anyio

ACME = WorkspaceId("T1")
OLD, BOTH, NEW = a_ring("k1"), a_ring("k2", "k1"), a_ring("k2")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bot.sqlite"


def a_sealed(ring: KeyRing, workspace: WorkspaceId = ACME) -> Document:
    sealed = ring.encrypt(KEY, associated_data("api-key", ACME))
    return Document(f"{workspace}/key", {"sealed": sealed}, 1, None)


def names_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


async def make_store(path: Path) -> None:
    store = await open_sqlite(path)
    await check_key_ring(store, OLD)
    await store.close()


def add_nonsense(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO docs VALUES ('-.T1/digest/d1', 'nonsense')")


def cover(path: Path) -> None:
    path.write_bytes(b"no database " * 100)


async def test_a_store_that_nobody_uses_is_well(path: Path) -> None:
    await make_store(path)

    (finding,), snapshot = await check_store(path)

    assert finding.mark is Mark.OK
    assert "1 document, not used by any process" in finding.said
    assert snapshot is not None
    assert snapshot.keys == ("meta/key-check",)


@pytest.mark.parametrize(
    "place", ["/proc/none/bot.sqlite", "/proc/bot.sqlite", "/dev/null/x.sqlite"]
)
async def test_a_store_that_cannot_be_made_is_a_failure_for_root_too(place: str) -> None:
    (finding,), _ = await check_store(Path(place))

    assert finding.mark is Mark.FAIL
    assert "cannot be made" in finding.said


async def test_to_try_whether_a_store_can_be_made_leaves_nothing(tmp_path: Path) -> None:
    (finding,), _ = await check_store(tmp_path / "new" / "folder" / "bot.sqlite")

    assert finding.mark is Mark.OK
    assert names_in(tmp_path) == []


async def test_whoever_uses_it_is_named(path: Path) -> None:
    store = await open_sqlite(path)

    (finding,), _ = await check_store(path)
    await store.close()

    assert finding.mark is Mark.OK
    assert "used by process" in finding.said


async def test_a_store_that_can_be_made_is_well_and_is_not_made(path: Path) -> None:
    (finding,), snapshot = await check_store(path.parent / "a" / "b" / "bot.sqlite")

    assert finding.mark is Mark.OK
    assert "is not there yet" in finding.said
    assert snapshot == Snapshot()
    assert not path.with_name("a").exists()


async def test_a_store_below_a_file_cannot_be_made(path: Path) -> None:
    await make_store(path)

    (finding,), _ = await check_store(path / "bot.sqlite")

    assert finding.mark is Mark.FAIL
    assert "cannot be made" in finding.said
    assert finding.mend


async def test_what_is_no_store_is_a_failure(path: Path) -> None:
    cover(path)

    (finding,), snapshot = await check_store(path)

    assert finding.mark is Mark.FAIL
    assert "backup" in finding.mend
    assert snapshot is None


async def test_a_document_that_nobody_can_read_is_named(path: Path) -> None:
    await make_store(path)
    add_nonsense(path)

    (finding,), _ = await check_store(path)

    assert finding.mark is Mark.FAIL
    assert "digest/d1 of T1" in finding.said


def test_a_ring_that_opens_everything_is_well_and_its_keys_are_named() -> None:
    finding = ring_finding(RingSource(BOTH), [a_sealed(OLD), a_sealed(BOTH)])

    assert finding.mark is Mark.OK
    assert finding.said == "BOT_SECRET_KEYS opens all 2 sealed texts; keys in use: k1, k2"


def test_one_text_or_none_reads_well_too() -> None:
    one = ring_finding(RingSource(NEW), [a_sealed(NEW)])
    none = ring_finding(RingSource(NEW), [])

    assert one.said == "BOT_SECRET_KEYS opens the only sealed text; keys in use: k2"
    assert none.said == "BOT_SECRET_KEYS is there; nothing is sealed yet"


def test_a_key_that_nothing_needs_can_go() -> None:
    finding = ring_finding(RingSource(BOTH), [a_sealed(BOTH)])

    assert finding.said.endswith("keys in use: k2; no longer needed: k1")


DAMAGED = "damaged, or moved there from another place"
UNKNOWN = "of a kind that this version of the bot does not know"


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (a_sealed(OLD), "the API key of T1: sealed with the key k1, which is missing"),
        (a_sealed(NEW, WorkspaceId("T2")), f"the API key of T2: {DAMAGED}"),
        (Document("-.T1/key", {"sealed": 5}, 1, None), f"the API key of T1: {DAMAGED}"),
        (
            Document("-.T1/x", {"sealed": NEW.encrypt("a", "x")}, 1, None),
            f"x (sealed) of T1: {UNKNOWN}",
        ),
        (Document("nowhere/key", {"sealed": "v1.k2.AAAA"}, 1, None), f"key (sealed): {UNKNOWN}"),
        (Document("meta/key-check", {"k2": "v1.k2.AA"}, 1, None), f"knows its keys: {DAMAGED}"),
    ],
    ids=["of a key that is missing", "moved", "no text", "unknown", "no place", "note"],
)
def test_what_the_ring_does_not_open_is_named_without_its_content(
    document: Document, said: str
) -> None:
    finding = ring_finding(RingSource(NEW), [document])

    assert finding.mark is Mark.FAIL
    assert said in finding.said
    assert KEY not in finding.line
    assert "Put the missing or earlier one back" in finding.mend


def test_before_the_first_start_no_key_is_missing(path: Path) -> None:
    finding = ring_finding(RingSource(None, path.with_name("bot.sqlite.key")), [])

    assert finding.mark is Mark.OK
    assert "bot.sqlite.key" in finding.said


def test_a_key_file_that_is_gone_is_a_failure(path: Path) -> None:
    source = RingSource(None, path.with_name("bot.sqlite.key"))

    finding = ring_finding(source, [a_sealed(OLD)])

    assert finding.mark is Mark.FAIL
    assert "the keys named k1" in finding.mend


def test_a_dynos_disk_is_a_warning_and_other_hosts_are_none() -> None:
    warning = check_disk({"DYNO": "web.1"})

    assert warning is not None
    assert warning.mark is Mark.WARN
    assert check_disk({"HOME": "/"}) is None


def test_a_bot_that_starts_says_the_same_in_its_log() -> None:
    warning, logged = check_disk({"DYNO": "web.1"}), disk_warning({"DYNO": "web.1"})

    assert warning is not None
    assert logged is not None
    assert logged in warning.line
    assert disk_warning({"HOME": "/"}) is None
