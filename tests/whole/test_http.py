"""HTTP from outside: signatures, replays, nonsense, health."""

import asyncio
import io
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest

from bot.app import serve
from tests.fakes import TIME_LIMIT_S
from tests.loops import loop_over
from tests.whole.town import Town, running_stand_ins, running_town

pytestmark = pytest.mark.anyio

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    async with running_town(tmp_path, "http") as town:
        yield town


def command_body(town: Town, **more: str) -> bytes:
    fields = {
        "command": "/domains",
        "text": "help",
        "team_id": town.slack.team_id,
        "channel_id": "C1",
        "user_id": town.bob.id,
        "trigger_id": "1.2.3",
        "response_url": "http://127.0.0.1:9/none",
    }
    return urlencode(fields | more).encode()


@loop_over(
    "change",
    [
        {"X-Slack-Signature": "v0=00"},
        {"X-Slack-Signature": ""},
        {"X-Slack-Signature": "ünsinn"},
        {"X-Slack-Request-Timestamp": "soon"},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Request-Timestamp": "9" * 400},
        {"X-Slack-Request-Timestamp": "-1"},
        {"X-Slack-Request-Timestamp": "١٢٣"},
    ],
    ids=str,
)
async def test_a_wrong_signature_or_timestamp_is_401(town: Town, change: dict[str, str]) -> None:
    body = command_body(town)

    status, _ = await town.slack.raw_post(body, town.slack.sign(body) | FORM | change)

    assert status == 401


async def test_an_old_signature_is_401(town: Town) -> None:
    body = command_body(town)

    status, _ = await town.slack.raw_post(body, town.slack.sign(body, time.time() - 400) | FORM)

    assert status == 401


@loop_over(
    "body",
    [b"", b"payload=", b"payload=[]", b"payload=%7B", b"\xff\xfe", b"payload=" + b"[" * 90_000],
    ids=["empty", "no-payload", "a-list", "half-a-brace", "no-utf-8", "deep"],
)
async def test_signed_nonsense_is_a_4xx(town: Town, body: bytes) -> None:
    status, _ = await town.slack.raw_post(body, town.slack.sign(body) | FORM)

    assert 400 <= status < 500


@loop_over(
    "body",
    [b"a=b", b"payload=%7B%7D", b"payload=%7B%22type%22%3A%22x%22%7D", b"command=%2Fother"],
    ids=["unknown-form", "empty-object", "unknown-type", "unknown-command"],
)
async def test_signed_requests_for_nobody_never_fail(town: Town, body: bytes) -> None:
    status, text = await town.slack.raw_post(body, town.slack.sign(body) | FORM)

    assert status < 500
    assert "Traceback" not in text


PERSON = {"id": "U1", "team_id": "T0PLAYGROUND"}
TEAM = {"team": {"id": "T0PLAYGROUND"}, "api_app_id": "A1"}
HALF = {
    "a-press-without-actions": {"type": "block_actions", "user": PERSON, "actions": []},
    "a-press-without-a-user": {
        "type": "block_actions",
        "actions": [{"type": "button", "action_id": "key.set", "block_id": "b"}],
    },
    "a-form-without-state": {
        "type": "view_submission",
        "user": PERSON,
        "view": {"id": "V1", "callback_id": "key", "type": "modal"},
    },
    "a-form-with-odd-metadata": {
        "type": "view_submission",
        "user": PERSON,
        "view": {"id": "V1", "callback_id": "add", "private_metadata": "7", "state": {}},
    },
    "options-without-a-user": {"type": "block_suggestion", "action_id": "scan.domain"},
}


@loop_over("payload", HALF.values(), ids=HALF.keys())
async def test_signed_requests_with_parts_missing_are_a_4xx(
    town: Town, payload: dict[str, object]
) -> None:
    body = urlencode({"payload": json.dumps(TEAM | payload)}).encode()

    status, text = await town.slack.raw_post(body, town.slack.sign(body) | FORM)

    assert 400 <= status < 500
    assert "Traceback" not in text


async def test_a_command_without_a_user_is_a_4xx(town: Town) -> None:
    fields = {"command": "/domains", "team_id": town.slack.team_id, "text": ""}
    body = urlencode(fields).encode()

    status, _ = await town.slack.raw_post(body, town.slack.sign(body) | FORM)

    assert 400 <= status < 500


async def test_a_command_is_answered_while_slack_does_not_say_who_we_are(tmp_path: Path) -> None:
    async with running_stand_ins(tmp_path, "http") as town:
        town.slack.fail_next("auth.test", kind="html", times=50)
        stop = asyncio.Event()
        bot = asyncio.create_task(serve(town.settings, stop))
        town.slack.deliver_to(town.url("/slack/events"))
        async with aiohttp.ClientSession() as http:
            await _listens(http, town)

        await town.bob.type("/domains help")

        assert "try again" in town.bob.messages()[0].everything
        stop.set()
        await bot


async def _listens(http: aiohttp.ClientSession, town: Town) -> None:
    async with asyncio.timeout(TIME_LIMIT_S):
        while True:
            try:
                async with http.get(town.url("/healthz")):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.01)


async def test_a_body_of_two_megabytes_is_refused(town: Town) -> None:
    body = b"x" * 2_000_000
    headers = town.slack.sign(body) | FORM

    async with (
        aiohttp.ClientSession() as http,
        http.post(town.url("/slack/events"), data=io.BytesIO(body), headers=headers) as answer,
    ):
        assert answer.status == 413


async def test_a_replayed_request_acts_once(town: Town) -> None:
    await town.ask(town.bob, "/domains help")
    typed = town.slack.envelopes[-1].payload
    body = urlencode(typed | {"text": "help", "trigger_id": "replayed"}).encode()
    headers = town.slack.sign(body) | FORM

    statuses = [(await town.slack.raw_post(body, headers))[0] for _ in range(3)]
    await town.answer(town.bob)
    await town.ask(town.ada, "/domains help")

    assert statuses == [200, 200, 200]
    assert len(town.bob.messages()) == 2


async def test_a_request_of_another_workspace_is_refused(town: Town) -> None:
    body = command_body(town, team_id="T0SOMEONEELSE")

    await town.slack.raw_post(body, town.slack.sign(body) | FORM)

    assert town.tracker.requests == []


async def readiness(town: Town, *, status: int) -> Any:
    """Ask until `/readyz` has that status; return what it tells then."""
    async with aiohttp.ClientSession() as http, asyncio.timeout(TIME_LIMIT_S):
        while True:
            async with http.get(town.url("/readyz")) as answer:
                if answer.status == status:
                    return await answer.json()
            await asyncio.sleep(0.02)


async def test_health_and_readiness_are_told_as_json(town: Town) -> None:
    async with aiohttp.ClientSession() as http, http.get(town.url("/healthz")) as alive:
        assert alive.status == 200

    assert await readiness(town, status=200) == {
        "ready": True,
        "checks": {"store": True, "slack": True, "clock": True, "tick": True},
    }


async def test_a_store_whose_folder_is_gone_is_not_ready(town: Town) -> None:
    town.settings.database_path.unlink()

    told = await readiness(town, status=503)  # the last result is good for half a second
    assert told["checks"]["store"] is False


@loop_over("body", [b"ssl_check=1&token=x", b"token=x&ssl_check=1"])
async def test_slacks_probe_of_the_address_is_answered_without_a_signature(
    town: Town, body: bytes
) -> None:
    status, _ = await town.slack.raw_post(body, FORM)

    assert status == 200
