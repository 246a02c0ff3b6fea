"""Writes whose answer comes too late: whether they happened is looked up."""

from typing import LiteralString

import pytest

from bot.store.documents import Document, NoAnswerError
from bot.store.postgres.documents import PUT, PostgresDocuments
from bot.store.postgres.pool import Arguments, Calls, Pool, Row
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

KEY = "-.T1/key"


class LateCalls(Calls):
    """The database does what it is asked, but for the answer to a write the time is up.

    `does_write` False: it does not do it.
    """

    def __init__(self, pool: Pool, *, does_write: bool = True) -> None:
        super().__init__(pool, timeout_s=TIME_LIMIT_S)
        self.does_write, self.writes = does_write, 0

    async def _run(self, statement: LiteralString, arguments: Arguments) -> list[Row]:
        if statement != PUT:
            return await super()._run(statement, arguments)
        self.writes += 1
        if self.does_write:
            await super()._run(statement, arguments)
        raise TimeoutError


async def put(store: PostgresDocuments, calls: Calls, if_rev: int | None) -> Document:
    store._calls = calls
    return await store.put(KEY, {"n": 2}, if_rev=if_rev)


async def test_what_was_written_is_written_although_nobody_heard(store: PostgresDocuments) -> None:
    first = await store.put(KEY, {"n": 1})
    calls = LateCalls(store.pool)

    mine = await put(store, calls, first.rev)

    assert await store.get(KEY) == mine
    assert calls.writes == 1


@pytest.mark.parametrize("is_conditional", [True, False])
async def test_what_was_not_written_is_an_error_and_not_written_again(
    store: PostgresDocuments, is_conditional: bool
) -> None:
    first = await store.put(KEY, {"n": 1})
    calls = LateCalls(store.pool, does_write=False)

    with pytest.raises(NoAnswerError, match=f"did not answer within {TIME_LIMIT_S} s"):
        await put(store, calls, first.rev if is_conditional else None)

    assert await store.get(KEY) == first
    assert calls.writes == 1
