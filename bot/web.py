"""What the bot serves over HTTP: Slack's requests, and whether it is alive and ready."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from urllib.parse import parse_qs

import structlog
from aiohttp import web
from cachetools import TTLCache
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier

from bot.seen import Seen
from bot.single_flight import SingleFlight

logger = structlog.get_logger()

# With the default of 128, bursts wait a second for their connection to be taken.
BACKLOG = 2048
MAX_BODY_BYTES = 1024 * 1024
READY_WITHIN_S = 2.0
CHECKED_FOR_S = 0.5

Check = Callable[[], Awaitable[bool]]


class SlackEndpoint:
    """`POST /slack/events`: verifies, drops what was replayed, hands the rest to Bolt.

    Bolt's own verification answers a malformed timestamp with 500 (1.30), so this one is ours,
    with Slack's own verifier: https://docs.slack.dev/authentication/verifying-requests-from-slack.
    """

    def __init__(self, app: AsyncApp, signing_secret: str) -> None:
        self._app = app
        self._verifier = SignatureVerifier(signing_secret)
        self._seen = Seen(clock=time.monotonic)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request of Slack."""
        body = await request.read()
        if _is_ssl_check(request, body):
            return web.Response()
        if not self._is_genuine(request, body):
            return web.Response(status=401, text="the signature is missing, wrong or too old")
        if not _is_readable(request, body):
            return web.Response(status=400, text="the body cannot be read")
        if not self._seen.is_new(request.headers["X-Slack-Signature"]):
            return web.Response()
        try:
            answer = await self._app.async_dispatch(await to_bolt_request(request))
        except Exception:  # Bolt reads some parts of a payload before anything of ours is asked
            reference = secrets.token_hex(4)
            logger.exception("a request could not be read", request=reference)
            return web.Response(status=400, text=f"cannot be read; reference {reference}")
        return await to_aiohttp_response(answer)

    def _is_genuine(self, request: web.Request, body: bytes) -> bool:
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= 12):
            return False
        try:
            return self._verifier.is_valid(body, timestamp, signature)
        except (TypeError, ValueError):  # a signature that is no ASCII, a body that is no UTF-8
            return False


def _is_ssl_check(request: web.Request, body: bytes) -> bool:
    """Slack probes the address without a signature; nothing is done for such a request.

    https://docs.slack.dev/interactivity/implementing-slash-commands#validating-ssl
    """
    if request.content_type != "application/x-www-form-urlencoded" or len(body) > 1000:
        return False
    fields = parse_qs(body.decode(errors="replace"))
    return fields.get("ssl_check") == ["1"] and not fields.keys() & {"payload", "command"}


def _is_readable(request: web.Request, body: bytes) -> bool:
    try:
        text = body.decode()
        if request.content_type == "application/json":
            return isinstance(json.loads(text), dict)
        fields = parse_qs(text)
        if "payload" in fields:
            return isinstance(json.loads(fields["payload"][0]), dict)
        return bool(fields)
    except (ValueError, RecursionError):
        return False


class HealthEndpoints:
    """`/healthz`: the process lives. `/readyz`: everything that it needs works."""

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        # The store check writes: whoever asks every millisecond must not make it do so.
        self._works: TTLCache[str, dict[str, bool]] = TTLCache(1, CHECKED_FOR_S)
        self._flights: SingleFlight[str, dict[str, bool]] = SingleFlight()

    async def healthz(self, _request: web.Request) -> web.Response:
        """Answer 200."""
        return web.json_response({"status": "alive"})

    async def readyz(self, _request: web.Request) -> web.Response:
        """Answer 200, or 503, and what of it works."""
        works = self._works.get("")
        if works is None:
            works = self._works[""] = await self._flights.run("", self._check_all)
        status = 200 if all(works.values()) else 503
        return web.json_response({"ready": status == 200, "checks": works}, status=status)

    async def _check_all(self) -> dict[str, bool]:
        results = await asyncio.gather(*(self._check(name) for name in self._checks))
        return dict(zip(self._checks, results, strict=True))

    async def _check(self, name: str) -> bool:
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                return await self._checks[name]()
        except Exception as error:  # noqa: BLE001  # whatever it is, the answer is no
            logger.warning("not ready", check=name, error=repr(error))
            return False


@asynccontextmanager
async def listening(
    host: str, port: int, health: HealthEndpoints, slack: SlackEndpoint | None
) -> AsyncIterator[None]:
    """Listen inside the block; `slack` is `None` in Socket Mode."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/readyz", health.readyz)
    if slack:
        app.router.add_post("/slack/events", slack.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=BACKLOG).start()
        logger.info("listening", host=host, port=port)
        yield
    finally:
        await runner.cleanup()
