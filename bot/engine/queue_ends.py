"""How jobs end: written in the queue's tables, or remembered until the tables are set right."""

import asyncio
from collections.abc import Awaitable, Iterable, Mapping
from datetime import datetime

import structlog
from procrastinate.connector import BaseConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager

logger = structlog.get_logger()

# More than the pool lets somebody wait for a connection. procrastinate 3.10 waits for ever.
WITHIN_S = 15.0


class Ends(JobManager):
    """procrastinate's way to the tables, which also remembers the ends that it could not write.

    procrastinate 3.10 writes an end once. When the connection breaks just then, the job stays
    "doing" under a worker that lives, and keeps back all others of its lock for ever. To write it
    again would be wrong when it was written after all: somebody else may have the job by then.
    """

    def __init__(self, connector: BaseConnector, *, within_s: float = WITHIN_S) -> None:
        super().__init__(connector)
        self._within_s = within_s
        self._unwritten: dict[int, int] = {}

    @property
    def unwritten(self) -> Mapping[int, int]:
        """The jobs of which it is not known that their ends were written: id and `attempts`.

        Whoever takes a job up again raises `attempts`, so both together mean this one try.
        """
        return dict(self._unwritten)

    def settle(self, jobs: Iterable[int]) -> None:
        """Remember these jobs no longer."""
        for job_id in jobs:
            self._unwritten.pop(job_id, None)

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:
        """See `JobManager.fetch_job`; a database that does not answer ends the worker."""
        try:
            async with asyncio.timeout(self._within_s):
                return await super().fetch_job(queues, worker_id)
        except TimeoutError as error:
            raise ConnectorException from error

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:  # noqa: FBT001  # theirs
        """See `JobManager.finish_job`; a failure of the database is remembered."""
        await self._written(job, super().finish_job(job, status, delete_job))

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """See `JobManager.retry_job`; likewise."""
        await self._written(job, super().retry_job(job, retry_at, priority, queue, lock))

    async def _written(self, job: Job, writing: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(self._within_s):
                await writing
        except Exception as error:  # noqa: BLE001  # whatever it is, the job must not stay
            if job.id is not None:
                self._unwritten[job.id] = job.attempts
            logger.warning("a job's end was not written", error=repr(error.__cause__ or error))
