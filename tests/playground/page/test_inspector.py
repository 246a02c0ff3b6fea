"""The inspector: everything is in it, and no secret is."""

import asyncio
from pathlib import Path

import pytest

from bot.app.main import serve
from bot.playground.page.inspector import all_entries, details, entry_rows, without_typed_secrets
from bot.playground.page.tracker_pages.knobs import request_rows
from bot.playground.page.tracker_pages.paged_table import Query
from bot.playground.sandbox import running_sandbox
from tests.whole.harness import settings_for

KEY = "service_sk_Ab3" + "x7-Q_" * 7 + "fin"


@pytest.mark.parametrize(
    "typed", [KEY, f"my key is {KEY}, thanks", f"{KEY[:30]}\n{KEY[30:]}", KEY[1:], KEY[11:]]
)
def test_a_key_typed_into_a_form_cannot_be_read(typed: str) -> None:
    shown = str(without_typed_secrets({"values": [{"value": typed}], typed: 1}))

    for part in (KEY[11:23], KEY[23:35], KEY[-12:]):
        assert part not in shown


async def test_everything_is_shown_but_keys_and_tokens(tmp_path: Path) -> None:
    stop = asyncio.Event()
    async with running_sandbox(portfolios=("northwind", "harbor")) as sandbox:
        settings = settings_for(sandbox.slack, sandbox.tracker, tmp_path, "socket")
        bot = asyncio.create_task(serve(settings, stop, clock=sandbox.clock))
        await sandbox.slack.connected()
        await sandbox.connect("northwind")
        await sandbox.slack.person("bob").type(f"/scan {sandbox.demo_keys['harbor']}")
        stop.set()
        await bot

        rows, total = entry_rows(sandbox, Query(count=10_000))
        requests = request_rows(sandbox.tracker, Query())
        behind = [details(entry) for entry in all_entries(sandbox)]

    assert {row["what"].partition(" ")[0] for row in rows} >= {
        *("/domainkey", "/scan", "block_actions", "view_submission", "views.open", "auth.test")
    }
    app = sandbox.slack.app
    secrets = [key[11:] for key in sandbox.demo_keys.values()]
    secrets += [sandbox.slack.bot_token[5:], app.app_token[7:], app.verification_token]
    shown = str((rows, requests, behind))
    assert not [secret for secret in secrets if secret in shown]
    assert "service_sk_[hidden]" in shown
    assert (total, requests[1] > 0) == (len(behind), True)
