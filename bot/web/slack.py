"""Slack's requests over HTTP: verified, taken once, handed to Bolt."""

import json
import secrets
import time
from urllib.parse import parse_qs

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier

from bot.seen import RecentlySeen, Seen

logger = structlog.get_logger()


class SlackEndpoint:
    """`POST /slack/events`: verifies, drops what was replayed, hands the rest to Bolt.

    Bolt's own verification answers a malformed timestamp with 500 (1.30), so this one is ours,
    with Slack's own verifier: https://docs.slack.dev/authentication/verifying-requests-from-slack.
    `seen` is what several processes know together: a replay may go to any of them.
    """

    def __init__(self, app: AsyncApp, signing_secret: str, *, seen: Seen | None = None) -> None:
        self._app = app
        self._verifier = SignatureVerifier(signing_secret)
        self._seen = seen or RecentlySeen(clock=time.monotonic)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request of Slack."""
        body = await request.read()
        if _is_ssl_check(request, body):
            return web.Response()
        if not self._is_genuine(request, body):
            return web.Response(status=401, text="the signature is missing, wrong or too old")
        if not _is_readable(request, body):
            return web.Response(status=400, text="the body cannot be read")
        name = f"request/{request.headers['X-Slack-Signature']}"
        if not await self._seen.is_new(name):
            return web.Response()
        try:
            answer = await self._app.async_dispatch(await to_bolt_request(request))
        except Exception:  # Bolt reads some parts of a payload before anything of ours is asked
            reference = secrets.token_hex(4)
            logger.exception("a request could not be read", request=reference)
            return web.Response(status=400, text=f"cannot be read; reference {reference}")
        if answer.status >= 500:  # nothing was done yet: Slack sends it again, within that second
            await self._seen.forget(name)
        return await to_aiohttp_response(answer)

    def _is_genuine(self, request: web.Request, body: bytes) -> bool:
        timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
        signature = request.headers.get("X-Slack-Signature", "")
        try:
            return self._verifier.is_valid(body, timestamp, signature)
        # A signature that is no ASCII; a timestamp that is no number, a body that is no UTF-8; a
        # number beyond all that a clock shows.
        except (TypeError, ValueError, OverflowError):
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
