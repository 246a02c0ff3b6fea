"""The tick: each digest that is due goes into one job, whatever else happens at that moment."""

from datetime import timedelta

import pytest
from procrastinate.jobs import Job

from bot.jobs.queue_jobs import DIGESTS_PER_JOB, LEASE, claim_due
from bot.store.documents import StoreError
from bot.store.postgres.pool import Connection, Pool
from tests.jobs.queue_room import A_MINUTE_AGO, NOW, digests_of, put_due, rows


class Deferred:
    """Remembers jobs instead of queueing them."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    async def __call__(self, jobs: list[Job], _connection: Connection) -> None:
        self.jobs += jobs

    @property
    def digests(self) -> list[str]:
        return [
            f"{job.task_kwargs['workspace']}/digest/{digest_id}"
            for job in self.jobs
            for digest_id in _ids(job)
        ]


def _ids(job: Job) -> list[object]:
    digests = job.task_kwargs["digests"]
    assert isinstance(digests, list)
    return [*digests]


async def test_due_work_is_deferred_once_in_ten_minutes(pool: Pool) -> None:
    deferred = Deferred()
    keys = digests_of("T1", "T2", each=2)
    await put_due(pool, keys)

    assert await claim_due(pool, deferred, clock=lambda: NOW) == 4
    assert await claim_due(pool, deferred, clock=lambda: NOW + LEASE - timedelta(seconds=1)) == 0
    assert sorted(deferred.digests) == keys

    assert await claim_due(pool, deferred, clock=lambda: NOW + LEASE) == 4


async def test_only_digests_are_taken_and_only_those_that_are_due(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, ["-.T1/digest-alert/d1/r", "-.T1/pending/digest/d1"])
    await put_due(pool, ["-.T1/digest/later"], due_at=NOW + timedelta(seconds=1))
    await put_due(pool, ["-.T1/digest/paused"], due_at=None)
    await put_due(pool, ["-.T1/digest/now"], due_at=NOW)

    await claim_due(pool, deferred, clock=lambda: NOW)

    assert deferred.digests == ["-.T1/digest/now"]


async def test_a_job_holds_some_digests_of_one_workspace_and_its_lock(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, digests_of("T1", each=DIGESTS_PER_JOB + 1))
    await put_due(pool, digests_of("T0"), due_at=A_MINUTE_AGO - timedelta(seconds=1))

    await claim_due(pool, deferred, clock=lambda: NOW)

    assert [(job.lock, len(_ids(job))) for job in deferred.jobs] == [
        ("-.T0", 1),  # the longest due first
        ("-.T1", DIGESTS_PER_JOB),
        ("-.T1", 1),
    ]


async def test_a_tick_that_dies_before_its_commit_changes_nothing(pool: Pool) -> None:
    await put_due(pool, digests_of("T1"))

    async def die(_jobs: list[Job], connection: Connection) -> None:
        await rows(pool, "SELECT pg_terminate_backend(%s)", connection.info.backend_pid)
        await connection.execute("SELECT 1")

    with pytest.raises(StoreError):
        await claim_due(pool, die, clock=lambda: NOW)

    assert await rows(pool, "SELECT due_at FROM document") == [(A_MINUTE_AGO,)]
    assert await claim_due(pool, Deferred(), clock=lambda: NOW) == 1


async def test_a_digest_that_another_transaction_holds_is_left_to_it(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, digests_of("T1", "T2"))

    async with pool.connection() as connection, connection.transaction():
        await connection.execute(
            "SELECT key FROM document WHERE key = %s FOR UPDATE", digests_of("T1")
        )
        assert await claim_due(pool, deferred, clock=lambda: NOW) == 1

    assert deferred.digests == ["-.T2/digest/d0000"]


async def test_a_workspace_with_a_waiting_job_is_passed_over(pool: Pool) -> None:
    deferred = Deferred()
    await put_due(pool, digests_of("T1", "T2", "T3"))
    await rows(  # that of T3 waits for its next try
        pool,
        "INSERT INTO procrastinate_jobs (queue_name, task_name, lock, scheduled_at)"
        " VALUES ('deliver', 'deliver', '-.T1', NULL), ('periodic', 'tick', 'tick', NULL),"
        " ('deliver', 'deliver', '-.T3', now() + interval '10 s') RETURNING id",
    )

    await claim_due(pool, deferred, clock=lambda: NOW)

    assert deferred.digests == digests_of("T2", "T3")
