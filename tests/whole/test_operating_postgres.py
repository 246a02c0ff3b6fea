"""The operator's commands on a real PostgreSQL: real processes."""

import asyncio
import os
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from tests.fakes import TIME_LIMIT_S
from tests.processes import ROOT, start_bot
from tests.whole.test_operating import Said, command, ring
from tests.whole.test_process import stand_ins_in_real_time

pytestmark = pytest.mark.real_time

PASSWORD = "sesame-open"


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


class TestMigrate:
    async def test_what_is_missing_is_applied_once(self, empty_database: str) -> None:
        first = await migrating(with_password(empty_database))
        second = await migrating(empty_database)

        assert first.out.startswith("applied bot/0001")
        assert "applied procrastinate/" in first.out
        assert (second.out, second.status) == ("The store's schema is up to date.\n", 0)

    async def test_a_file_needs_none(self) -> None:
        said = await migrating("sqlite:////nowhere/bot.sqlite")

        assert said.out == (
            "DATABASE_URL names no PostgreSQL: the store is the file /nowhere/bot.sqlite, which"
            " needs no migration.\n"
        )
        assert said.status == 0

    async def test_an_unreachable_database_is_named_without_its_password(self) -> None:
        said = await migrating(f"postgresql://bot:{PASSWORD}@127.0.0.1:9/tracker")

        assert said.err.startswith("cannot connect to 127.0.0.1:9, database tracker")
        assert "`python -m bot doctor` checks" in said.err
        assert (said.out, said.status) == ("", 1)


async def test_every_command_asks_for_the_migration(tmp_path: Path, empty_database: str) -> None:
    async with stand_ins_in_real_time(tmp_path) as app:
        (tmp_path / "file").write_text('{"backup":1,"keys":[]}\n')
        for words in (["backup", "x"], ["restore", "file"], ["rotate-secrets"]):
            there = {"DATABASE_URL": empty_database, "BOT_SECRET_KEYS": ring("A")}

            said = await command(app, *words, **there)

            assert "python -m bot migrate" in said.err
            assert said.status == 1
