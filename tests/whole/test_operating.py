"""The operator's commands as operators type them: real processes, beside a real bot."""

import asyncio
import base64
import json
import re
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot import __version__
from tests.fakes import TIME_LIMIT_S
from tests.processes import start_bot, start_new_bot
from tests.whole.digests import make, next_digest, open_list, press_in
from tests.whole.harness import Harness, bytes_at_rest, until_ready
from tests.whole.test_process import (
    ended,
    environment,
    process,
    stand_ins_in_real_time,
)

pytestmark = pytest.mark.real_time


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit status."""

    out: str
    err: str
    status: int


async def command(app: Harness, *words: str, **more: str) -> Said:
    """Run an operator's command in a process that has imported the bot before."""
    return await _commanded(start_bot, app, *words, **more)


async def piped(app: Harness, *words: str, given: bytes, **more: str) -> Said:
    """Run a command as it stands behind a pipe: `given` is its standard input."""
    asked = await start_new_bot(
        *words,
        env=environment(app) | more,
        cwd=app.settings.database_path.parent,
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(TIME_LIMIT_S):
        out, err = await asked.communicate(given)
    return Said(out.decode(), err.decode(), asked.returncode or 0)


async def _commanded(start: Callable[..., Any], app: Harness, *words: str, **more: str) -> Said:
    asked = await start(
        *words,
        env=environment(app) | more,
        cwd=app.settings.database_path.parent,
        stdout=PIPE,
        stderr=PIPE,
    )
    async with asyncio.timeout(TIME_LIMIT_S):
        out, err = await asked.communicate()
    said = Said(out.decode(), err.decode(), asked.returncode or 0)
    assert "Traceback" not in said.err
    for secret in (app.key[11:], app.slack.bot_token[5:], app.slack.app_token[5:]):
        assert not secret or secret not in said.out + said.err
    return said


def marks(said: Said) -> dict[str, str]:
    """Each check's name and its mark."""
    lines = [line.split(maxsplit=1) for line in said.out.splitlines()]
    return {rest.partition(":")[0]: mark for mark, rest in lines}


def ring(*letters: str) -> str:
    keys = [f"k{each}:{base64.b64encode(each.encode() * 32).decode()}" for each in letters]
    return ",".join(keys)


def files_in(folder: Path) -> list[Path]:
    return [*folder.iterdir()]


@asynccontextmanager
async def used_app(folder: Path, transport: str = "socket", **more: str) -> AsyncIterator[Harness]:
    """A harness whose bot has a key and a digest, and was stopped."""
    async with stand_ins_in_real_time(folder, transport) as app:
        async with process(app, **more) as bot:
            await until_ready(app)
            app.account.add("shop.example", health=41)
            await app.connect()
            await make(app, {"Filter": "tag:prod"})
            bot.terminate()
            assert await ended(bot) == 0
        yield app


class TestDoctor:
    async def test_all_is_well_beside_a_running_bot(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path) as app, process(app) as bot:
            await until_ready(app)
            await app.connect()
            app.tracker.requests.clear()

            said = await command(app, "doctor")

            assert [each.key_name for each in app.tracker.requests] == [None]
            assert set(marks(said).values()) == {"ok"}, said.out
            assert f"ok    version: {__version__}." in said.out
            assert f"used by process {bot.pid}" in said.out
            assert "of the workspace" in said.out
            assert (said.status, said.err) == (0, "")

    async def test_before_the_first_start_nothing_is_made(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path, "http") as app:
            said = await _commanded(start_new_bot, app, "doctor")

            assert set(marks(said).values()) == {"ok"}, said.out
            assert files_in(tmp_path) == []

    async def test_every_failure_has_a_line_that_says_what_to_do(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            wrong = {
                "SLACK_BOT_TOKEN": "xoxb-wrong",
                "SLACK_APP_TOKEN": "xapp-wrong",
                "DOMAIN_TRACKER_URL": "http://127.0.0.1:9",
            }
            (tmp_path / "bot.sqlite").write_bytes(b"no database " * 100)

            said = await command(app, "doctor", **wrong, DYNO="web.1")

            for name in [*wrong, "DATABASE_URL"]:
                assert marks(said)[name] == "FAIL"
            assert marks(said)["disk"] == "warn"  # it does not last
            assert said.status == 1
            assert "OAuth & Permissions" in said.out

    async def test_wrong_settings_are_failures_too(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            said = await command(app, "doctor", SLACK_BOT_TOKEN="secret-thing", TICK_SECONDS="x")

            assert said.status == 1
            assert "FAIL  settings: SLACK_BOT_TOKEN: must be a bot token" in said.out
            assert "TICK_SECONDS" in said.out
            assert "secret-thing" not in said.out + said.err

    async def test_the_shapes_of_answers_are_recorded_without_a_value(
        self, tmp_path: Path
    ) -> None:
        async with used_app(tmp_path) as app:
            before = len(app.tracker.requests)

            said = await command(app, "doctor", "--record", "seen.json")

            asked = [each.method for each in app.tracker.requests[before:]]
            written = (tmp_path / "seen.json").read_text()
            [refusal, listed, scanned] = json.loads(written)["answers"]
            assert marks(said)["record"] == "ok"
            assert sorted(asked) == ["GET", "GET", "GET", "POST"]  # the first is the check's
            assert [refusal["key"], listed["key"], scanned["key"]] == [False, True, True]
            assert listed["body"][0]["domain"] == "string"
            assert "x-ratelimit-remaining" in listed["headers"]
            assert {"ssl", "dns"} <= set(scanned["body"])
            for value in (app.key, "shop", "41", *app.account.domains):
                assert value not in written

    async def test_without_a_key_it_says_what_the_record_lacks(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            said = await command(app, "doctor", "--record", "seen.json")
            refused = await command(app, "doctor", "--record", "missing/seen.json")

        assert marks(said)["record"] == "warn"
        assert len(json.loads((tmp_path / "seen.json").read_text())["answers"]) == 1
        assert (refused.status, "cannot be written" in refused.err) == (1, True)


class TestBackup:
    async def test_a_backup_of_a_busy_bot_posts(self, tmp_path: Path, database: str) -> None:
        """Sealed values open afterwards, and the digest is posted from the new store."""
        async with stand_ins_in_real_time(tmp_path) as app:
            async with process(app, BOT_SECRET_KEYS=ring("A")) as bot:
                await until_ready(app)
                app.account.add("shop.example", health=41)
                await app.connect()
                await make(app)
                asking = asyncio.create_task(ask_again_and_again(app))

                said = await command(app, "backup", "all.jsonl", BOT_SECRET_KEYS=ring("A"))

                asking.cancel()
                bot.terminate()
                assert await ended(bot) == 0
            assert said.status == 0, said.err
            assert re.fullmatch(r"Backed up \d+ documents\.\n", said.err)
            assert (tmp_path / "all.jsonl").stat().st_mode & 0o077 == 0
            assert app.key not in (tmp_path / "all.jsonl").read_text()
            new = {"DATABASE_URL": database, "BOT_SECRET_KEYS": ring("A")}

            restored = await command(app, "restore", "all.jsonl", **new)
            again = await command(app, "restore", "all.jsonl", **new)

            assert restored.err.startswith("Restored "), restored.err
            assert restored.status == 0
            assert "holds data already" in again.err
            assert again.status == 1
            async with process(app, **new):
                await until_ready(app)
                await press_in(app.bob, await open_list(app, app.bob), "Send now")
                post = await next_digest(app)
            assert "shop.example" in post.everything

    async def test_a_database_becomes_a_file(self, tmp_path: Path, database: str) -> None:
        keys = {"BOT_SECRET_KEYS": ring("A")}
        there = {"DATABASE_URL": database, **keys}
        new = {"DATABASE_URL": f"sqlite:///{tmp_path}/new/bot.sqlite", **keys}
        async with used_app(tmp_path, **there) as app:
            printed = await command(app, "backup", "-", **there)
            restored = await piped(app, "restore", "-", given=printed.out.encode(), **new)

            count = len(printed.out.splitlines()) - 2  # head and foot
            assert (printed.status, restored.status) == (0, 0)
            assert printed.err == f"Backed up {count} documents.\n"
            assert restored.err == f"Restored {count} documents.\n"
            async with process(app, **new):
                await until_ready(app)
                await app.bob.type("/domains")
                await app.bob.next_message(where=lambda each: "1 domain," in each.everything)

    async def test_a_store_that_is_not_there_is_no_empty_backup(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path) as app:
            said = await command(app, "backup", "-")

            assert (said.out, said.status) == ("", 1)
            assert "There is no store at" in said.err


async def ask_again_and_again(app: Harness) -> None:
    while True:
        await app.bob.type("/domains")
        await app.bob.next_message(where=lambda each: "1 domain," in each.everything)


class TestRotation:
    async def test_nothing_is_left_under_the_old_key(self, tmp_path: Path) -> None:
        async with used_app(tmp_path, BOT_SECRET_KEYS=ring("A")) as app:
            said = await command(app, "rotate-secrets", BOT_SECRET_KEYS=ring("B", "A"))

            assert "1 sealed again under kB" in said.out
            assert said.status == 0
            assert b"v1.kA." not in bytes_at_rest(tmp_path)
            async with process(app, BOT_SECRET_KEYS=ring("B")):
                await until_ready(app)
                await app.bob.type("/domains")
                await app.bob.next_message(where=lambda each: "1 domain," in each.everything)

    async def test_without_a_key_that_is_lost_all_else_goes_on(self, tmp_path: Path) -> None:
        async with used_app(tmp_path, BOT_SECRET_KEYS=ring("A")) as app:
            refused = await command(app, "rotate-secrets", BOT_SECRET_KEYS=ring("B"))
            said = await command(
                app, "rotate-secrets", "--give-up-lost-keys", BOT_SECRET_KEYS=ring("B")
            )
            assert (refused.status, said.status) == (1, 0)
            assert "1 could not be opened" in said.out
            assert "Admins enter their API keys again" in said.out
            async with process(app, BOT_SECRET_KEYS=ring("B")):
                await until_ready(app)
                await app.ada.type("/domains")
                await app.ada.next_message(where=lambda each: "enter it again" in each.everything)
                await app.connect()
                await app.bob.type("/domains")
                await app.bob.next_message(where=lambda each: "1 domain," in each.everything)

    async def test_a_running_bot_is_asked_to_be_stopped(self, tmp_path: Path) -> None:
        async with stand_ins_in_real_time(tmp_path) as app, process(app):
            await until_ready(app)

            said = await command(app, "rotate-secrets")

            assert (said.out, said.status) == ("", 1)
            assert "Stop it first" in said.err

    async def test_with_the_key_file_it_says_what_to_do(self, tmp_path: Path) -> None:
        async with used_app(tmp_path) as app:
            said = await command(app, "rotate-secrets")

            assert "0 sealed again under k1" in said.out
            assert "set BOT_SECRET_KEYS" in said.out
            assert said.status == 0


async def test_the_version_is_one_line_and_needs_no_settings(tmp_path: Path) -> None:
    async with stand_ins_in_real_time(tmp_path) as app:
        said = await command(app, "--version", DOMAIN_TRACKER_API_URL="nonsense")

    assert (said.out, said.status) == (f"{__version__}\n", 0)


async def test_the_three_others_end_with_2_for_wrong_settings(tmp_path: Path) -> None:
    async with stand_ins_in_real_time(tmp_path) as app:
        for words in (["backup", "x"], ["restore", "x"], ["rotate-secrets"]):
            said = await command(app, *words, DOMAIN_TRACKER_URL="")

            assert (said.out, said.status) == ("", 2)
            assert "DOMAIN_TRACKER_URL: is missing" in said.err
