"""A worker of procrastinate that is started again whenever it ends."""

import asyncio
import time
from collections.abc import Callable

import structlog
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

logger = structlog.get_logger()

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 10.0
# Who has worked so long has not failed at the start.
GOOD_RUN_S = 60.0


class Shift:
    """Workers one after the other, until it is stopped.

    procrastinate 3.10 ends a worker when PostgreSQL goes away, with an error or without one.
    """

    def __init__(self, hire: Callable[[], Worker]) -> None:
        self._hire = hire
        self._worker: Worker | None = None
        self._is_over = asyncio.Event()

    @property
    def worker_id(self) -> int | None:
        """The number by which the database knows the present worker; `None`: there is none."""
        return self._worker.worker_id if self._worker else None

    def stop(self) -> None:
        """Take nothing new; `run` returns when what was begun has ended or is handed back."""
        self._is_over.set()
        if self._worker:
            self._worker.stop()  # type: ignore[no-untyped-call]  # procrastinate 3.10

    async def run(self) -> None:
        """Work until `stop`."""
        delay_s = FIRST_DELAY_S
        while not self._is_over.is_set():
            begun_at = time.monotonic()
            await self._work()
            if time.monotonic() - begun_at > GOOD_RUN_S:
                delay_s = FIRST_DELAY_S
            await self._rest(delay_s)
            delay_s = min(2 * delay_s, LONGEST_DELAY_S)

    async def _work(self) -> None:
        self._worker = self._hire()
        try:
            await self._worker.run()  # type: ignore[no-untyped-call]  # likewise
        except ConnectorException as error:
            logger.warning("the queue cannot reach its database", error=repr(error.__cause__))
        except Exception:
            logger.exception("a worker of the queue failed")
        finally:
            self._worker = None

    async def _rest(self, delay_s: float) -> None:
        if self._is_over.is_set():
            return
        logger.warning("a worker of the queue has ended; another begins", in_s=delay_s)
        waiting = asyncio.create_task(self._is_over.wait())
        await asyncio.wait({waiting}, timeout=delay_s)
        waiting.cancel()
