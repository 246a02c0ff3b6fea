"""The inspector: everything is in it, and no secret is."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from nicegui import ui

from bot.app import serve
from bot.playground.page import inspector
from bot.playground.page.inspector import (
    KINDS,
    all_entries,
    details,
    entry_rows,
    without_secrets,
    without_typed_secrets,
)
from bot.playground.page.tracker_pages.paged_table import Query
from bot.playground.sandbox import Sandbox, running_sandbox
from tests.playground.page.visiting import visiting
from tests.whole.harness import settings_for

KEY = "service_sk_Ab3" + "x7-Q_" * 7 + "fin"
TAIL = KEY[11:]


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    """A sandbox whose bot was connected, and asked once."""
    stop = asyncio.Event()
    async with running_sandbox(portfolios=("northwind", "harbor")) as sandbox:
        settings = settings_for(sandbox.slack, sandbox.tracker, tmp_path, "socket")
        bot = asyncio.create_task(serve(settings, stop, clock=sandbox.clock))
        await sandbox.slack.connected()
        await sandbox.connect("northwind")
        yield sandbox
        stop.set()
        await bot


def everything(sandbox: Sandbox) -> str:
    """All that the inspector would ever show."""
    rows, _ = entry_rows(sandbox, frozenset(KINDS), Query(count=0))
    return str(rows) + str([details(entry) for entry in all_entries(sandbox)])


@pytest.mark.parametrize(
    "typed",
    [
        KEY,
        f"my key is {KEY}, thanks",
        KEY.upper(),
        f"{KEY[:30]} {KEY[30:]}",
        f"{KEY[:30]}\n{KEY[30:]}",
        f"{KEY[:30]}\u200b{KEY[30:]}",
        KEY[1:],
        TAIL,
        KEY[:40],
    ],
    ids=str,
)
def test_a_key_typed_into_a_form_cannot_be_read(typed: str) -> None:
    payload = {"view": {"state": {"values": {"b": {"a": {"value": typed}}}}}, typed: 1}

    shown = str(without_typed_secrets(payload))

    for part in (TAIL[:12], TAIL[12:24], TAIL[-12:]):
        assert part.lower() not in shown.lower()


@pytest.mark.parametrize(
    "secret",
    [
        "xoxb-1-abcdef",
        "xoxe.xoxb-1-abcdef",
        "xapp-1-abcdef",
        "ws://127.0.0.1:1/link?ticket=abcdef&app_id=A0",
    ],
)
def test_tokens_cannot_be_read(secret: str) -> None:
    assert "abcdef" not in str(without_secrets({"url": [secret], "ok": True}))


def test_what_is_no_secret_stays() -> None:
    innocent = {
        "text": "service_sk_…wxyz works and is saved",
        "name": ["a-very-long-host-name-of-a-shop.example", 41, None, True],
        "id": "dom_0123456789abcdef",
    }

    assert without_typed_secrets(innocent) == innocent


@pytest.mark.anyio
async def test_an_envelope_says_who_and_how_fast(sandbox: Sandbox) -> None:
    rows, _ = entry_rows(sandbox, frozenset({"to the bot"}), Query(words="set key"))

    assert [(row["what"], row["who"]) for row in rows] == [("block_actions Set key", "ada")]
    assert rows[0]["outcome"].startswith("ack in ")
    assert rows[0]["outcome"].endswith(" ms")


@pytest.mark.anyio
async def test_no_key_and_no_token_is_in_it(sandbox: Sandbox) -> None:
    await sandbox.slack.person("bob").type(f"/scan {sandbox.keys.demo('harbor')}")
    shown = everything(sandbox)

    world = sandbox.slack.world
    secrets = [sandbox.keys.demo(name)[11:] for name in ("northwind", "harbor")]
    secrets += [world.bot_token[5:], world.app.app_token[7:], world.app.verification_token]
    for secret in secrets:
        assert secret not in shown
    assert "service_sk_[hidden]" in shown


@pytest.mark.anyio
async def test_a_line_opens_what_is_behind_it(sandbox: Sandbox) -> None:
    async with visiting(sandbox, inspector.add) as visitor:
        await visitor.open("/inspector")
        rows = next(iter(visitor.find(ui.table).elements)).rows
        wanted = next(row for row in rows if row["what"].startswith("view_submission"))

        visitor.find(ui.table).trigger("rowClick", [None, {"id": wanted["id"]}, None])

        await visitor.should_see("Payload")
        await visitor.should_see("service_sk_[hidden]")
