"""The local Domain Tracker over HTTP, on a loopback socket."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from bot.playground.tracker.answers import MISTAKE_STATUS, RefusedError
from bot.playground.tracker.endpoints import (
    LIST_PATH,
    SCAN_PATH,
    add_domain,
    endpoint,
    list_domains,
    scan_domain,
)
from bot.playground.tracker.exchange import EXCHANGE, finish_headers, noted, read_body, refused
from bot.playground.tracker.fault_responses import ELSEWHERE_PATH, dropped
from bot.playground.tracker.service import Tracker, keyless_logger, utc_now

logger = logging.getLogger(__name__)

# aiohttp waits this long for requests under way, twice: their answers are read no more.
SHUTDOWN_TIMEOUT_S = 0.05


@asynccontextmanager
async def running_tracker(
    clock: Callable[[], datetime] = utc_now, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[Tracker]:
    """Serve a new, empty Domain Tracker; port 0 takes a free one. Its `url` says where it is.

    `clock` returns aware UTC moments; keys expire and the hourly limit starts again by it.
    """
    tracker = Tracker(clock=clock)
    runner = web.AppRunner(
        tracker_app(tracker),
        access_log=None,
        logger=keyless_logger(f"{__name__}.http"),
        shutdown_timeout=SHUTDOWN_TIMEOUT_S,
    )
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        tracker.url = f"http://{f'[{host}]' if ':' in host else host}:{runner.addresses[0][1]}"
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
    app.router.add_route("GET", ELSEWHERE_PATH, _elsewhere(tracker))

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
        outcome = "closed" if exchange.is_dropped else answer.status
        logger.debug("%s %s: %s", request.method, exchange.log.endpoint or "other", outcome)
        return answer

    return around


def _own_refusal(error: web.HTTPException) -> RefusedError:
    """Return the refusal for what aiohttp found wrong: the path, the method or the size."""
    kinds = {status: kind for kind, status in MISTAKE_STATUS.items()}
    return RefusedError(kinds.get(error.status, "bad_request"), error.reason)


def _elsewhere(tracker: Tracker) -> Handler:
    async def handle(_http: web.Request) -> web.StreamResponse:
        tracker.followed_redirects += 1
        return web.json_response([])

    return handle
