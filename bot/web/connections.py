"""Limit the connections of the HTTP server, in number and in time."""

import asyncio
import resource
from dataclasses import dataclass

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from aiohttp.web_protocol import RequestHandler

from bot.process.clock import seconds_now

logger = structlog.get_logger()
MOST = 1000
# More than balancers keep an idle connection, as one that we close at the wrong moment loses a
# request: nginx and AWS keep them for 60 s.
IDLE_S = 75.0
BODY_WITHIN_S = 10.0
# With the default of 128, connections of a burst wait a second to be accepted.
BACKLOG = 2048
# asyncio (3.11) accepts as many at once as its backlog, before it asks us about the first.
ACCEPTED_AT_ONCE = 32
WARNED_EVERY_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """At most so many connections, each with `idle_s` for a header and a time limit for a body."""

    most: int = MOST
    idle_s: float = IDLE_S
    body_within_s: float = BODY_WITHIN_S

    @classmethod
    def for_files(cls, allowed: int | None = None) -> "ConnectionLimits":
        """Return limits that leave half of the `allowed` open files for calls to others.

        `None`: as many as the system allows this process; -1: any number.
        """
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if allowed is None else allowed
        return cls(most=MOST if allowed < 0 else min(MOST, allowed // 2))


class _Refused(asyncio.Protocol):
    """Closes a connection at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


class BoundedServer:
    """Listens for a runner, within limits.

    At the limit a new connection takes the place of the oldest one that has no whole request; if
    all have one, the new one is refused. Those that are accepted together come on top of it.
    """

    def __init__(self, limits: ConnectionLimits) -> None:
        self._limits = limits
        self._at_work: set[asyncio.BaseProtocol] = set()
        self._warned_at = -WARNED_EVERY_S

    @web.middleware
    async def read_first(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Read the body of a request, with a time limit, before its handler begins."""
        try:
            async with asyncio.timeout(self._limits.body_within_s):
                await request.read()
        except TimeoutError:
            return web.Response(status=408, text="the body took too long")
        except web.RequestPayloadError:  # its compression or its chunks are broken
            return web.Response(status=400, text="the body cannot be read")
        self._at_work.add(request.protocol)
        try:
            return await handler(request)
        finally:
            self._at_work.discard(request.protocol)

    async def listen(self, runner: web.AppRunner, host: str, port: int) -> asyncio.Server:
        """Begin to listen; raise OSError."""

        def connected() -> asyncio.BaseProtocol:
            assert runner.server  # noqa: S101  # the runner is set up
            known = [each for each in runner.server.connections if each.connected]
            if len(known) < self._limits.most or self._make_room(known):
                return runner.server()
            return _Refused()

        loop = asyncio.get_running_loop()
        server = await loop.create_server(connected, host, port, backlog=ACCEPTED_AT_ONCE)
        for each in server.sockets:
            with each.dup() as listening:
                listening.listen(BACKLOG)
        return server

    def _make_room(self, known: "list[RequestHandler]") -> bool:
        if seconds_now() - self._warned_at >= WARNED_EVERY_S:
            self._warned_at = seconds_now()
            logger.warning(
                "too many connections: the oldest idle ones are closed", most=len(known)
            )
        oldest = next((each for each in known if each not in self._at_work), None)
        if oldest:
            oldest.force_close()
        return oldest is not None
