"""A backup is whole, of one moment, and restored into an empty store or not at all."""

import json
import os
import sqlite3
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from bot.jobs.queue_jobs import migrations
from bot.ops.backup import STDIO, back_up, restore
from bot.ops.output import OperatingError
from bot.ops.sealed_texts import Store
from bot.store.documents import Documents, StoreError, StoreLockedError, encode_row
from bot.store.encryption import KeyRing, check_key_ring
from bot.store.files import FileLock
from bot.store.postgres.address import parse_address
from bot.store.postgres.snapshot import DatabaseStore
from bot.store.snapshot import FileStore
from tests.builders import MOMENT

SETTING = "k1:" + "YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE="
RING = KeyRing.parse(SETTING)
OTHER = "k1:" + "YmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmJiYmI="
MANY = 207


async def fill(store: Store) -> None:
    async with store.opened() as documents:
        await check_key_ring(documents, RING)
        for number in range(MANY):
            due = MOMENT + timedelta(hours=number) if number % 2 else None
            await documents.put(f"-.T1/scan/{number:04}.example", {"é": [number]}, due_at=due)
        await documents.put("-.T1/key", {"sealed": RING.encrypt("secret", "about")})


async def all_of(documents: Documents) -> list[tuple[str, object, int, datetime | None]]:
    return [
        (each.key, each.value, each.rev, each.due_at) for each in await documents.list_prefix("")
    ]


async def content(store: Store) -> list[tuple[str, object, int, datetime | None]]:
    async with store.opened() as documents:
        return await all_of(documents)


@pytest.fixture
def in_file(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "a" / "bot.sqlite")


@pytest.fixture
def other_file(tmp_path: Path) -> FileStore:
    return FileStore(tmp_path / "b" / "bot.sqlite")


@pytest.fixture
def in_database(database: str) -> DatabaseStore:
    return DatabaseStore(parse_address(database), migrations())


@pytest.fixture
def stores(
    in_file: FileStore, other_file: FileStore, in_database: DatabaseStore
) -> dict[str, Store]:
    return {"in_file": in_file, "other_file": other_file, "in_database": in_database}


@cache
def backed_up() -> list[bytes]:
    """Hold what a backup of a full store is, once one has been made."""
    return []


@pytest.fixture
async def backup(in_file: Store, tmp_path: Path) -> Path:
    path = tmp_path / "all.jsonl"
    if not backed_up():
        await fill(in_file)
        await back_up(in_file, str(path), MOMENT)
        backed_up().append(path.read_bytes())
    path.write_bytes(backed_up()[0])
    return path


@pytest.mark.parametrize(
    "ways", ["in_file other_file", "in_file in_database", "in_database other_file"]
)
async def test_all_documents_are_restored(
    stores: dict[str, Store], tmp_path: Path, ways: str
) -> None:
    one, other = (stores[each] for each in ways.split())
    await fill(one)
    before = await content(one)
    name = str(tmp_path / "all.jsonl")

    done = await back_up(one, name, MOMENT), await restore(other, name, SETTING)

    assert done == (f"Backed up {MANY + 2} documents.", f"Restored {MANY + 2} documents.")
    assert await content(other) == before


async def test_it_is_of_one_moment(in_file: Store, other_file: Store, tmp_path: Path) -> None:
    await fill(in_file)
    async with in_file.opened() as documents:
        before = await all_of(documents)
        reading = in_file.documents()
        keys = [(await anext(reading)).key]
        await documents.put("-.T1/zzz", {"late": True})
        await documents.delete("-.T1/key")
        keys += [each.key async for each in reading]

    assert keys == [key for key, *_ in before]


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def damage(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no store" * 1000)


def files_in(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir() if each.is_file()]


def cut_between_lines(whole: bytes) -> bytes:
    return b"".join(whole.splitlines(keepends=True)[:-1])


async def test_a_damaged_file_restores_nothing(backup: Path, other_file: FileStore) -> None:
    whole = backup.read_bytes()  # noqa: ASYNC240
    lines = whole.splitlines(keepends=True)
    lengths = (*range(0, len(whole), len(whole) // 40), len(whole) - 1)
    for damaged in (
        *(whole[:length] for length in lengths),
        cut_between_lines(whole),
        whole.replace(b"[3]", b"[4]", 1),
        whole + b"{}\n",
        b"".join([*lines[:5], *lines[6:]]),
    ):
        backup.write_bytes(damaged)  # noqa: ASYNC240

        with pytest.raises(OperatingError, match=r"damaged or cut off .* Nothing was written"):
            await restore(other_file, str(backup), SETTING)

        assert not other_file.path.exists()

    backup.write_bytes(b'{"backup": 2}\n')  # noqa: ASYNC240
    with pytest.raises(OperatingError, match="not a backup of this version"):
        await restore(other_file, str(backup), SETTING)


async def test_a_damaged_file_leaves_a_database_empty(backup: Path, in_database: Store) -> None:
    rewrite(backup, cut_between_lines)

    with pytest.raises(OperatingError, match="damaged or cut off"):
        await restore(in_database, str(backup), SETTING)

    assert [key for key, *_ in await content(in_database)] == []


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (OTHER.replace("k1", "k2"), "lacks k1"),
        (OTHER, "has another key of that name"),
        ("", "no keys"),
    ],
    ids=["another name", "another key", "none"],
)
async def test_it_needs_its_keys(
    backup: Path, other_file: FileStore, setting: str, words: str
) -> None:
    with pytest.raises(OperatingError, match=words):
        await restore(other_file, str(backup), setting)

    assert not other_file.path.exists()


@pytest.mark.parametrize("there", ["other_file", "in_database"])
async def test_a_store_with_data_is_kept(
    stores: dict[str, Store], backup: Path, there: str
) -> None:
    store = stores[there]
    async with store.opened() as documents:
        await documents.put("-.T9/key", {"own": True})
    before = await content(store)

    with pytest.raises(StoreError, match="holds data already"):
        await restore(store, str(backup), SETTING)

    assert await content(store) == before


@pytest.mark.parametrize("there", ["other_file", "in_database"])
async def test_a_bot_prevents_it(stores: dict[str, Store], backup: Path, there: str) -> None:
    store = stores[there]
    async with store.opened():
        with pytest.raises(StoreLockedError):
            await restore(store, str(backup), SETTING)


async def test_another_restore_is_left_alone(
    in_file: FileStore, other_file: FileStore, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not in_file.path.exists():
        await fill(in_file)

    def lock_after_another(lock: Path) -> FileLock:
        other_file.path.write_bytes(in_file.path.read_bytes())
        return FileLock(lock)

    other_file.path.parent.mkdir()
    monkeypatch.setattr("bot.store.snapshot.FileLock", lock_after_another)

    with pytest.raises(StoreError, match="holds data already"):
        await restore(other_file, str(backup), SETTING)

    assert len(await content(other_file)) == MANY + 2


async def test_a_failing_disk_is_named(
    other_file: FileStore, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Path("/proc/self/mem").open("rb") as unreadable:  # noqa: ASYNC230  # its start is no memory
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=unreadable))

        with pytest.raises(OperatingError, match="Standard input cannot be read: Input/output"):
            await restore(other_file, STDIO, SETTING)


async def test_a_full_disk_is_named(in_file: FileStore, monkeypatch: pytest.MonkeyPatch) -> None:
    await fill(in_file)
    with Path("/dev/full").open("wb", buffering=0) as full:  # noqa: ASYNC230
        monkeypatch.setattr(sys, "stdout", full)

        with pytest.raises(OperatingError, match="Standard output cannot be written: No space"):
            await back_up(in_file, STDIO, MOMENT)


async def test_a_closed_pipe_is_reported(
    in_file: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(in_file)
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb", buffering=0) as closed:
        monkeypatch.setattr(sys, "stdout", closed)

        with pytest.raises(BrokenPipeError):
            await back_up(in_file, STDIO, MOMENT)


async def test_it_copies_in_parts(
    in_file: FileStore, other_file: FileStore, tmp_path: Path
) -> None:
    name, text = str(tmp_path / "all.jsonl"), "x" * 20_000
    async with in_file.opened() as documents:
        await check_key_ring(documents, RING)
    row = encode_row(1, None, json.dumps({"text": text}))
    rows = [(f"-.T1/scan/{number:04}", row) for number in range(1000)]
    with closing(sqlite3.connect(in_file.path)) as connection, connection:
        connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
    tracemalloc.start()
    try:
        await back_up(in_file, name, MOMENT)
        await restore(other_file, name, SETTING)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert peak < 10_000_000  # half of the store


async def test_a_failed_backup_keeps_the_one_before(in_file: FileStore, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    path.touch()
    rewrite(path, lambda _nothing: b"the one before")
    damage(in_file.path)

    with pytest.raises(Exception, match="cannot read"):
        await back_up(in_file, str(path), datetime.now(UTC))

    assert lines_of(path) == [b"the one before"]
    assert files_in(tmp_path) == ["all.jsonl"]
