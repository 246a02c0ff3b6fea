"""The operator's commands on a real PostgreSQL, and the move there: real processes."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import time
from asyncio.subprocess import PIPE
from dataclasses import replace
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest
import yaml

from bot.api_keys.key_record import KeyDraft
from bot.api_keys.repository import Keys
from bot.digests.repository import DigestRepository
from bot.store.documents import ConflictError, encode_row
from bot.store.encryption import KeyRing, check_key_ring
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments
from bot.workspace import WorkspaceId
from tests.builders import KEY, MOMENT
from tests.digests.builders import a_digest, a_schedule
from tests.fakes import TIME_LIMIT_S
from tests.processes import ROOT, start_bot
from tests.stores import keys_of, opened, read_database
from tests.whole.harness import Harness, until_ready
from tests.whole.test_operating import Said, command, marks, ring, used_app
from tests.whole.test_process import ended, environment, process, stand_ins_in_real_time

pytestmark = pytest.mark.anyio

PASSWORD = "sesame-open"
MANY = 15_000
WORKSPACES = [WorkspaceId(f"T{number}") for number in range(8)]

# In the middle of a move nothing goes on, so that a kill comes in time on any machine.
HANG: tuple[LiteralString, ...] = (
    "CREATE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql"
    " AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$",
    "CREATE TRIGGER hang BEFORE INSERT ON document FOR EACH ROW"
    " WHEN (NEW.key = '-.T1/scan/014999') EXECUTE FUNCTION hang()",
)
NO_HANG: tuple[LiteralString, ...] = (
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    "DROP TRIGGER hang ON document",
)


def with_password(url: str) -> str:
    """The same address, as a server with passwords would have it."""
    return url.replace("postgres:@", f"postgres:{PASSWORD}@")


async def migrating(url: str, cwd: str = "/") -> Said:
    """Run `migrate` where nothing else is set."""
    asked = await start_bot(
        "migrate",
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "DATABASE_URL": url},
        cwd=Path(cwd),
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(TIME_LIMIT_S):
        out, err = await asked.communicate()
    assert b"Traceback" not in err
    assert PASSWORD.encode() not in out + err
    return Said(out.decode(), err.decode(), asked.returncode or 0)


async def run_at(url: str, *statements: LiteralString) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        for statement in statements:
            await connection.execute(statement)


def until_it_hangs(url: str) -> None:
    asked: LiteralString = "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    deadline = time.monotonic() + TIME_LIMIT_S
    with psycopg.connect(url, autocommit=True) as other:
        while other.execute(asked).fetchone() is None:
            assert time.monotonic() < deadline


async def documents_at(url: str) -> list[str]:
    return [*keys_of(await read_database(parse_address(url)))]


class TestMigrate:
    async def test_what_is_missing_is_applied_once(self, empty_database: str) -> None:
        first = await migrating(with_password(empty_database))
        second = await migrating(empty_database)

        assert first.out.startswith("applied bot/0001")
        assert "applied procrastinate/" in first.out
        assert (second.out, second.status) == ("The store's schema is up to date.\n", 0)

    async def test_a_file_needs_none(self) -> None:
        said = await migrating("sqlite:////nowhere/bot.sqlite")

        assert said.out.startswith("There is nothing to do")
        assert said.status == 0

    async def test_where_nobody_has_set_a_database_that_is_said(self, tmp_path: Path) -> None:
        said = await migrating("", cwd=str(tmp_path))

        assert said.out == (
            "DATABASE_URL is not set, so the store is the file data/bot.sqlite, which needs no"
            " migration.\n"
        )
        assert said.status == 0

    async def test_a_database_that_cannot_be_reached_is_told_without_its_password(self) -> None:
        said = await migrating(f"postgresql://bot:{PASSWORD}@127.0.0.1:9/tracker")

        assert said.err.startswith("cannot connect to 127.0.0.1:9, database tracker")
        assert "`python -m bot doctor` checks" in said.err
        assert (said.out, said.status) == ("", 1)

    async def test_a_wrong_address_is_a_wrong_setting(self) -> None:
        said = await migrating(f"mysql://bot:{PASSWORD}@db/tracker")

        assert "DATABASE_URL: must look like" in said.err
        assert said.status == 2


class TestMove:
    async def test_all_that_people_decided_is_there_afterwards_and_the_doctor_is_content(
        self, tmp_path: Path, empty_database: str
    ) -> None:
        async with used_app(tmp_path, BOT_SECRET_KEYS=ring("A")) as app:
            keys = {"BOT_SECRET_KEYS": ring("A")}
            there = {"DATABASE_URL": with_password(empty_database), **keys}
            exported = await command(app, "export", **keys)

            said = await command(app, "move", "--to", with_password(empty_database), **keys)

            assert "both sides hold the same." in said.out
            assert (said.status, said.err) == (0, "")
            assert (await command(app, "export", **there)).out == exported.out
            history = await command(app, "export", "--history", **there)
            acts = [json.loads(line)["act"] for line in history.out.splitlines()]
            assert acts == ["key-set", "digest-made"]
            doctor = await command(app, "doctor", **there)
            assert {*marks(doctor).values()} == {"ok"}, doctor.out
            assert "BOT_SECRET_KEYS decrypts all 2 secrets" in doctor.out
            for each in (said, doctor):
                assert PASSWORD not in each.out + each.err

    async def test_the_bot_goes_on_where_it_was(self, tmp_path: Path, database: str) -> None:
        async with used_app(tmp_path) as app:
            await command(app, "move", "--to", database)
            key_file = (tmp_path / "bot.sqlite.key").read_text().strip()
            there = {"DATABASE_URL": database, "BOT_SECRET_KEYS": key_file}

            async with process(app, **there) as bot:
                await until_ready(app)
                await app.bob.type("/domains")
                await app.bob.next_message(where=lambda each: "1 domain," in each.everything)
                doctor = await command(app, "doctor", **there)
                bot.send_signal(signal.SIGTERM)
                await ended(bot)
            again = await command(app, "move", "--to", database)

            assert {*marks(doctor).values()} == {"ok"}, doctor.out
            assert "ok    processes: 1 all." in doctor.out
            assert "Nothing was changed." in again.out

    async def test_no_bot_starts_on_the_old_file_until_an_operator_says_so(
        self, tmp_path: Path, empty_database: str
    ) -> None:
        async with used_app(tmp_path, BOT_SECRET_KEYS=ring("A")) as app:
            keys = {"BOT_SECRET_KEYS": ring("A")}
            exported = await command(app, "export", **keys)
            await command(app, "move", "--to", with_password(empty_database), **keys)

            refused = await command(app, **keys)
            doctor = await command(app, "doctor", **keys)
            again = await command(app, "export", **keys)
            back = await command(app, "move", "--back", **keys)

            place = parse_address(empty_database).place
            assert f"The bot cannot start: this store was moved to {place} on" in refused.err
            assert "run `python -m bot move --back` first." in refused.err
            assert refused.status == 1
            assert marks(doctor)["DATABASE_URL"] == "FAIL"
            assert (again.out, again.status) == (exported.out, 0)
            assert (back.status, back.err) == (0, "")
            assert PASSWORD not in refused.err + doctor.out + back.out
            async with process(app, **keys):
                await until_ready(app)

    async def test_the_address_can_come_where_no_list_of_processes_shows_it(
        self, tmp_path: Path, empty_database: str
    ) -> None:
        async with used_app(tmp_path) as app:
            to = {"MOVE_TO_URL": with_password(empty_database)}

            first = await command(app, "move", **to)
            again = await command(app, "move", **to)

            assert "bot.sqlite.key" in first.out
            assert "export BOT_SECRET_KEYS=" in first.out
            assert "Nothing was changed." in again.out
            assert [first.status, again.status] == [0, 0]
            key = (tmp_path / "bot.sqlite.key").read_text().strip()[3:]
            assert not {key, PASSWORD} & {*(first.out + again.out).split()}
            assert key not in first.out + again.out

    async def test_a_running_bot_is_asked_to_be_stopped(
        self, tmp_path: Path, empty_database: str
    ) -> None:
        async with stand_ins_in_real_time(tmp_path) as app, process(app) as bot:
            await until_ready(app)

            said = await command(app, "move", "--to", empty_database)

            assert f"The bot is running: process {bot.pid}" in said.err
            assert said.status == 1

    @pytest.mark.parametrize(
        ("to", "text"),
        [
            ("", "Give the address as --to or in MOVE_TO_URL"),
            (f"mysql://bot:{PASSWORD}@db/x", "the address of the database begins with postgresql"),
            (f"postgresql://bot:{PASSWORD}@127.0.0.1:9/x", "cannot connect to 127.0.0.1:9"),
        ],
        ids=["nowhere", "elsewhere", "gone"],
    )
    async def test_without_a_database_nothing_moves(
        self, tmp_path: Path, to: str, text: str
    ) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            fill(app, 3)

            said = await command(app, "move", "--to", to)

            assert text in said.err
            assert PASSWORD not in said.out + said.err
            assert (said.out, said.status) == ("", 1)

    async def test_from_postgres_nothing_is_moved(self, tmp_path: Path, database: str) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            here = {"DATABASE_URL": database, "BOT_SECRET_KEYS": ring("A")}

            said = await command(app, "move", "--to", database, **here)

            assert "DATABASE_URL is a PostgreSQL already" in said.err
            assert said.status == 1

    async def test_killed_in_the_middle_nothing_has_moved_and_again_everything_does(
        self, tmp_path: Path, database: str
    ) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            fill(app, MANY)
            await run_at(database, *HANG)
            mover = await start_bot(
                *("move", "--to", database), env=environment(app), cwd=tmp_path, stdout=PIPE
            )
            await asyncio.to_thread(until_it_hangs, database)
            mover.kill()
            await mover.wait()
            await run_at(database, *NO_HANG)

            assert await documents_at(database) == []
            said = await command(app, "move", "--to", database)

            assert ["scan", "15,000", "15,000"] in [line.split() for line in said.out.splitlines()]
            assert len(await documents_at(database)) == MANY + 1


def fill(app: Harness, count: int) -> None:
    """Write so many documents into the store of a bot that was never started."""
    row = encode_row(1, None, '{"text":"%s"}' % ("x" * 200))
    with contextlib.closing(sqlite3.connect(app.settings.database_path)) as connection:
        connection.execute("CREATE TABLE docs (key TEXT PRIMARY KEY, value BLOB)")
        rows = ((f"-.T1/scan/{number:06}", row) for number in range(count))
        connection.executemany("INSERT INTO docs VALUES (?, ?)", rows)
        connection.commit()


class TestBesideRunningBots:
    async def test_an_import_and_a_worker_change_the_same_digests_and_neither_is_lost(
        self, tmp_path: Path, database: str
    ) -> None:
        async with stand_ins_in_real_time(tmp_path) as app, opened(database) as store:
            shelf, there = (
                DigestRepository(store),
                {"DATABASE_URL": database, "BOT_SECRET_KEYS": ring("A")},
            )
            for workspace in WORKSPACES:
                await shelf.put(workspace, a_digest(schedule=a_schedule(days=(0,))))
            file = (await command(app, "export", **there)).out
            at = yaml.safe_load(file)["workspaces"][0]["digests"][0]["time"]
            (tmp_path / "file.yml").write_text(file.replace(f'"{at}"', '"23:45"'))
            runs = dict.fromkeys(WORKSPACES, 0)
            running = [asyncio.create_task(run_silently(shelf, runs, at)) for at in WORKSPACES]

            said = await command(app, "import", "file.yml", "--apply", **there)
            await cancelled(running)

            assert (said.status, said.err) == (0, "")
            for workspace in WORKSPACES:
                (digest,) = await shelf.of_workspace(workspace)
                assert f"{digest.plan.schedule.at:%H:%M}" == "23:45"
                assert digest.silent_runs - runs[workspace] in {0, 1}  # the last was cut off

    async def test_what_others_change_while_it_is_sealed_anew_is_not_lost(
        self, tmp_path: Path, database: str
    ) -> None:
        async with stand_ins_in_real_time(tmp_path) as app, opened(database) as store:
            old, both = KeyRing.parse(ring("A")), KeyRing.parse(ring("B", "A"))
            there = {"DATABASE_URL": database, "BOT_SECRET_KEYS": ring("B", "A")}
            await check_key_ring(store, old)
            draft = KeyDraft(secret=KEY, label="", expires_on=None, scopes=("read_domains",))
            for workspace in WORKSPACES:
                await Keys(store, old, clock=lambda: MOMENT).save(workspace, draft, set_by="U1")
            await check_key_ring(store, both)
            counts = dict.fromkeys(WORKSPACES, 0)
            counting = [asyncio.create_task(count_on(store, counts, at)) for at in WORKSPACES]

            said = await command(app, "rotate-secrets", **there)
            await cancelled(counting)

            assert (said.status, said.err) == (0, "")
            new = KeyRing.parse(ring("B"))
            await check_key_ring(store, new)
            for workspace, count in counts.items():
                kept = await store.get(f"{workspace}/key")
                assert kept is not None
                assert kept.value["count"] - count in {0, 1}  # the last was cut off
                stored = await Keys(store, new, clock=lambda: MOMENT).stored(workspace)
                assert stored.secret == KEY
            assert "v1.kA." not in str(await read_database(parse_address(database)))


async def cancelled(tasks: list[asyncio.Task[None]]) -> None:
    for each in tasks:
        each.cancel()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(end, asyncio.CancelledError) for end in ends), ends


async def run_silently(
    shelf: DigestRepository, runs: dict[WorkspaceId, int], home: WorkspaceId
) -> None:
    """Do to a digest, again and again, what a run without a post does; count that in `runs`."""
    while True:
        await shelf.change(
            home, "d1", lambda digest: replace(digest, silent_runs=digest.silent_runs + 1)
        )
        runs[home] += 1


async def count_on(
    documents: PostgresDocuments, counts: dict[WorkspaceId, int], home: WorkspaceId
) -> None:
    """Change a document with a secret again and again, and note in `counts` how often."""
    while True:
        document = await documents.get(f"{home}/key")
        assert document is not None
        value = {**document.value, "count": document.value.get("count", 0) + 1}
        with contextlib.suppress(ConflictError):
            await documents.put(document.key, value, if_rev=document.rev)
            counts[home] += 1


async def test_before_it_is_migrated_every_command_says_what_to_do(
    tmp_path: Path, empty_database: str
) -> None:
    async with stand_ins_in_real_time(tmp_path) as app:
        (tmp_path / "x.yml").write_text("version: 1\nworkspaces: []\n")
        for words in (["export"], ["import", "x.yml", "--apply"], ["rotate-secrets"]):
            there = {"DATABASE_URL": empty_database, "BOT_SECRET_KEYS": ring("A")}

            said = await command(app, *words, **there)

            assert "python -m bot migrate" in said.err
            assert said.status == 1
