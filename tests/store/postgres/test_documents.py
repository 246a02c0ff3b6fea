"""What only a database could get wrong; the contract itself is tests/store/test_documents.py."""

from datetime import UTC, datetime

import pytest

from bot.store.documents import StoreError
from bot.store.postgres.address import parse_address
from bot.store.postgres.documents import PostgresDocuments, open_postgres
from tests.store.postgres.database import run

NOON = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    [
        pytest.param(NOON, id="now"),
        pytest.param(datetime.max.replace(tzinfo=UTC), id="the-last-moment"),
        pytest.param(datetime.min.replace(tzinfo=UTC), id="the-first"),
    ],
)
async def test_due_moments_ignore_the_session_zone(database: str, moment: datetime) -> None:
    options = "-c%20timezone%3DAsia/Kathmandu%20-c%20datestyle%3DGerman"
    joined = f"{database}{'&' if '?' in database else '?'}options={options}"
    store = await open_postgres(parse_address(joined))

    put = await store.put("-.T1/key", {}, due_at=moment)

    found = await store.get("-.T1/key")
    assert found == put
    assert found.due_at is not None
    assert found.due_at.tzinfo is UTC
    assert await store.due_keys(moment) == [put.key]
    await store.close()


async def test_what_is_due_is_found_by_an_index(store: PostgresDocuments) -> None:
    await run(
        store,
        "INSERT INTO document SELECT '-.T1/' || n, '{}', 1, now() + n * interval '1 hour'"
        " FROM generate_series(1, 10000) n",
    )
    await run(store, "ANALYZE document")

    plan = await run(
        store,
        "EXPLAIN SELECT key FROM document WHERE due_at <= now() + interval '3 hours'"
        " ORDER BY due_at, key LIMIT 100",
    )

    assert "document_due" in str(plan)
    assert "Sort" not in str(plan)


async def test_a_database_that_only_reads_is_no_store(store: PostgresDocuments) -> None:
    """As a standby is, to which somebody points the bot after a failure."""
    await run(
        store,
        "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on',"
        " current_database()); END$$",
    )
    await store.pool.drain()

    with pytest.raises(StoreError, match="read-only"):
        await store.check()
