"""One HTTP request on its way through the service: its key, its rights, its headers."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.playground.tracker.accounts import Account
from bot.playground.tracker.keys import KEY_PATTERN, KeyRecord
from bot.playground.tracker.service import (
    STATUS,
    RefusedError,
    Request,
    Tracker,
    body_for_log,
    documented_refusal,
    without_keys,
)

BEARER = re.compile(rf"Bearer ({KEY_PATTERN.pattern})")


def presented_key(authorization: Sequence[str]) -> str | None:
    """Return the key of a request's only Authorization header, None if section 5.1 is broken."""
    if len(authorization) != 1:
        return None
    match = BEARER.fullmatch(authorization[0])
    return match and match.group(1)


def authorize(
    tracker: Tracker, holder: tuple[Account, KeyRecord] | None, caller_ip: str, scope: str
) -> Account:
    """Return the account that a key opens, and count the request. Raises: RefusedError.

    A request that is refused for its key or its address uses nothing up, for its scope it does.
    """
    now = tracker.clock()
    if holder is None or holder[1].condition(now) != "valid":
        raise documented_refusal("invalid_key")
    account, record = holder
    if not record.allows_address(caller_ip):
        raise documented_refusal("ip")
    record.last_used_at = now
    if not record.count_request(now, tracker.hourly_limit):
        raise documented_refusal("rate_limit")
    if not record.grants((scope,)):
        raise documented_refusal("permissions")
    return account


REMAINING_HEADER = "X-RateLimit-Remaining"  # service document, section 8


@dataclass
class Exchange:
    """A request with its place in the log and the holder of its key, None when unknown."""

    http: web.Request
    log: Request
    holder: tuple[Account, KeyRecord] | None
    body: bytes = b""
    is_dropped: bool = False


EXCHANGE: web.RequestKey[Exchange] = web.RequestKey("exchange", Exchange)


def noted(tracker: Tracker, http: web.Request) -> Exchange:
    """Return the exchange of a request that is arriving, and write it into the log."""
    key = presented_key(http.headers.getall("Authorization", []))
    holder = None if key is None else tracker.holder(key)
    log = Request(http.method, without_keys(http.path), tracker.clock())
    if holder is not None:
        log.account, log.key_name = holder[0].name, holder[1].name
    tracker.requests.append(log)
    http[EXCHANGE] = exchange = Exchange(http, log, holder)
    return exchange


async def read_body(exchange: Exchange) -> None:
    """Read the request's body to its end, for the endpoint and for the log."""
    exchange.body = await exchange.http.read()
    exchange.log.body = body_for_log(exchange.body)


def finish_headers(
    tracker: Tracker, exchange: Exchange | None, answer: web.StreamResponse
) -> None:
    """Note the status, and say how many requests the key has left unless the answer says so."""
    remaining = tracker.hourly_limit
    if exchange is not None:
        exchange.log.status = None if exchange.is_dropped else answer.status
        if exchange.holder is not None:
            remaining = exchange.holder[1].remaining(tracker.clock(), tracker.hourly_limit)
    answer.headers.setdefault(REMAINING_HEADER, str(remaining))


def refused(tracker: Tracker, refusal: RefusedError) -> web.Response:
    """Return a refusal as the service document shows it."""
    body = json.dumps({"error": refusal.message}).encode()
    response = response_of(STATUS[refusal.kind], body)
    if refusal.kind == "rate_limit" and tracker.retry_after_s is not None:
        response.headers["Retry-After"] = str(tracker.retry_after_s)
    return response


def response_of(status: int, body: bytes, content_type: str = "application/json") -> web.Response:
    return web.Response(status=status, body=body, content_type=content_type, charset="utf-8")
