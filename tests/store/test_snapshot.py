"""The store as it is read beside who uses it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.store.documents import StoreError
from bot.store.sqlite import SqliteDocuments
from tests.stores import read_file


def bytes_and_time(path: Path) -> tuple[bytes, int]:
    return path.read_bytes(), path.stat().st_mtime_ns


def write(path: Path, content: bytes | bytearray) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)


def files_in(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


def page_of(path: Path, part: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        asked = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        return int(connection.execute(asked, (part,)).fetchone()[0])


async def test_reading_writes_nothing(sqlite: SqliteDocuments, path: Path) -> None:
    await sqlite.put("-.T1/a", {})
    await sqlite.close()
    before = bytes_and_time(path)

    await read_file(path)

    assert bytes_and_time(path) == before


async def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot read"):
        await read_file(tmp_path / "bot.sqlite")

    assert files_in(tmp_path) == []


@pytest.mark.parametrize("part", ["docs", "sqlite_autoindex_docs_1"], ids=["rows", "index"])
async def test_damage_is_found(sqlite: SqliteDocuments, path: Path, part: str) -> None:
    for number in range(200):
        await sqlite.put(f"-.T1/{number}", {"text": "x" * 200})
    await sqlite.close()
    whole, first = bytearray(bytes_and_time(path)[0]), (page_of(path, part) - 1) * 4096
    whole[first + 8 : first + 200] = b"\xff" * 192
    write(path, whole)

    with pytest.raises(StoreError, match=r"damaged|malformed"):
        await read_file(path)
