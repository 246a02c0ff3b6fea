"""What the queue's jobs do: deliver digests, and what one of all workers does from time to time.

A job is done at least once. Its arguments are ids and no more, and it is deleted when it ends,
however it ends: the store is the truth, and the next tick finds what was not done.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import structlog
from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.jobs import Job
from procrastinate.types import JSONValue

from bot.errors import BotError
from bot.store.errors import StoreError
from bot.workspace import WorkspaceId

logger = structlog.get_logger()

DELIVER = "deliver"
PERIODIC = "periodic"
DIGESTS_PER_JOB = 100
# After the waits of 2, 4, 8 and 16 s. procrastinate 3.10 lets a job that waits for its next try
# keep back all others of its lock, so they are short, and few; then a tick finds the digests again
# when their lease is over: https://github.com/procrastinate-org/procrastinate/issues/1599
MAX_ATTEMPTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the queue does.

    `periodic` is done under each name by one of all workers, about every `every_s` seconds, and
    never twice at once. `deliver` takes up these digests of one workspace; the jobs of a
    workspace run one after the other. Both may be cancelled by a stop.

    `deliver` returns those at which the store failed: they are taken up again soon, by another
    job, and keep no other digest waiting. It may raise a BotError when its process stops, to be
    called at once with the same digests by a process that does not. Anything else that either
    raises is a mistake of ours, which is logged.
    """

    periodic: Mapping[str, Callable[[], Awaitable[object]]]
    deliver: Callable[[WorkspaceId, Sequence[str]], Awaitable[Collection[str]]]
    clock: Callable[[], datetime]


class Again(BaseRetryStrategy):
    """Which jobs are tried again, and when."""

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        """Return when to try `job` again; `None` if not at all."""
        if job.attempts >= MAX_ATTEMPTS:
            return None
        if isinstance(exception, StoreError):
            return RetryDecision(retry_in={"seconds": 2 ** (job.attempts + 1)})
        is_stop = isinstance(exception, asyncio.CancelledError | BotError)
        return RetryDecision() if is_stop else None


def add_deliver(
    app: App, work: Work, again: Callable[[str, Collection[str]], Awaitable[None]]
) -> None:
    """Teach `app` to deliver.

    `again` lets digests of a workspace be found again soon. When it raises StoreError, the store
    fails as a whole, and the job is tried again.
    """

    async def deliver(context: JobContext, workspace: str, digests: list[str]) -> None:
        with structlog.contextvars.bound_contextvars(job=context.job.id, workspace=workspace):
            try:
                failed = await work.deliver(WorkspaceId.parse(workspace), digests)
                if failed:
                    logger.warning("the store failed: due again soon", digests=len(failed))
                    await again(workspace, failed)
            except BotError as error:
                logger.warning("handed back", error=repr(error), attempts=context.job.attempts + 1)
                raise
            except Exception:
                logger.exception("unforeseen failure")

    app.task(name=DELIVER, queue=DELIVER, retry=Again(), pass_context=True)(deliver)


def add_periodic(app: App, name: str, action: Callable[[], Awaitable[object]]) -> None:
    """Teach `app` a periodic work. It is never tried again: its next turn comes soon."""

    async def run(context: JobContext, timestamp: int) -> None:  # noqa: ARG001  # procrastinate's
        with structlog.contextvars.bound_contextvars(job=context.job.id, work=name):
            try:
                await action()
            except BotError as error:
                logger.warning("periodic work failed", error=repr(error))
            except Exception:
                logger.exception("periodic work failed")

    app.task(name=name, queue=PERIODIC, lock=name, queueing_lock=name, pass_context=True)(run)


def deliver_jobs(due: Sequence[tuple[str, str]]) -> list[Job]:
    """Return the jobs that deliver these (workspace, digest id), in the order of the first due."""
    digests: defaultdict[str, list[str]] = defaultdict(list)
    for workspace, digest_id in due:
        digests[workspace].append(digest_id)
    return [
        _deliver_job(workspace, ids[first : first + DIGESTS_PER_JOB])
        for workspace, ids in digests.items()
        for first in range(0, len(ids), DIGESTS_PER_JOB)
    ]


def _deliver_job(workspace: str, digest_ids: list[str]) -> Job:
    arguments: dict[str, JSONValue] = {"workspace": workspace, "digests": [*digest_ids]}
    return Job(
        queue=DELIVER,
        task_name=DELIVER,
        lock=workspace,
        queueing_lock=None,
        task_kwargs=arguments,
    )
