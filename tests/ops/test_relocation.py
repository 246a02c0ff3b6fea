"""A store moved from a real file into a real PostgreSQL."""

import asyncio
import base64
import contextlib
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, LiteralString

import psycopg
import pytest

from bot.jobs.queue_jobs import migrations
from bot.ops.move import MARK, manifest_of, move_into, move_store
from bot.ops.output import OperatingError
from bot.ops.stores import DatabaseStore, forwarding_in
from bot.process_heartbeat import SharedProcesses
from bot.store.documents import FORWARDING, Document, StoreError, StoreLockedError
from bot.store.encryption import (
    KeyRing,
    RingSource,
    check_key_ring,
    key_file_of,
    load_or_make_key_file,
)
from bot.store.postgres.address import parse_address
from bot.store.postgres.snapshot import import_transaction
from bot.store.sqlite import open_sqlite
from tests.stores import opened, read_database, read_snapshot

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
DUE = datetime(2026, 11, 20, 8, 59, 59, 123456, tzinfo=UTC)
RING = "k1:" + base64.b64encode(b"a" * 32).decode()
OTHER_RING = "k1:" + base64.b64encode(b"b" * 32).decode()


LEFT: dict[str, dict[str, str]] = {
    "meta/check": {},
    "meta/process/0a": {"role": "all"},
    "meta/seen/9": {},
    "meta/traces": {},
    "-.T1/pending/0a-1": {},
}


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    """A store with something of every nature in it."""
    path = tmp_path / "bot.sqlite"
    store = await open_sqlite(path)
    await check_key_ring(store, KeyRing.parse(RING))
    await store.put("-.T1/digest/d1", {"text": "é \0 \ud800 \u2028"}, due_at=DUE)
    await store.put("-.T1/digest/d1", {"text": "é \0 \ud800 \u2028", "n": 2}, due_at=DUE)
    await store.put("-.T1/zü", {"deep": {"list": [1, 1.5, None, True]}})
    await store.put("E1.T2/scan/shop.example", {})
    for key, value in LEFT.items():
        await store.put(key, value)
    await store.close()
    return path


async def moved(path: Path, url: str, **more: Any) -> list[str]:
    target = DatabaseStore(parse_address(url), migrations(), watch_s=more.pop("watch_s", 0.01))
    how: dict[str, Any] = {"setting": RING, "now": NOW, **more}
    return await move_store(path, target, **how)


async def documents_at(url: str) -> tuple[Document, ...]:
    return (await read_database(parse_address(url))).documents


async def documents_to_move(path: Path) -> tuple[Document, ...]:
    snapshot = await read_snapshot(path)
    return tuple(each for each in snapshot.documents if each.key not in {*LEFT, FORWARDING})


async def test_everything_arrives_as_it_was_in_an_empty_database(
    path: Path, empty_database: str
) -> None:
    said = await moved(path, empty_database)

    *arrived, mark = sorted(await documents_at(empty_database), key=lambda each: each.key == MARK)
    assert tuple(arrived) == await documents_to_move(path)
    assert {*mark.value} == {"v", "at", "documents", "print"}  # and no name
    assert "Moved 4 documents: both sides hold the same." in said
    table = [line.split() for line in said]
    assert ["digest", "1", "1"] in table
    assert ["meta", "1", "1"] in table


async def test_a_text_that_no_key_opens_moves_as_it_is(path: Path, empty_database: str) -> None:
    store = await open_sqlite(path)
    lost = KeyRing.parse(OTHER_RING.replace("k1", "k0"))
    await store.put("-.T1/api-key", {"sealed": lost.encrypt("of an earlier key", "-.T1")})
    await store.close()

    await moved(path, empty_database)

    assert "-.T1/api-key" in [each.key for each in await documents_at(empty_database)]


async def test_a_store_that_was_written_to_after_its_move_is_refused(
    path: Path, database: str
) -> None:
    await moved(path, database)
    before = await documents_at(database)
    store = await open_sqlite(path)
    await store.put("-.T1/digest/d2", {})
    await store.close()

    with pytest.raises(OperatingError, match="has written to it since"):
        await moved(path, database)

    assert await documents_at(database) == before


async def test_a_database_of_others_is_refused_with_how_much_it_holds(
    path: Path, database: str
) -> None:
    async with opened(database) as store:
        for number in range(3):
            await store.put(f"-.T{number}/key", {})
        await store.put("meta/check", {})

    with pytest.raises(OperatingError, match="already holds 3 documents"):
        await moved(path, database)

    assert len(await documents_at(database)) == 4


async def test_what_a_bot_has_noted_for_itself_in_an_empty_database_is_in_nobodys_way(
    path: Path, database: str
) -> None:
    async with opened(database) as store:
        await check_key_ring(store, KeyRing.parse(OTHER_RING))
        await SharedProcesses(store, role="web", clock=lambda: NOW).heartbeat()

    await moved(path, database)

    keys = [each.key for each in await documents_at(database)]
    assert keys == sorted([MARK, *(each.key for each in await documents_to_move(path))])


async def test_a_bot_that_runs_there_is_in_the_way(path: Path, database: str) -> None:
    async with opened(database) as store:
        web = SharedProcesses(store, role="web", clock=lambda: NOW)
        await web.heartbeat()

        async def live() -> None:
            while True:
                await web.heartbeat()

        life = asyncio.create_task(live())
        with pytest.raises(OperatingError, match="A bot is running on that database: 1 web"):
            await moved(path, database, watch_s=0.2)
        life.cancel()


async def test_no_bot_can_start_on_the_file_while_it_is_moved(path: Path, database: str) -> None:
    refused: list[Exception] = []

    class Watching(DatabaseStore):
        async def running_processes(self) -> Sequence[Any]:
            try:
                await open_sqlite(path)
            except StoreLockedError as error:
                refused.append(error)
            return ()

    target = Watching(parse_address(database), migrations())
    await move_store(path, target, setting=RING, now=NOW)

    assert refused


async def test_the_file_says_where_its_store_has_gone_and_not_how_to_get_in(
    path: Path, database: str
) -> None:
    await moved(path, database.replace("postgres:@", "postgres:sesame-open@"))

    (note,) = [each for each in (await read_snapshot(path)).documents if each.key == FORWARDING]
    assert note.value == {"v": 1, "to": parse_address(database).place, "at": NOW.isoformat()}


async def test_a_file_that_cannot_be_told_is_told_of_and_told_the_next_time(
    path: Path, database: str
) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER full BEFORE INSERT ON docs WHEN new.key = 'meta/moved'"
            " BEGIN SELECT raise(ABORT, 'disk full'); END"
        )
        connection.commit()
        with pytest.raises(OperatingError, match=r"disk full.*Run `move` again before a bot"):
            await moved(path, database)
        connection.execute("DROP TRIGGER full")
        connection.commit()
    assert len(await documents_at(database)) == len(await documents_to_move(path)) + 1

    await moved(path, database)

    assert forwarding_in((await read_snapshot(path)).documents)


@pytest.mark.parametrize("setting", [OTHER_RING, RING.replace("k1", "k2")], ids=["other", "name"])
async def test_a_ring_that_does_not_open_the_store_moves_nothing(
    path: Path, empty_database: str, setting: str
) -> None:
    with pytest.raises(OperatingError, match="BOT_SECRET_KEYS does not open the store") as caught:
        await moved(path, empty_database, setting=setting)

    assert setting[3:] not in str(caught.value)
    assert "Set the keys that the bot had. Nothing was moved." in str(caught.value)
    with pytest.raises(StoreError):
        await documents_at(empty_database)


async def test_how_a_key_file_becomes_the_setting_is_said_without_the_key(
    tmp_path: Path, database: str
) -> None:
    path = tmp_path / "it's" / "bot.sqlite"
    store = await open_sqlite(path)
    ring, _ = load_or_make_key_file(key_file_of(path))
    await check_key_ring(store, ring)
    await store.close()

    said = "\n".join(await moved(path, database, setting=None))

    export = next(line for line in said.splitlines() if "export BOT_SECRET_KEYS" in line)
    text = await asyncio.create_subprocess_shell(
        f'{export}; printf %s "$BOT_SECRET_KEYS"', stdout=asyncio.subprocess.PIPE
    )
    out, _ = await text.communicate()
    assert KeyRing.parse(out.decode()).names == ("k1",)
    assert out.decode()[3:] not in said


async def test_a_store_that_is_not_there_or_empty_is_no_store(
    tmp_path: Path, database: str
) -> None:
    store = await open_sqlite(tmp_path / "empty.sqlite")
    await store.close()

    with pytest.raises(OperatingError, match="There is no store at"):
        await moved(tmp_path / "none.sqlite", database)
    with pytest.raises(OperatingError, match="The store is empty"):
        await moved(tmp_path / "empty.sqlite", database)


async def test_a_document_that_nobody_can_read_stops_the_move(path: Path, database: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("INSERT INTO docs VALUES ('-.T1/digest/d9', 'pickle')")
        connection.commit()

    with pytest.raises(OperatingError, match=r"digest/d9 of T1"):
        await moved(path, database)

    assert await documents_at(database) == ()


async def test_a_difference_at_the_end_is_told_and_nothing_has_happened(
    path: Path, database: str
) -> None:
    here = await manifest_of(path, RingSource(KeyRing.parse(RING)))
    here.add([Document("-.T9/digest/d9", {}, 1, None)])

    with pytest.raises(OperatingError, match="The copy differs") as caught:
        async with import_transaction(parse_address(database)) as importing:
            await move_into(importing, path, here, NOW)

    assert ["digest", "2", "1"] in [line.split() for line in caught.value.lines]
    assert await documents_at(database) == ()


async def test_two_moves_at_once_do_not_mix(path: Path, database: str) -> None:
    async with import_transaction(parse_address(database)):
        with pytest.raises(StoreError, match="another move into that database is under way"):
            await moved(path, database)


async def test_a_writer_there_waits_until_the_move_is_over(path: Path, database: str) -> None:
    async with opened(database) as store:
        async with import_transaction(parse_address(database)) as importing:
            writing = asyncio.create_task(store.put("-.T7/key", {}))
            await asyncio.to_thread(until_somebody_waits, database)
            assert not writing.done()
            await importing.copy_in([Document("-.T7/digest/d1", {}, 1, None)])
        await writing

    assert "-.T7/digest/d1" in [each.key for each in await documents_at(database)]


async def test_a_writer_there_that_is_stuck_is_not_waited_for(
    path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.store.postgres.snapshot.LOCKED_WITHIN", "10ms")
    async with opened(database) as store, store.pool.connection() as stuck, stuck.transaction():
        await stuck.execute("INSERT INTO document VALUES ('-.T7/key', '{}', 1)")

        with pytest.raises(StoreError, match=r"the move into .* failed: .*lock timeout"):
            await moved(path, database)


def until_somebody_waits(url: str) -> None:
    asked: LiteralString = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    with psycopg.connect(url, autocommit=True) as other:
        while other.execute(asked).fetchone() == (0,):
            pass
