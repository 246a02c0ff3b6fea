"""Act a planned fault: refuse, stall, lie, or break off, as services and their proxies do."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from aiohttp import web

from bot.playground.tracker.exchange import REMAINING_HEADER, Exchange, refused, response_of
from bot.playground.tracker.service import MESSAGES, RawAnswer, Tracker, documented_refusal

ELSEWHERE_PATH = "/elsewhere"
CHUNK_BYTES = 65_536
HUGE_BYTES = 100_000_000
HTML_PAGE = b"<!doctype html><html><head><title>%s</title></head><body>%s</body></html>\n"
FIXED: dict[str, Any] = {  # status, body and type of its content
    "500": (500, b'{"error": "Internal server error"}'),
    "503": (503, b'{"error": "Service temporarily unavailable"}'),
    "html_500": (500, HTML_PAGE % (b"500", b"Something went wrong"), "text/html"),
    "html_200": (200, HTML_PAGE % (b"Sign in", b"Please sign in"), "text/html"),
    "empty_200": (200, b""),
    "foreign_json": (200, json.dumps({"hello": ["world", {"n": 1}], "data": 7}).encode()),
}


async def answer_instead(
    tracker: Tracker, exchange: Exchange, what: str | RawAnswer
) -> web.StreamResponse:
    """Answer in place of the service, which does not act. `what` is of INSTEAD."""
    if isinstance(what, RawAnswer):
        return web.Response(status=what.status, body=what.body)
    if what in MESSAGES:
        response = refused(tracker, documented_refusal(what))
        if what == "rate_limit":
            response.headers[REMAINING_HEADER] = "0"
        return response
    match what:
        case "drop":
            return dropped(exchange)
        case "redirect":
            # The same origin on purpose: a client that follows takes its key along.
            return web.Response(status=302, headers={"Location": tracker.url + ELSEWHERE_PATH})
        case "huge":  # valid JSON, an empty list, if it is read to the end
            return await _stream(exchange, 200, _blank_list(HUGE_BYTES))
    response = response_of(*FIXED[what])
    if what == "503" and tracker.retry_after_s is not None:
        response.headers["Retry-After"] = str(tracker.retry_after_s)
    return response


async def spoiled(
    exchange: Exchange, answer: web.Response, what: str | RawAnswer
) -> web.StreamResponse:
    """Spoil what the service answered after it acted. `what` is of AFTERWARDS."""
    body = answer.body if isinstance(answer.body, bytes) else b""
    half = body[: len(body) // 2]
    match what:
        case "drop_after":
            return dropped(exchange)
        case "truncated":  # a complete message with half of its JSON
            answer.body = half
            return answer
    # "cut_off": a message that ends before its announced length
    stream = await _stream(exchange, answer.status, [half], length=len(body))
    _close(exchange)
    return stream


def dropped(exchange: Exchange) -> web.Response:
    """Close the connection; the returned response is never sent."""
    exchange.is_dropped = True
    _close(exchange)
    return web.Response()


def _blank_list(size_bytes: int) -> Iterator[bytes]:
    yield b"["
    blanks = size_bytes - 2
    for _ in range(blanks // CHUNK_BYTES):
        yield b" " * CHUNK_BYTES
    yield b" " * (blanks % CHUNK_BYTES) + b"]"


async def _stream(
    exchange: Exchange, status: int, parts: Iterable[bytes], *, length: int | None = None
) -> web.StreamResponse:
    """Send a body in parts until the client goes away. `length` None: no Content-Length."""
    stream = web.StreamResponse(status=status, headers={"Content-Type": "application/json"})
    stream.content_length = length
    try:
        await stream.prepare(exchange.http)
        for part in parts:
            await stream.write(part)
    except ConnectionError:
        _close(exchange)
    return stream


def _close(exchange: Exchange) -> None:
    if exchange.http.transport is not None:
        exchange.http.transport.close()
