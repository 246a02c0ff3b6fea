"""The local Domain Tracker over HTTP: the three endpoints of section 4 of the service document."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Middleware

from bot.playground.tracker.accounts import Account, DuplicateDomainError, canonical_name
from bot.playground.tracker.exchange import (
    EXCHANGE,
    Exchange,
    authorize,
    finish_headers,
    noted,
    read_body,
    refused,
    response_of,
)
from bot.playground.tracker.fault_responses import answer_instead, dropped, spoiled
from bot.playground.tracker.service import MISTAKE_STATUS, RefusedError, Tracker, utc_now

SCAN_ACTION = "full_scan"


def new_domain(content_type: str, raw: bytes) -> dict[str, Any]:
    """Return what `Account.add` takes of a body: section 4.2. Raises: RefusedError."""
    body = _fields(content_type, raw, {"domain", "domainType", "tags", "folder"})
    tags = body.get("tags", [])
    if not isinstance(tags, list) or not all(_is_label(tag) for tag in tags):
        raise _wrong("tags must be an array of strings")
    if "folder" in body and not _is_label(body["folder"]):
        raise _wrong("folder must be a string")
    traits = {"domain_type": _domain_type(body), "tags": tags, "folder": body.get("folder")}
    return {"domain": _domain_name(body), **traits}


def check_scan_action(content_type: str, raw: bytes) -> None:
    """Accept the body of a full scan: section 4.3. Raises: RefusedError."""
    if _fields(content_type, raw, {"action"}).get("action") != SCAN_ACTION:
        raise _wrong(f"action must be {SCAN_ACTION}")


def _fields(content_type: str, raw: bytes, known: set[str]) -> dict[str, Any]:
    if content_type != "application/json":
        raise RefusedError("media_type", "Content-Type must be application/json")
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise _wrong("The body is not valid JSON") from error
    if not isinstance(body, dict):
        raise _wrong("The body must be a JSON object")
    if unknown := sorted(body.keys() - known):
        raise _wrong(f"Unknown fields: {', '.join(unknown)}")
    return body


def _domain_name(body: dict[str, Any]) -> str:
    name = body.get("domain")
    if not isinstance(name, str):
        raise _wrong("domain is required")
    try:
        canonical_name(name)
    except ValueError as error:
        raise _wrong("domain must be a domain name such as shop.example") from error
    return name.lower()


def _domain_type(body: dict[str, Any]) -> str:
    value = body.get("domainType")
    if not isinstance(value, str) or not _is_label(value):
        raise _wrong("domainType is required")
    return value


def _is_label(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _wrong(message: str) -> RefusedError:
    return RefusedError("bad_request", message)


LIST_PATH = "/api/tools/domain-tracker"
SCAN_PATH = LIST_PATH + "/{domain_id}/scan"

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Act = Callable[[Tracker, Exchange, Account], Awaitable[web.Response]]


def endpoint(tracker: Tracker, name: str, act: Act) -> Handler:
    """Return the aiohttp handler of an endpoint: faults, delay, rights, then `act`."""

    async def handle(http: web.Request) -> web.StreamResponse:
        exchange = http[EXCHANGE]
        exchange.log.endpoint = name
        fault = tracker.faults.take(name)
        await asyncio.sleep(tracker.latency_s)
        if tracker.hold_of_all is not None:
            await tracker.hold_of_all.wait()
        if fault is not None and not fault.spoils:
            return await answer_instead(tracker, exchange, fault.what)
        answer = await _answer(tracker, exchange, name, act)
        if fault is not None:
            return await spoiled(exchange, answer, fault.what)
        return answer

    return handle


async def list_domains(_tracker: Tracker, exchange: Exchange, account: Account) -> web.Response:
    if exchange.body:
        raise RefusedError("bad_request", "A list request has no body")
    return _json(200, [record.as_json() for record in account.domains.values()])


async def add_domain(_tracker: Tracker, exchange: Exchange, account: Account) -> web.Response:
    """Put a domain into the account's portfolio: section 4.2."""
    wanted = new_domain(exchange.http.content_type, exchange.body)
    try:
        record = account.add(**wanted)
    except DuplicateDomainError as error:
        message = f"{wanted['domain']} is in the portfolio already"
        raise RefusedError("duplicate", message) from error
    return _json(201, record.as_json())


async def scan_domain(tracker: Tracker, exchange: Exchange, account: Account) -> web.Response:
    """Scan a domain of the account: section 4.3."""
    check_scan_action(exchange.http.content_type, exchange.body)
    record = account.domains.get(exchange.http.match_info["domain_id"])
    if record is None:
        raise RefusedError("not_found", "Domain not found")
    if tracker.hold is not None:
        await tracker.hold.wait()
    await asyncio.sleep(tracker.scan_latency_s)
    return _json(200, account.scan(record))


async def _answer(tracker: Tracker, exchange: Exchange, name: str, act: Act) -> web.Response:
    scope = "read_domains" if name == "list" else "write_domains"
    try:
        account = authorize(tracker, exchange.holder, exchange.http.remote or "", scope)
        if exchange.http.query_string:  # the document shows none: it would be without effect
            raise _wrong("A request has no query")
        return await act(tracker, exchange, account)
    except RefusedError as refusal:
        return refused(tracker, refusal)


def _json(status: int, data: object) -> web.Response:
    return response_of(status, json.dumps(data).encode())


# aiohttp waits this long for requests under way, twice: their answers are read no more.
SHUTDOWN_TIMEOUT_S = 0.05


@asynccontextmanager
async def running_tracker(clock: Callable[[], datetime] = utc_now) -> AsyncIterator[Tracker]:
    """Serve a new, empty Domain Tracker, whose keys and limits end by `clock` (aware, in UTC)."""
    tracker = Tracker(clock=clock)
    runner = web.AppRunner(
        tracker_app(tracker), access_log=None, shutdown_timeout=SHUTDOWN_TIMEOUT_S
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        tracker.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield tracker
    finally:
        for hold in (tracker.hold, tracker.hold_of_all):
            if hold is not None:
                hold.release()
        await runner.cleanup()


def tracker_app(tracker: Tracker) -> web.Application:
    """Return the service's HTTP interface; nothing is served yet."""
    app = web.Application(middlewares=[_every_request(tracker)])
    app.router.add_route("GET", LIST_PATH, endpoint(tracker, "list", list_domains))
    app.router.add_route("POST", LIST_PATH, endpoint(tracker, "add", add_domain))
    app.router.add_route("POST", SCAN_PATH, endpoint(tracker, "scan", scan_domain))

    async def prepare(http: web.Request, answer: web.StreamResponse) -> None:
        finish_headers(tracker, http.get(EXCHANGE), answer)

    app.on_response_prepare.append(prepare)
    return app


def _every_request(tracker: Tracker) -> Middleware:
    """Return what is done around every request: the log, and refusals of aiohttp in our style."""

    @web.middleware
    async def around(request: web.Request, handler: Handler) -> web.StreamResponse:
        exchange = noted(tracker, request)
        try:
            await read_body(exchange)
            answer = await handler(request)
        except web.HTTPException as error:
            answer = refused(tracker, _own_refusal(error))
        except ConnectionError:  # the caller went away before its request was complete
            answer = dropped(exchange)
        return answer

    return around


def _own_refusal(error: web.HTTPException) -> RefusedError:
    """Return the refusal for what aiohttp found wrong: the path, the method or the size."""
    kinds = {status: kind for kind, status in MISTAKE_STATUS.items()}
    return RefusedError(kinds.get(error.status, "bad_request"), error.reason)
