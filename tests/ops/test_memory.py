"""What the commands that read a whole store keep of it in memory."""

import sqlite3
import tracemalloc
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from bot.ops.doctor_store import check_store
from bot.ops.export_file import read_histories, read_holdings
from bot.ops.stores import FileStore
from bot.store.documents import encode_row, encode_value
from bot.store.sqlite import open_sqlite
from tests.digests.builders import a_digest
from tests.ops.builders import a_document

pytestmark = pytest.mark.anyio

WORKSPACES = 600
PADDING = "x" * 20_000
"""About as large as what a digest keeps of a list of 1,000 domains."""


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store of about 24 MB."""
    path = tmp_path / "bot.sqlite"
    await (await open_sqlite(path)).close()
    digest = {**a_document(a_digest()).value, "padding": PADDING}
    kinds = {"digest/d1": digest, "digest-baseline/d1/a": {"scores": PADDING}}
    rows = [
        (f"-.T{n:03}/{kind}", encode_row(1, None, encode_value(value)))
        for n in range(WORKSPACES)
        for kind, value in kinds.items()
    ]
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
    return path


@contextmanager
def less_than_the_store_is_kept(path: Path) -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < path.stat().st_size / 2


async def test_the_doctor_reads_page_by_page(path: Path) -> None:
    with less_than_the_store_is_kept(path):
        (finding,), _ = await check_store(FileStore(path))

    assert "1,200 documents" in finding.said


async def test_an_export_is_read_page_by_page(path: Path) -> None:
    with less_than_the_store_is_kept(path):
        assert len((await read_holdings(FileStore(path))).workspaces) == WORKSPACES
        assert (await read_histories(FileStore(path))).lines == []
