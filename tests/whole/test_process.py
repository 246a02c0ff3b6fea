"""The bot as operators start it: environment only, real processes, real kills."""

import asyncio
import base64
import os
import signal
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO

import pytest

from bot.playground.tracker.service import Hold
from tests.fakes import TIME_LIMIT_S
from tests.ports import reserve_port
from tests.processes import ROOT, BotProcess, start_bot, start_new_bot
from tests.whole.harness import RING, Clock, Harness, running_stand_ins, text_in_store, until_ready

pytestmark = [pytest.mark.transports("socket"), pytest.mark.real_time]

INHERITED = ("PATH", "SSL_CERT_FILE")


def environment(app: Harness) -> dict[str, str]:
    """What an operator sets, and what a process needs at all."""
    settings = app.settings
    way = (
        {"SLACK_APP_TOKEN": settings.slack_app_token.get_secret_value()}
        if settings.slack_app_token
        else {"SLACK_SIGNING_SECRET": app.slack.signing_secret}
    )
    return {
        **{name: os.environ[name] for name in INHERITED if name in os.environ},
        "PYTHONPATH": str(ROOT),
        "DOMAIN_TRACKER_URL": settings.domain_tracker_url,
        "SLACK_BOT_TOKEN": app.slack.bot_token,
        "SLACK_API_URL": app.slack.api_url,
        "DATABASE_URL": settings.database_url,
        "PORT": str(settings.port),
        "HOST": "127.0.0.1",
        "LOG_LEVEL": "DEBUG",
        **way,
        **({"BOT_SECRET_KEYS": RING} if settings.is_shared else {}),
    }


def stand_ins_in_real_time(
    folder: Path, transport: str = "socket"
) -> AbstractAsyncContextManager[Harness]:
    """Stand-ins for a process of its own, which goes by the machine's clock."""
    return running_stand_ins(folder, transport, Clock())


@contextmanager
def log_told(app: Harness) -> Iterator[IO[bytes]]:
    """Open `bot.log` for a process, and tell its end with what fails then."""
    with (app.folder / "bot.log").open("ab") as log:
        try:
            yield log
        except BaseException as error:
            error.add_note(f"its log ends: {log_of(app)[-3000:]}")
            raise


@asynccontextmanager
async def process(
    app: Harness, *words: str, module: str = "bot", **more: str
) -> AsyncIterator[BotProcess]:
    """Run the bot in a process of its own; its log goes to `bot.log` beside the store."""
    with log_told(app) as log:
        bot = await start_bot(
            *words,
            env=environment(app) | more,
            cwd=app.folder,
            module=module,
            stdin=PIPE,
            stderr=log,
        )
        try:
            yield bot
        finally:
            bot.kill()
            await bot.wait()


@asynccontextmanager
async def new_process(app: Harness, **more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run the same as a shell does, imports and all."""
    with log_told(app) as log:
        bot = await start_new_bot(env=environment(app) | more, cwd=app.folder, stderr=log)
        try:
            yield bot
        finally:
            if bot.returncode is None:
                bot.kill()
            await bot.wait()


async def ended(bot: asyncio.subprocess.Process | BotProcess) -> int:
    async with asyncio.timeout(TIME_LIMIT_S):
        return await bot.wait()


async def until_logged(app: Harness, words: str) -> None:
    """Wait until the process has said that."""
    async with asyncio.timeout(TIME_LIMIT_S):
        while words not in log_of(app):  # noqa: ASYNC110  # no event of another process tells
            await asyncio.sleep(0.02)


def log_of(app: Harness) -> str:
    return (app.folder / "bot.log").read_text()


async def test_an_admin_connects_and_members_work(tmp_path: Path, transport: str) -> None:
    async with stand_ins_in_real_time(tmp_path, transport) as app, new_process(app) as bot:
        app.account.add("shop.example", health=41)
        await until_ready(app)

        refused = await app.ask(app.bob, "/domainkey")
        await app.connect()
        listed = await app.ask(app.bob, "/domains")
        scanned = await app.ask(app.bob, "/scan shop.example")
        added = await app.ask(app.bob, "/adddomain new.example")
        bot.send_signal(signal.SIGTERM)

        assert "Only admins, owners, and appointed managers" in refused.everything
        assert "1 domain," in listed.everything
        assert "Scan of shop.example" in scanned.everything
        assert "Added " in added.everything
        assert await ended(bot) == 0


@pytest.mark.transports("socket", "shared")
async def test_no_key_or_token_in_logs_store_or_any_call(tmp_path: Path, transport: str) -> None:
    async with stand_ins_in_real_time(tmp_path, transport) as app, process(app) as bot:
        app.account.add("shop.example", health=41)
        await until_ready(app)
        await app.connect()
        await app.ask(app.bob, f"/scan {app.key}")
        await app.ada.press(await app.ask(app.ada, "/domainkey"), "Replace key")
        await app.ada.submit(await app.ada.next_form(), {"API key": f"sk_{app.key[11:]}"})
        await app.ask(app.bob, "/scan shop.example")
        app.tracker.fail_next("500", times=9)
        await app.ask(app.bob, "/adddomain broken.example")
        bot.send_signal(signal.SIGTERM)
        await ended(bot)

        secrets = [app.key[11:], app.slack.bot_token[5:], app.slack.app_token[5:]]
        stored = await text_in_store(app)
        calls = str([(call.arguments, call.answer) for call in app.slack.calls])
        for secret in secrets:
            assert secret not in log_of(app)
            assert secret.encode() not in stored
        assert app.key[11:] not in calls
        assert app.key[11:] not in str([sent.body for sent in app.slack.envelopes])


async def test_a_second_process_on_the_same_file_is_refused(tmp_path: Path) -> None:
    async with stand_ins_in_real_time(tmp_path) as app, process(app):
        await until_ready(app)

        async with process(app, PORT=f"{reserve_port()}") as second:
            assert await ended(second) == 1

        assert "The bot cannot start: process" in log_of(app)
        assert ".lock. Stop it first." in log_of(app)
        assert "Traceback" not in log_of(app)


async def test_other_keys_than_those_of_the_store_are_refused_at_start(tmp_path: Path) -> None:
    def ring(letter: bytes) -> str:
        return "k1:" + base64.b64encode(letter * 32).decode()

    async with stand_ins_in_real_time(tmp_path) as app:
        async with process(app, BOT_SECRET_KEYS=ring(b"a")):
            await until_ready(app)
        async with process(app, BOT_SECRET_KEYS=ring(b"b")) as wrong:
            assert await ended(wrong) == 2

        assert "BOT_SECRET_KEYS" in log_of(app)
        assert "Traceback" not in log_of(app)


@pytest.mark.parametrize(
    ("name", "value"),
    [("SLACK_BOT_TOKEN", "xoxb-wrong"), ("SLACK_APP_TOKEN", "xapp-wrong")],
)
async def test_a_refused_token_ends_the_start(tmp_path: Path, name: str, value: str) -> None:
    async with stand_ins_in_real_time(tmp_path) as app:
        async with process(app, **{name: value}) as bot:
            assert await ended(bot) == 1

        assert f"{name}: Slack refuses it (invalid_auth)" in log_of(app)
        assert "`python -m bot doctor` checks" in log_of(app)


async def test_every_wrong_setting_is_named_before_the_bot_is_loaded(tmp_path: Path) -> None:
    """Within a second, which depends on the machine: loading the bot takes most of one."""
    async with stand_ins_in_real_time(tmp_path) as app:
        wrong = {"DOMAIN_TRACKER_URL": "", "SLACK_BOT_TOKEN": "secret-thing", "TICK_SECONDS": "x"}
        async with new_process(app, **wrong, PYTHONPROFILEIMPORTTIME="1") as bot:
            assert await ended(bot) == 2

        for name in wrong:
            assert name in log_of(app)
        assert "secret-thing" not in log_of(app)
        assert "docs/operators.md explains each setting" in log_of(app)
        assert "bot.settings" in log_of(app)
        for module in ("bot.app.main", "slack_bolt", "procrastinate"):
            assert module not in log_of(app)


@asynccontextmanager
async def scanning(
    tmp_path: Path, transport: str
) -> AsyncIterator[tuple[Harness, BotProcess, Hold]]:
    """Run the bot in the middle of bob's scan, whose answer is held back."""
    async with stand_ins_in_real_time(tmp_path, transport) as app, process(app) as bot:
        app.account.add("shop.example", health=41)
        await until_ready(app)
        await app.connect()
        hold = app.tracker.hold_scans()
        await app.bob.type("/scan shop.example")
        await hold.waiting(1)
        yield app, bot, hold


async def test_a_second_signal_of_a_platform_still_waits(tmp_path: Path, transport: str) -> None:
    """https://devcenter.heroku.com/articles/dyno-shutdown-behavior."""
    async with scanning(tmp_path, transport) as (app, bot, hold):
        bot.send_signal(signal.SIGTERM)
        await until_logged(app, "stopping")
        for _ in range(2):
            bot.send_signal(signal.SIGTERM)
        hold.release()

        assert "Scan of shop.example" in (await app.answer(app.bob)).everything
        assert await ended(bot) == 0


async def test_a_second_ctrl_c_ends_the_wait(tmp_path: Path) -> None:
    async with scanning(tmp_path, "socket") as (app, bot, hold):
        bot.send_signal(signal.SIGINT)
        await until_logged(app, "stopping")
        bot.send_signal(signal.SIGINT)

        assert await ended(bot) == 1
        hold.release()
