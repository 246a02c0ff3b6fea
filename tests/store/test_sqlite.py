"""What only the SQLite store has to show: files, faults, restarts."""

import asyncio
import gc
import os
import pickle
import random
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest

from bot.store.documents import ConflictError, StoreError
from bot.store.files import make_private_database
from bot.store.sqlite import SqliteDocuments, open_sqlite
from tests.fakes import TIME_LIMIT_S

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def run_sql(path: Path, sql: str, *values: object) -> None:
    """Do what another program could do to the file."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(sql, values)


def a_file(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)


def spoil(path: Path) -> None:
    """Damage the file, and let others read it."""
    path.chmod(0o644)
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 40_000)


def mode_of(path: Path) -> str:
    return oct(path.stat().st_mode & 0o777)


def content_of(path: Path) -> bytes:
    files = path.iterdir() if path.is_dir() else [path]
    return b"".join(file.read_bytes() for file in files)


async def asked(store: SqliteDocuments, sql: str) -> Any:
    row = await store.run(lambda rows: rows.conn.select_one(sql))
    return row and row[0]


async def test_writes_are_flushed_to_the_disk(sqlite: SqliteDocuments) -> None:
    assert await asked(sqlite, "PRAGMA synchronous") == 2
    assert await asked(sqlite, "PRAGMA journal_mode") == "wal"
    assert await asked(sqlite, "PRAGMA secure_delete") == 1
    assert await asked(sqlite, "PRAGMA busy_timeout") == 5000


@pytest.fixture
def careless_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("careless_umask")
async def test_all_its_files_are_private_whatever_the_umask(path: Path) -> None:
    store = await open_sqlite(path)
    await store.put("-.T1/key", {})

    modes = {file.name: mode_of(file) for file in path.parent.iterdir()}
    await store.close()

    names = ["bot.sqlite", "bot.sqlite-shm", "bot.sqlite-wal", "bot.sqlite.lock"]
    assert modes == dict.fromkeys(names, "0o600")
    assert mode_of(path.parent) == "0o700"


def test_a_file_that_a_crash_left_is_made_private(tmp_path: Path) -> None:
    left = tmp_path / "bot.sqlite-wal"
    left.touch(mode=0o644)

    make_private_database(tmp_path / "bot.sqlite")

    assert mode_of(left) == "0o600"


async def test_a_forgotten_workspace_leaves_no_trace(sqlite: SqliteDocuments, path: Path) -> None:
    dice = random.Random(5)  # without VACUUM, SQLite 3.40 keeps two keys after these writes
    for _ in range(400):
        team = dice.randrange(2)
        value = {"of": f"workspace {team}", "x": "x" * dice.choice([10, 300, 900])}
        key = f"E1.T{team}/scan/{dice.randrange(150)}"
        await sqlite.put(key, value)
        if dice.random() < 0.1:
            await sqlite.delete(key)

    await sqlite.delete_prefix("E1.T0/")

    content = content_of(path.parent)
    assert b"E1.T1/" in content
    assert b"E1.T0/" not in content
    assert b"workspace 0" not in content


class Bomb:
    """Pickled, it makes a file wherever somebody unpickles it."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self._path,)


async def test_a_planted_pickle_is_an_error_and_runs_nothing(path: Path, tmp_path: Path) -> None:
    store = await open_sqlite(path)
    row = pickle.dumps(Bomb(tmp_path / "exploded"))
    run_sql(path, "INSERT INTO docs VALUES ('-.T1/key', ?)", row)

    with pytest.raises(StoreError, match=r"'-\.T1/key' cannot be read"):
        await store.get("-.T1/key")
    with pytest.raises(StoreError):
        await store.list_prefix("-.T1/")

    await store.close()
    await (await open_sqlite(path)).close()
    assert not (tmp_path / "exploded").exists()


FOREIGN_ROWS = [
    pytest.param(b"\x80\x04N.", id="pickle"),
    pytest.param("[", id="no-json"),
    pytest.param('{"v":2,"rev":1,"due_at":null,"value":{}}', id="a-later-format"),
    pytest.param('{"v":1,"rev":1,"due_at":"2026-11-02","value":{}}', id="no-zone"),
    pytest.param(b'{"v":1,"rev":1,"due_at":null,"value":{"n":"\xff"}}', id="no-utf8"),
]


@pytest.mark.parametrize("row", FOREIGN_ROWS)
async def test_an_unreadable_row_is_an_error_until_deleted(path: Path, row: object) -> None:
    store = await open_sqlite(path)
    await store.put("-.T1/good", {}, due_at=NOON)
    run_sql(path, "INSERT INTO docs VALUES ('-.T1/bad', ?)", row)
    await store.close()

    store = await open_sqlite(path)

    assert await store.due_keys(NOON) == ["-.T1/good"]
    with pytest.raises(StoreError):
        await store.get("-.T1/bad")
    with pytest.raises(StoreError):
        await store.put("-.T1/bad", {})
    assert await store.delete("-.T1/bad") is True
    assert len(await store.list_prefix("-.T1/")) == 1
    await store.close()


async def test_invalid_utf8_does_not_stop_the_store(sqlite: SqliteDocuments, path: Path) -> None:
    run_sql(path, "INSERT INTO docs VALUES ('-.T1/bad', CAST(x'ff' AS TEXT))")

    with pytest.raises(StoreError):
        await sqlite.get("-.T1/bad")
    with pytest.raises(StoreError):
        await sqlite.list_prefix("-.T1/")

    await sqlite.check()


async def test_a_full_disk_is_an_error(
    sqlite: SqliteDocuments, caplog: pytest.LogCaptureFixture
) -> None:
    put = await sqlite.put("-.T1/key", {"n": 1}, due_at=NOON)
    await asked(sqlite, f"PRAGMA max_page_count={await asked(sqlite, 'PRAGMA page_count')}")

    for _ in range(3):
        with pytest.raises(StoreError, match="full"):
            await sqlite.put("-.T1/key", {"long": "x" * 100_000})

    assert await sqlite.get("-.T1/key") == put
    assert await sqlite.due_keys(NOON) == ["-.T1/key"]
    assert caplog.records == []
    await asked(sqlite, "PRAGMA max_page_count=1000000")
    with pytest.raises(ConflictError):
        await sqlite.put("-.T1/key", {}, if_rev=put.rev + 1)
    await sqlite.put("-.T1/key", {"long": "x" * 100_000}, if_rev=put.rev)


@pytest.mark.real_time  # SQLite sleeps
async def test_a_foreign_lock_is_an_error_that_passes(sqlite: SqliteDocuments, path: Path) -> None:
    await asked(sqlite, "PRAGMA busy_timeout=50")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        with pytest.raises(StoreError, match="locked"):
            await sqlite.put("-.T1/key", {})
        assert await sqlite.get("-.T1/key") is None

    await sqlite.put("-.T1/key", {})


async def test_a_slow_call_is_an_error_and_does_not_delay_a_close(path: Path) -> None:
    store = await open_sqlite(path, timeout_s=0.05)
    go_on, begun = threading.Event(), SimpleQueue[threading.Thread]()

    def hang(_rows: object) -> None:
        begun.put(threading.current_thread())
        go_on.wait(TIME_LIMIT_S)

    with pytest.raises(StoreError, match="TimeoutError"):
        await store.run(hang)
    thread = begun.get(timeout=TIME_LIMIT_S)
    with pytest.raises(StoreError, match="TimeoutError"):
        await store.close()
    assert thread.is_alive()

    go_on.set()
    thread.join(TIME_LIMIT_S)
    assert not thread.is_alive()


async def test_a_cancelled_call_that_fails_leaves_nothing(sqlite: SqliteDocuments) -> None:
    logged: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: logged.append(context))
    may_fail = threading.Event()

    def fail(_rows: object) -> None:
        may_fail.wait(TIME_LIMIT_S)
        raise sqlite3.OperationalError("disk full")

    call = asyncio.create_task(sqlite.run(fail))
    await asyncio.sleep(0)
    call.cancel()
    await asyncio.wait({call})
    may_fail.set()
    await sqlite.check()
    del call  # it keeps what it waited for
    gc.collect()

    loop.set_exception_handler(None)
    assert logged == []


async def test_a_dead_writer_is_noticed_and_the_file_can_be_opened_again(path: Path) -> None:
    store = await open_sqlite(path)
    await store.run(lambda rows: rows.close())

    with pytest.raises(StoreError, match="died"):
        await store.get("-.T1/key")
    with pytest.raises(StoreError, match="died"):
        await store.close()

    await (await open_sqlite(path)).close()


async def test_a_damaged_file_is_refused_until_a_backup_is_put_in_its_place(path: Path) -> None:
    store = await open_sqlite(path)
    for number in range(200):
        await store.put(f"-.T1/{number}", {"text": "x" * 1000})
    await store.close()
    backup = path.with_name("backup")
    shutil.copyfile(path, backup)
    spoil(path)

    with pytest.raises(StoreError, match="put a backup in its place"):
        await open_sqlite(path)

    backup.replace(path)
    store = await open_sqlite(path)
    assert len(await store.list_prefix("-.T1/")) == 200
    assert mode_of(path) == "0o600"  # whoever has put it there
    await store.close()


async def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path) -> None:
    content = b"This is a letter and no database. " * 200
    a_file(path, content)

    with pytest.raises(StoreError, match="cannot open"):
        await open_sqlite(path)

    assert content_of(path) == content


async def test_an_impossible_path_is_refused_without_a_thread(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    before = set(threading.enumerate())

    for place in (tmp_path, tmp_path / "file" / "bot.sqlite", tmp_path / "loop"):
        with pytest.raises(StoreError, match="cannot open") as kept:
            await open_sqlite(place)
        for thread in set(threading.enumerate()) - before:
            thread.join(TIME_LIMIT_S)
            assert not thread.is_alive(), kept  # the error is still there
    assert mode_of(tmp_path) == "0o700"


def remove_file(path: Path) -> None:
    path.unlink()


def move_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def replace_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


def remove_lock(path: Path) -> None:
    path.with_name(f"{path.name}.lock").unlink()


@pytest.mark.parametrize("loss", [remove_file, move_folder, replace_by_a_copy, remove_lock])
async def test_a_lost_file_is_an_error(sqlite: SqliteDocuments, path: Path, loss: Any) -> None:
    await sqlite.put("-.T1/key", {})
    loss(path)

    for use in (
        sqlite.check,
        lambda: sqlite.put("-.T1/key", {}),
        lambda: sqlite.delete("-.T1/key"),
        lambda: sqlite.delete_prefix("-.T1/"),
        sqlite.vacuum,
    ):
        with pytest.raises(StoreError, match="no longer"):
            await use()


@pytest.mark.real_time  # SQLite sleeps
async def test_a_busy_reader_makes_a_deletion_fail(sqlite: SqliteDocuments, path: Path) -> None:
    await asked(sqlite, "PRAGMA busy_timeout=50")
    await sqlite.put("-.T1/key", {})
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM docs").fetchone()

        with pytest.raises(StoreError, match="another program reads"):
            await sqlite.vacuum()

    await sqlite.vacuum()
