"""What the bot serves over HTTP, all at one address."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web
from aiohttp.http import HttpProcessingError

from bot.web.health import HealthEndpoints
from bot.web.install import InstallEndpoint
from bot.web.metrics import MetricsEndpoint, Note, timing
from bot.web.slack import SlackEndpoint

logger = structlog.get_logger()

# With the default of 128, bursts wait a second for their connection to be taken.
BACKLOG = 2048
MAX_BODY_BYTES = 1024 * 1024


@asynccontextmanager
async def listening(
    host: str,
    port: int,
    health: HealthEndpoints,
    slack: SlackEndpoint | None,
    install: InstallEndpoint | None = None,
    *,
    metrics: MetricsEndpoint | None = None,
    note_request: Note = lambda _route, _status, _took_s: None,
) -> AsyncIterator[None]:
    """Listen inside the block; `slack` is `None` in Socket Mode, `install` without OAuth.

    `note_request` learns of each request: its route, the status of its answer, and the seconds.
    """
    logging.getLogger("aiohttp.server").addFilter(_is_of_ours)
    app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[timing(note_request)])
    app.router.add_get("/healthz", health.healthz)
    app.router.add_get("/readyz", health.readyz)
    if metrics:
        app.router.add_get("/metrics", metrics.answer)
    if slack:
        app.router.add_post("/slack/events", slack.answer)
    if install:
        install.register(app)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=5)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port, backlog=BACKLOG).start()
        logger.info("listening", host=host, port=port)
        yield
    finally:
        await runner.cleanup()


def _is_of_ours(record: logging.LogRecord) -> bool:
    """Whether it is a mistake of ours: that somebody sends no HTTP, or hangs up, is none.

    Any port scan does; and what aiohttp 3.14 logs of it quotes what was sent.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, HttpProcessingError | ConnectionResetError)
