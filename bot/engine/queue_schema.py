"""The tables of the queue: procrastinate's, as it ships them, and what we add."""

from pathlib import Path

from procrastinate.schema import SchemaManager

from bot.store.postgres.migrating import MigrationSet

# Our jobs have locks, by which procrastinate 3.10 has no index, and the table is mostly empty:
# when 20,000 jobs come at once, PostgreSQL 18, which still takes it for empty, sorted and compared
# all of them for each that was fetched (5.6 s). With the index and in the order of the index that
# it is made for, a fetch takes less than 1 ms, whatever PostgreSQL takes the table for.
FETCHING = """
CREATE INDEX bot_jobs_by_lock ON procrastinate_jobs (lock) WHERE status IN ('todo', 'doing');
ALTER FUNCTION procrastinate_fetch_job_v2(character varying[], bigint)
    SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off;
"""
OURS = {"bot-01-fetching": FETCHING}


def queue_migrations() -> MigrationSet:
    """Return procrastinate's tables as they are now, and every step that led to them, in order.

    The names of its files begin with the version that needs them, so they sort by age:
    https://procrastinate.readthedocs.io/en/stable/howto/production/migrations.html
    """
    folder = Path(SchemaManager.get_migrations_path())
    theirs = {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.sql"))}
    whole = "\n".join([SchemaManager.get_schema(), *OURS.values()])
    return MigrationSet(name="procrastinate", steps={**theirs, **OURS}, whole=whole)
