"""Serve HTTP: Slack's requests, health, metrics and installation pages."""

import asyncio
import hmac
import json
import logging
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, closing
from typing import Any
from urllib.parse import parse_qs

import structlog
from aiohttp import hdrs, web
from aiohttp.http import HttpProcessingError
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier

from bot.settings import is_loopback
from bot.store.deduplication import Dedup
from bot.web.connections import BoundedServer, ConnectionLimits

logger = structlog.get_logger()
READY_WITHIN_S = 2.0
# It fails by an error, or by `False`.
Check = Callable[[], Awaitable[object]]
# Takes an Accept header; returns the page and its content type.
Page = Callable[[str], Awaitable[tuple[bytes, str]]]
# A request with one of these came through a proxy, so its origin is not certain.
_FORWARDED = re.compile("Forwarded|X-Forwarded-.*|X-Real-IP|Via", re.IGNORECASE)
MAX_BODY_BYTES = 1024 * 1024


class HealthEndpoints:
    """`/healthz`: the process runs. `/readyz`: all checks pass, and it is not stopping.

    A stopping process still answers requests, but a load balancer must not send new ones.
    """

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self._is_stopping = False

    def stop(self) -> None:
        self._is_stopping = True

    async def healthz(self, _request: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def readyz(self, _request: web.Request) -> web.Response:
        if self._is_stopping:
            return web.json_response({"ready": False, "checks": {"running": False}}, status=503)
        results = await asyncio.gather(*(self._check(name) for name in self._checks))
        works = dict(zip(self._checks, results, strict=True))
        status = 200 if all(works.values()) else 503
        return web.json_response({"ready": status == 200, "checks": works}, status=status)

    async def _check(self, name: str) -> bool:
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                return await self._checks[name]() is not False
        except Exception as error:  # noqa: BLE001  # any error is a failed check
            logger.warning("not ready", check=name, error=repr(error))
            return False


class MetricsEndpoint:
    """`GET /metrics`, for requests with `token` as bearer token; without one, for this machine.

    https://datatracker.ietf.org/doc/html/rfc6750#section-2.1
    """

    def __init__(self, page: Page, token: str | None) -> None:
        self._page = page
        self._token = token

    async def answer(self, request: web.Request) -> web.Response:
        if self._token is None and not _is_from_this_machine(request):
            return web.Response(status=403, text="set METRICS_TOKEN to read this from elsewhere")
        if self._token is not None and not _has_token(request, self._token):
            return web.Response(
                status=401,
                text="METRICS_TOKEN is needed as a bearer token",
                headers={hdrs.WWW_AUTHENTICATE: "Bearer"},
            )
        body, content_type = await self._page(request.headers.get(hdrs.ACCEPT, ""))
        headers = {hdrs.CONTENT_TYPE: content_type, hdrs.CACHE_CONTROL: "no-store"}
        return web.Response(body=body, headers=headers)


def _has_token(request: web.Request, token: str) -> bool:
    scheme, _, given = request.headers.get(hdrs.AUTHORIZATION, "").partition(" ")
    is_right = hmac.compare_digest(given.strip().encode(errors="replace"), token.encode())
    return is_right and scheme.lower() == "bearer"


def _is_from_this_machine(request: web.Request) -> bool:
    """Return whether a request comes from this machine, and not through a proxy on it.

    A proxy that adds no header and sends `localhost` as the host is not recognised.
    """
    if any(_FORWARDED.fullmatch(name) for name in request.headers):
        return False
    return is_loopback(request.url.host or "") and is_loopback(request.remote or "")


class SlackEndpoint:
    """`POST /slack/events`: verifies requests, drops replays, passes the rest to Bolt.

    Bolt's own verification answers a malformed timestamp with 500 (1.30), so requests are verified
    here: https://docs.slack.dev/authentication/verifying-requests-from-slack. `seen` is shared by
    all processes, as a replay may reach any of them.
    """

    def __init__(self, app: AsyncApp, signing_secret: str, *, seen: Dedup) -> None:
        self._app = app
        self._verifier = SignatureVerifier(signing_secret)
        self._seen = seen

    async def answer(self, request: web.Request) -> web.Response:
        body = await request.read()
        if _is_ssl_check(request, body):
            return web.Response()
        if not self._is_genuine(request, body):
            return web.Response(status=401, text="the signature is missing, wrong or too old")
        if (payload := _payload(request, body)) is None:
            return web.Response(status=400, text="the body cannot be read")
        name = f"request/{request.headers['X-Slack-Signature']}"
        # Two look-ups of the same letters within a second have one signature; neither acts.
        is_look_up = payload.get("type") == "block_suggestion"
        if not is_look_up and not await self._seen.remember(name):
            return web.Response()
        try:
            response = await self._app.async_dispatch(await to_bolt_request(request))
        except Exception:  # Bolt parses a payload before it calls our error handler
            reference = secrets.token_hex(4)
            logger.exception("a request could not be read", request=reference)
            return web.Response(status=400, text=f"cannot be read; reference {reference}")
        if response.status >= 500:  # nothing was done: Slack sends it again within a second
            await self._seen.forget(name)
        return await to_aiohttp_response(response)

    def _is_genuine(self, request: web.Request, body: bytes) -> bool:
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        try:
            return self._verifier.is_valid(body, timestamp, signature)
        # A non-ASCII signature; a timestamp that is not a number, a body that is not UTF-8; a
        # number that is no date.
        except (TypeError, ValueError, OverflowError):
            return False


def _is_ssl_check(request: web.Request, body: bytes) -> bool:
    """Return whether this is Slack's unsigned probe of the address.

    https://docs.slack.dev/interactivity/implementing-slash-commands#validating-ssl
    """
    is_form = request.content_type == "application/x-www-form-urlencoded"
    if b"ssl_check" not in body or not is_form or len(body) > 1000:
        return False
    fields = parse_qs(body.decode(errors="replace"))
    return fields.get("ssl_check") == ["1"] and not fields.keys() & {"payload", "command"}


def _payload(request: web.Request, body: bytes) -> Mapping[str, Any] | None:
    """Return what a body holds, `None` if it cannot be read."""
    try:
        text = body.decode()
        if request.content_type == "application/json":
            payload = json.loads(text)
        else:
            fields = parse_qs(text)
            payload = json.loads(fields["payload"][0]) if "payload" in fields else fields or None
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


@asynccontextmanager
async def listening(
    host: str,
    port: int,
    health: HealthEndpoints,
    slack: SlackEndpoint | None,
    pages: Iterable[web.RouteDef] = (),
    *,
    metrics: MetricsEndpoint | None = None,
    limits: ConnectionLimits | None = None,
) -> AsyncIterator[None]:
    """Listen inside the block; `slack` is `None` in Socket Mode, `pages` are for browsers."""
    logging.getLogger("aiohttp.server").addFilter(_is_our_mistake)
    limits = limits or ConnectionLimits.for_files()
    server = BoundedServer(limits)
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[server.read_first])
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/readyz", health.readyz)
    if metrics:
        app.router.add_get("/metrics", metrics.answer)
    if slack:
        app.router.add_post("/slack/events", slack.answer)
    app.add_routes(pages)
    runner = web.AppRunner(
        app,
        access_log=None,
        shutdown_timeout=5,
        keepalive_timeout=limits.idle_s,
        lingering_time=limits.body_within_s,  # for the rest of a body that was given up
    )
    await runner.setup()
    try:
        with closing(await server.listen(runner, host, port)):
            logger.info("listening", host=host, port=port)
            yield
    finally:
        await runner.cleanup()


def _is_our_mistake(record: logging.LogRecord) -> bool:
    """Return whether a log record is not about a malformed request or a lost connection.

    Port scans cause those, and aiohttp 3.14 quotes what they sent.
    """
    error = record.exc_info[1] if record.exc_info else None
    strangers = HttpProcessingError | ConnectionResetError | web.RequestPayloadError
    return not isinstance(error, strangers)
