"""The store in a PostgreSQL database, which any number of processes share."""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import datetime
from typing import Any

from bot.store.base import Document
from bot.store.errors import ConflictError
from bot.store.postgres.address import Address
from bot.store.postgres.bans import StoredBans
from bot.store.postgres.calls import TIMEOUT_S, Calls, told
from bot.store.postgres.errors import OutdatedSchemaError
from bot.store.postgres.migrating import OURS, MigrationSet, missing
from bot.store.postgres.pool import Pool, open_pool
from bot.store.postgres.putting import Putting
from bot.store.postgres.statements import (
    DELETE,
    DELETE_IF,
    GET,
    deletion,
    document_of,
    documents_due,
    documents_under,
    keys_due,
    keys_under,
)
from bot.store.rows import checked_key, checked_moment, decode_json, encode_value

CHECK_KEY = "meta/check"
# What every reader of JSON takes for a whole number.
MAX_REV = 2**53 - 1
WIPED_WITHIN_S = 600.0


class PostgresDocuments:
    """`Documents` in one table, and `ErasableDocuments` to all processes at once.

    Made by `open_postgres`. Each call is one transaction. `beginning_of` is that of
    `ForgettingDocuments`; `pool` is for the queue, which writes in transactions of its own.
    """

    def __init__(
        self,
        pool: Pool,
        *,
        beginning_of: Callable[[str], str | None] = lambda _key: None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.pool = pool
        self._calls = Calls(pool, timeout_s=timeout_s)
        self._putting = Putting(self._calls)
        self._bans = StoredBans(self._calls, timeout_s=timeout_s)
        self._beginning_of = beginning_of

    async def get(self, key: str) -> Document | None:
        """See `Documents.get`."""
        rows = await self._calls.read(GET, (checked_key(key),))
        return document_of(rows[0]) if rows else None

    async def put(
        self,
        key: str,
        value: Mapping[str, Any],
        *,
        due_at: datetime | None = None,
        if_rev: int | None = None,
    ) -> Document:
        """See `Documents.put`.

        Raises:
            StoreError: also when it lies under a prefix that was forgotten.
        """
        begins = self._beginning_of(checked_key(key))
        due_utc = checked_moment(due_at) if due_at else None
        value_json = encode_value(value)  # now: the caller may change it while we wait
        rev = secrets.randbelow(MAX_REV) + 1
        document = Document(key, decode_json(value_json), rev, due_utc)
        async with self._bans.turn if begins else nullcontext():
            await self._putting.put(document, value_json, if_rev, begins)
        return document

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        """See `Documents.delete`."""
        checked_key(key)
        if if_rev is None:
            return bool(await self._calls.write(DELETE, (key,)))
        if if_rev and await self._calls.write(DELETE_IF, (key, if_rev)):
            return True
        if if_rev == 0 and not await self._calls.read(GET, (key,)):
            return False
        raise ConflictError(f"{key} is not at revision {if_rev}")

    async def delete_prefix(self, prefix: str) -> int:
        """See `Documents.delete_prefix`."""
        ((count,),) = await self._calls.write(*deletion(prefix))
        return int(count)

    async def wipe_traces(self) -> None:
        """Free, for new rows, the place of what was deleted or replaced.

        That is what PostgreSQL can do without a lock on everything. Until the place is written
        again the bytes are still in the files of the server, and also in its write-ahead log and
        in backups, for as long as the operator keeps those.
        """
        await self._bans.drop_old()
        await self._calls.write_long("VACUUM", within_s=WIPED_WITHIN_S)

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        """See `Documents.list_prefix`."""
        rows = await self._calls.read(*documents_under(prefix, limit))
        return [document_of(row) for row in rows]

    async def list_keys(self, prefix: str) -> list[str]:
        """See `Documents.list_keys`."""
        return [key for (key,) in await self._calls.read(*keys_under(prefix))]

    async def due_before(
        self, moment: datetime, *, prefix: str = "", limit: int = 100
    ) -> list[Document]:
        """See `Documents.due_before`."""
        rows = await self._calls.read(*documents_due(moment, prefix, limit))
        return [document_of(row) for row in rows]

    async def due_keys(self, moment: datetime, *, limit: int = 1000) -> list[str]:
        """See `Documents.due_keys`."""
        return [key for (key,) in await self._calls.read(*keys_due(moment, limit))]

    async def check(self) -> None:
        """See `Documents.check`."""
        await self.put(CHECK_KEY, {"token": secrets.token_hex(8)})
        await self.get(CHECK_KEY)  # whose token it is now does not matter: many processes check

    def forgetting(
        self, prefix: str, *, but: Iterable[str] = ()
    ) -> AbstractAsyncContextManager[None]:
        """See `ErasableDocuments.forgetting`."""
        return self._bans.forgetting(prefix, but=but)

    async def welcome(self, prefix: str) -> None:
        """See `ErasableDocuments.welcome`."""
        await self._bans.welcome(prefix)

    async def drop_old(self) -> None:
        """Remove what has been refused for long enough; to be called now and then."""
        await self._bans.drop_old()

    async def close(self) -> None:
        """See `Documents.close`."""
        async with told(TIMEOUT_S):
            await self.pool.close()


async def open_postgres(
    address: Address,
    *,
    sets: Sequence[MigrationSet] = (OURS,),
    beginning_of: Callable[[str], str | None] = lambda _key: None,
    timeout_s: float = TIMEOUT_S,
) -> PostgresDocuments:
    """Connect, and see to it that all steps of `sets` have been taken.

    No later call but `wipe_traces` waits much longer than `timeout_s`.

    Raises:
        OutdatedSchemaError: some have not: `python -m bot migrate`.
        StoreError: the database cannot be reached or used.
    """
    pool = await open_pool(address)
    try:
        await _require_all_taken(pool, address, sets)
    except BaseException:
        await pool.close()
        raise
    return PostgresDocuments(pool, beginning_of=beginning_of, timeout_s=timeout_s)


async def _require_all_taken(pool: Pool, address: Address, sets: Sequence[MigrationSet]) -> None:
    if lacking := await missing(pool, sets):
        steps = "1 step" if len(lacking) == 1 else f"{len(lacking)} steps"
        raise OutdatedSchemaError(
            f"{address.place}, lacks {steps} of its schema: run `python -m bot migrate`"
        )
