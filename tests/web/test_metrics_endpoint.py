"""Who may read the metrics."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from bot.web.metrics import Metrics
from bot.web.server import HealthEndpoints, MetricsEndpoint, listening
from tests.loops import loop_over
from tests.ports import reserve_port

TOKEN = "a-token-of-enough-letters"


async def page(_accepts: str) -> tuple[bytes, str]:
    return b"bot_up 1\n", "text/plain; version=0.0.4; charset=utf-8"


async def answer(
    headers: Mapping[str, str] | None = None,
    *,
    token: str | None = TOKEN,
    remote: str = "203.0.113.9",
) -> web.Response:
    """Return what a caller from this address gets."""
    request = make_mocked_request("GET", "/metrics", headers=headers).clone(remote=remote)
    return await MetricsEndpoint(page, token).answer(request)


@loop_over(
    "given",
    [
        None,
        "",
        TOKEN,
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN[:-1]}",
        "Bearer ä",
    ],
)
async def test_a_wrong_token_reads_nothing_even_locally(given: str | None) -> None:
    headers = {} if given is None else {"Authorization": given}

    response = await answer(headers, remote="127.0.0.1")

    assert (response.status, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert TOKEN not in (response.text or "")


@pytest.mark.parametrize("remote", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
async def test_without_a_token_this_machine_reads_them(remote: str) -> None:
    assert (await answer(token=None, remote=remote)).status == 200


@pytest.mark.parametrize("remote", ["203.0.113.9", "10.0.0.1", "::ffff:10.0.0.1", "", "unix"])
async def test_without_a_token_no_other_machine_does(remote: str) -> None:
    assert (await answer(token=None, remote=remote)).status == 403


@loop_over(
    "headers",
    [
        *({name: "127.0.0.1"} for name in ("X-Forwarded-For", "Forwarded", "X-Real-IP", "Via")),
        {"Host": "127.0.0.1", "X-Forwarded-Proto": "https"},
        {"Host": "127.0.0.1", "X-Forwarded-Host": "bot.example.com"},
        {"Host": "bot.example.com"},
    ],
)
async def test_a_local_proxy_reads_nothing_without_a_token(headers: dict[str, str]) -> None:
    assert (await answer(headers, token=None, remote="127.0.0.1")).status == 403


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Listen as the bot does, in Socket Mode."""
    port = reserve_port()
    metrics = MetricsEndpoint(Metrics(role="all", store="sqlite").page, TOKEN)
    async with listening("127.0.0.1", port, HealthEndpoints({}), None, metrics=metrics):
        yield f"http://127.0.0.1:{port}"


async def test_prometheus_gets_the_page_of_a_bot() -> None:
    async with serving() as url, aiohttp.ClientSession() as prometheus:
        right = {"Authorization": f"Bearer {TOKEN}", "Accept": "text/plain;version=0.0.4"}
        async with prometheus.get(f"{url}/metrics", headers=right) as reply:
            text, status = await reply.text(), reply.status

    assert status == 200
    assert "# TYPE bot_build_info gauge" in text


async def test_a_token_that_is_no_text_is_a_wrong_one() -> None:
    async with serving() as url:
        host, port = url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \xff\xfe\r\n\r\n")
        status = await reader.readline()
        writer.close()

    assert b" 401 " in status


async def test_invalid_http_is_not_logged(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    port = reserve_port()
    async with listening("127.0.0.1", port, HealthEndpoints({}), None):
        for sent in (b"scan\r\n\r\n", b"GET / HTTP/1.1\r\nAuthorization : Bearer x\r\n\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            await reader.read()
            writer.close()
            await writer.wait_closed()

    assert caplog.records == []


async def test_a_check_that_hangs_is_not_waited_for() -> None:
    async def hang() -> bool:
        await asyncio.Event().wait()
        return True

    health = HealthEndpoints({"store": hang})
    port = reserve_port()
    async with listening("127.0.0.1", port, health, None), aiohttp.ClientSession() as http:
        answer = await http.get(f"http://127.0.0.1:{port}/readyz")
        text = await answer.json()

    assert (answer.status, text) == (503, {"ready": False, "checks": {"store": False}})
