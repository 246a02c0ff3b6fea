"""The document store on PostgreSQL."""

# ruff: noqa: S608  # joined of our own constants; values are passed beside the statement

import secrets
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, LiteralString

from bot.store.deduplication import REMEMBERED_FOR_S
from bot.store.documents import (
    CHECK_KEY,
    ConflictError,
    Document,
    ForgottenError,
    StoreError,
    checked_key,
    checked_moment,
    decode_json,
    encode_value,
    end_of_prefix,
    new_rev,
)
from bot.store.postgres.address import Address
from bot.store.postgres.migrations import OURS, Steps, missing
from bot.store.postgres.pool import TIMEOUT_S, Arguments, Pool, Row, db_errors, open_pool, run

# As text, so that the driver does not decode the JSON, and without a zone, because that
# of the session means nothing.
COLUMNS: LiteralString = "key, value::text, rev, due_at AT TIME ZONE 'UTC'"
GET: LiteralString = f"SELECT {COLUMNS} FROM document WHERE key = %s"
DUE_KEYS: LiteralString = (
    "SELECT key FROM document WHERE due_at <= %s"
    " AND (%s::text[] IS NULL OR split_part(key, '/', 2) = ANY(%s)) ORDER BY due_at, key LIMIT %s"
)
BELOW: LiteralString = "(%s::text IS NULL OR key < %s)"
PUT: LiteralString = "SELECT put_document(%s, %s, %s, %s, %s, %s)"
DELETE: LiteralString = (
    "DELETE FROM document WHERE key = %s AND (%s::bigint IS NULL OR rev = %s) RETURNING rev"
)


def document_of(row: tuple[Any, ...]) -> Document:
    """Return the document in a row of `COLUMNS`; StoreError: its value is not a JSON object."""
    key, text, rev, due_at = row
    with suppress(ValueError):
        match decode_json(text):
            case dict(value):
                return Document(key, value, rev, due_at and due_at.replace(tzinfo=UTC))
    raise StoreError(f"{key!r} cannot be read")


class PostgresDocuments:
    """`Documents` in one table, and `ErasableDocuments` to all processes at once.

    Made by `open_postgres`. Each call is one transaction. `beginning_of` is that of
    `FencedDocuments`; `pool` is for the queue, which writes in transactions of its own.
    """

    def __init__(
        self, pool: Pool, beginning_of: Callable[[str], str | None], timeout_s: float
    ) -> None:
        self.pool = pool
        self._timeout_s = timeout_s
        self._beginning_of = beginning_of

    async def get(self, key: str) -> Document | None:
        rows = await self._run(GET, (checked_key(key),))
        return document_of(rows[0]) if rows else None

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`; raise ForgottenError under a prefix that was deleted."""
        begins = self._beginning_of(checked_key(key))
        due_utc = checked_moment(due_at) if due_at else None
        value_json = encode_value(value)  # now: the caller may change it while we wait
        rev = new_rev()
        ((outcome,),) = await self._run(PUT, (key, value_json, due_utc, if_rev, rev, begins))
        if outcome == "forgotten":
            raise ForgottenError("the app was removed from this workspace")
        if outcome == "conflict":
            raise ConflictError(f"{key} is not at revision {if_rev}")
        return Document(key, decode_json(value_json), rev, due_utc)

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        if await self._run(DELETE, (checked_key(key), if_rev, if_rev)):
            return True
        if if_rev is None or (if_rev == 0 and not await self._run(GET, (key,))):
            return False
        raise ConflictError(f"{key} is not at revision {if_rev}")

    async def delete_prefix(self, prefix: str) -> int:
        """See `ErasableDocuments`, and `put_document`, which refuses."""
        end = end_of_prefix(checked_key(prefix))
        ((count,),) = await self._run("SELECT delete_under(%s, %s)", (prefix, end))
        return int(count)

    async def list_prefix(self, prefix: str) -> list[Document]:
        return [document_of(row) for row in await self._under(prefix, COLUMNS)]

    async def list_keys(self, prefix: str) -> list[str]:
        return [key for (key,) in await self._under(prefix, "key")]

    async def due_keys(self, moment: datetime, *kinds: str, limit: int = 1000) -> list[str]:
        wanted = list(kinds) or None
        arguments = (checked_moment(moment), wanted, wanted, limit)
        return [key for (key,) in await self._run(DUE_KEYS, arguments)]

    async def check(self) -> None:
        await self.put(CHECK_KEY, {"token": secrets.token_hex(8)})
        await self.get(CHECK_KEY)  # with any token: many processes check

    async def welcome(self, prefix: str) -> None:
        await self._run("SELECT welcome_prefix(%s)", (prefix,))

    async def close(self) -> None:
        async with db_errors(TIMEOUT_S):
            await self.pool.close()

    async def _under(self, prefix: str, columns: LiteralString) -> list[Row]:
        end = end_of_prefix(checked_key(prefix)) if prefix else None
        query = f"SELECT {columns} FROM document WHERE key >= %s AND {BELOW} ORDER BY key"
        return await self._run(query, (prefix, end, end))

    async def _run(self, statement: LiteralString, arguments: Arguments) -> list[Row]:
        return await run(self.pool, statement, arguments, within_s=self._timeout_s)


async def open_postgres(
    address: Address,
    *,
    steps: Steps = OURS,
    beginning_of: Callable[[str], str | None] = lambda _key: None,
    timeout_s: float = TIMEOUT_S,
) -> PostgresDocuments:
    """Connect, and check that all `steps` have been taken; else raise StoreError.

    No later call waits much longer than `timeout_s`.
    """
    pool = await open_pool(address)
    async with AsyncExitStack() as undo:
        undo.push_async_callback(pool.close)
        if await missing(pool, steps):
            where = address.location
            raise StoreError(f"{where}, lacks steps of its schema: run `python -m bot migrate`")
        undo.pop_all()
    return PostgresDocuments(pool, beginning_of, timeout_s)


class PostgresDedup:
    """Remembers names for ten minutes, as hashes, by the database's clock; raises StoreError."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def remember(self, name: str) -> bool:
        """Return whether `name` is new to all processes, and remember it."""
        kept = timedelta(seconds=REMEMBERED_FOR_S)
        ((is_new,),) = await run(self._pool, "SELECT see_name(%s, %s)", (_hash(name), kept))
        return bool(is_new)

    async def forget(self, name: str) -> None:
        await run(self._pool, "DELETE FROM seen WHERE name = %s", (_hash(name),))

    async def drop_old(self) -> None:
        await run(self._pool, "DELETE FROM seen WHERE until <= now()")


def _hash(name: str) -> bytes:
    return sha256(name.encode(errors="surrogatepass")).digest()
