"""Whether the bot is alive, and ready."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import structlog
from aiohttp import web
from cachetools import TTLCache

from bot.patience import Patience
from bot.single_flight import SingleFlight

logger = structlog.get_logger()

READY_WITHIN_S = 2.0
CHECKED_FOR_S = 0.5

Check = Callable[[], Awaitable[bool]]


class HealthEndpoints:
    """`/healthz`: the process lives. `/readyz`: everything that it needs works, and it goes on.

    Once it is to `stop`, it is not ready any more: what still comes is answered, until the work
    is done, but a balancer is to send it elsewhere.
    """

    def __init__(self, checks: Mapping[str, Check]) -> None:
        self._checks = checks
        self._is_stopping = False
        # The store check writes: whoever asks every millisecond must not make it do so.
        self._works: TTLCache[str, dict[str, bool]] = TTLCache(1, CHECKED_FOR_S)
        self._flights: SingleFlight[str, dict[str, bool]] = SingleFlight()
        self._patience = Patience(READY_WITHIN_S)

    def stop(self) -> None:
        """Be ready no more."""
        self._is_stopping = True

    async def healthz(self, _request: web.Request) -> web.Response:
        """Answer 200."""
        return web.json_response({"status": "alive"})

    async def readyz(self, _request: web.Request) -> web.Response:
        """Answer 200, or 503, and what of it works."""
        if self._is_stopping:
            return web.json_response({"ready": False, "checks": {"running": False}}, status=503)
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
            # Not broken off: to take a question back from a database that hangs takes seconds.
            return await self._patience.wait(self._asked(name))
        except Exception as error:  # noqa: BLE001  # whatever it is, the answer is no
            logger.warning("not ready", check=name, error=repr(error))
            return False

    async def _asked(self, name: str) -> bool:
        return await self._checks[name]()
