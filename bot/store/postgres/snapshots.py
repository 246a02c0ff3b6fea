"""What a database holds at one moment, read beside the bots that use it. Never writes."""

from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, LiteralString

import psycopg

from bot.store.base import Document
from bot.store.errors import StoreError
from bot.store.postgres.address import Address
from bot.store.postgres.errors import OutdatedSchemaError
from bot.store.postgres.pool import Connection, connected
from bot.store.rows import decode_json
from bot.store.snapshot import PAGE_ROWS, Snapshot

SELECT: LiteralString = "SELECT key, value::text, rev, due_at FROM document "
WANTED: LiteralString = """
    WHERE (%(kinds)s::text[] IS NULL AND %(text)s::text IS NULL)
        OR split_part(key, '/', 2) = ANY(%(kinds)s)
        OR strpos(value::text, %(text)s) > 0
"""


async def read_database(
    address: Address, *, kinds: Collection[str] | None = None, text: str | None = None
) -> Snapshot:
    """Return the documents of these kinds, and those in whose JSON `text` occurs; by default all.

    The kind of `T1/digest/d1` is `digest`.

    Raises:
        OutdatedSchemaError: the database was never migrated.
        StoreError: it cannot be reached or read.
    """
    wanted = {"kinds": None if kinds is None else [*kinds], "text": text}
    connection = await connected(address)
    try:
        async with (
            connection.transaction(),
            aclosing(pages_of(connection, SELECT + WANTED, wanted)) as pages,
        ):
            found = [page async for page in pages]
    except psycopg.errors.UndefinedTable as error:
        raise OutdatedSchemaError("no tables yet: run `python -m bot migrate`") from error
    except psycopg.Error as error:
        raise StoreError(f"cannot read {address.place}: {error}") from error
    finally:
        await connection.close()
    return Snapshot(
        documents=tuple(each for page in found for each in page.documents),
        unreadable=tuple(each for page in found for each in page.unreadable),
    )


async def pages_of(
    connection: Connection, query: LiteralString, parameters: dict[str, Any]
) -> AsyncGenerator[Snapshot]:
    """Yield the documents of a query for four columns like SELECT, in key order, page by page.

    Inside a transaction, from a cursor of the server's: all pages are of one moment.

    Raises:
        psycopg.Error: the database failed.
    """
    async with connection.cursor(name="documents") as cursor:
        await cursor.execute(query + " ORDER BY key", parameters)
        while rows := await cursor.fetchmany(PAGE_ROWS):
            documents, unreadable = [], []
            for key, text, rev, due_at in rows:
                document = _document(key, text, rev, due_at)
                documents += [document] if document else []
                unreadable += [] if document else [key]
            yield Snapshot(documents=tuple(documents), unreadable=tuple(unreadable))


def _document(key: str, text: str, rev: int, due_at: datetime | None) -> Document | None:
    value = decode_json(text)
    if not isinstance(value, dict):
        return None
    return Document(key, value, rev, due_at and due_at.astimezone(UTC))
