"""HTTP from outside: signatures, nonsense, health."""

import asyncio
import io
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from bot.app.main import serve
from tests.fakes import TIME_LIMIT_S
from tests.loops import loop_over
from tests.whole.harness import Harness, running_harness, running_stand_ins

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Harness]:
    async with running_harness(tmp_path, "http") as app:
        yield app


def command_body(app: Harness, **more: str) -> bytes:
    fields = {
        "command": "/domains",
        "text": "help",
        "team_id": app.slack.team_id,
        "channel_id": "C1",
        "user_id": app.bob.id,
        "trigger_id": "1.2.3",
        "response_url": "http://127.0.0.1:9/none",
    }
    return urlencode(fields | more).encode()


@loop_over(
    "body",
    [
        *(b"a=b", b"payload=%7B%7D", b"payload=%7B%22type%22%3A%22x%22%7D", b"command=%2Fother"),
        b"command=%2Fdomains&team_id=T0PLAYGROUND",
    ],
    ids=["unknown-form", "empty-object", "unknown-type", "unknown-command", "command-of-nobody"],
)
async def test_signed_requests_of_unknown_workspaces_never_fail(app: Harness, body: bytes) -> None:
    status, text = await app.slack.raw_post(body, app.slack.sign(body) | FORM)

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
async def test_incomplete_requests_get_a_4xx(app: Harness, payload: dict[str, object]) -> None:
    body = urlencode({"payload": json.dumps(TEAM | payload)}).encode()

    status, text = await app.slack.raw_post(body, app.slack.sign(body) | FORM)

    assert 400 <= status < 500
    assert "Traceback" not in text


@pytest.mark.parametrize("fault", [{"kind": "html"}, {"retry_after_s": 1800}], ids=str)
async def test_a_command_needs_no_auth_test(tmp_path: Path, fault: dict[str, Any]) -> None:
    async with running_stand_ins(tmp_path, "http") as app:
        app.slack.fail_next("auth.test", times=50, **fault)
        stop = asyncio.Event()
        bot = asyncio.create_task(serve(app.settings, stop))
        app.slack.deliver_to(app.url("/slack/events"))
        async with aiohttp.ClientSession() as http:
            await _listens(http, app)

        await app.bob.type("/domains help")

        assert "try again" in app.bob.messages()[0].everything
        stop.set()
        await bot


async def _listens(http: aiohttp.ClientSession, app: Harness) -> None:
    async with asyncio.timeout(TIME_LIMIT_S):
        while True:
            try:
                async with http.get(app.url("/healthz")):
                    return
            except aiohttp.ClientConnectionError:
                await asyncio.sleep(0.01)


async def test_a_body_of_two_megabytes_is_refused(app: Harness) -> None:
    body = b"x" * 2_000_000
    headers = app.slack.sign(body) | FORM

    async with (
        aiohttp.ClientSession() as http,
        http.post(app.url("/slack/events"), data=io.BytesIO(body), headers=headers) as answer,
    ):
        assert answer.status == 413


@loop_over("kind", ["command", "press"])
async def test_a_stranger_gets_a_sentence_without_an_address(
    app: Harness, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    body = command_body(app, team_id="T0SOMEONEELSE")
    if kind == "press":
        press = {
            "type": "block_actions",
            "user": {"id": "U1", "team_id": "T0SOMEONEELSE"},
            "team": {"id": "T0SOMEONEELSE"},
            "actions": [{"type": "button", "action_id": "key.set", "block_id": "b"}],
            "response_url": "http://127.0.0.1:9/none",
        }
        body = urlencode({"payload": json.dumps(press)}).encode()

    status, text = await app.slack.raw_post(body, app.slack.sign(body) | FORM)

    assert status == 200
    assert ("This app serves another workspace" in text) is (kind == "command")
    assert app.tracker.requests == []
    assert "[error" not in capsys.readouterr().out


@loop_over("event", [{"type": "reaction_added"}, {"type": "channel_archive"}, {}])
async def test_an_unused_event_is_counted(app: Harness, event: dict[str, str]) -> None:
    """Slack switches all events of an app off when most fail."""
    before = await counted(app, "ignored_event")
    about = {"type": "event_callback", "team_id": app.slack.team_id, "api_app_id": "A1"}
    body = json.dumps(about | {"event": event}).encode()

    status, _ = await app.slack.raw_post(body, app.slack.sign(body) | JSON)

    assert status == 200
    assert await counted(app, "ignored_event") == before + 1


async def test_a_notice_that_slack_holds_events_back_is_taken_counted_and_logged_in_a_line(
    app: Harness, capsys: pytest.CaptureFixture[str]
) -> None:
    """https://docs.slack.dev/reference/events/app_rate_limited."""
    notice = {"token": "x", "type": "app_rate_limited", "team_id": app.slack.team_id}
    more = {"minute_rate_limited": 1518467820, "api_app_id": "A1"}
    body = json.dumps(notice | more).encode()

    status, _ = await app.slack.raw_post(body, app.slack.sign(body) | JSON)

    said = capsys.readouterr().out.splitlines()
    assert status == 200
    assert await counted(app, "rate_limited") >= 1
    assert sum("Slack holds events back" in line for line in said) == 1


async def test_the_address_for_events_can_be_verified(app: Harness) -> None:
    """Slack does so when it is entered: https://docs.slack.dev/reference/events/url_verification."""
    body = json.dumps({"token": "x", "challenge": "3eZbrw1a", "type": "url_verification"}).encode()

    status, text = await app.slack.raw_post(body, app.slack.sign(body) | JSON)

    assert (status, json.loads(text)) == (200, {"challenge": "3eZbrw1a"})


async def counted(app: Harness, kind: str) -> float:
    """Return how many requests of a kind the page of metrics counts."""
    async with aiohttp.ClientSession() as http, http.get(app.url("/metrics")) as answer:
        families = text_string_to_metric_families(await answer.text())
        samples = [sample for family in families for sample in family.samples]
    return sum(
        each.value
        for each in samples
        if (each.name, each.labels) == ("bot_ack_seconds_count", {"kind": kind})
    )


async def readiness(app: Harness, *, status: int) -> Any:
    """Ask until `/readyz` has that status; return what it tells then."""
    async with aiohttp.ClientSession() as http, asyncio.timeout(TIME_LIMIT_S):
        while True:
            async with http.get(app.url("/readyz")) as answer:
                if answer.status == status:
                    return await answer.json()
            await asyncio.sleep(0.02)


async def test_health_and_readiness_are_json(app: Harness) -> None:
    async with aiohttp.ClientSession() as http, http.get(app.url("/healthz")) as alive:
        assert alive.status == 200

    assert await readiness(app, status=200) == {
        "ready": True,
        "checks": {"store": True, "slack": True, "tick": True},
    }


async def test_a_store_whose_folder_is_gone_is_not_ready(app: Harness) -> None:
    app.settings.database_path.unlink()

    text = await readiness(app, status=503)  # the last result is good for half a second
    assert text["checks"]["store"] is False


async def test_a_refusing_slack_makes_the_bot_unready(app: Harness) -> None:
    await readiness(app, status=200)
    app.slack.fail_next("*", kind="html", times=10_000)
    await app.bob.type("/domains help")

    text = await readiness(app, status=503)
    app.slack.app.faults.clear()

    assert text["checks"]["slack"] is False
    await readiness(app, status=200)
