"""Writes whose answer comes too late: whether they happened is looked up, and not for long."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import LiteralString

import pytest

from bot.store.documents import Document, NoAnswerError
from bot.store.postgres.documents import PUT, PostgresDocuments, Putting
from bot.store.postgres.pool import Arguments, Calls, LostConnectionError, Pool, Row
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

KEY = "-.T1/key"
MINE = Document(KEY, {"n": 2}, rev=2_000, due_at=None)


class LateCalls(Calls):
    """The database does what it is asked, but for the answer to a write the time is up.

    `does_write` False: it does not do it. `goes_away`: after that nothing is answered.
    """

    def __init__(self, pool: Pool, *, does_write: bool = True, goes_away: bool = False) -> None:
        super().__init__(pool, timeout_s=TIME_LIMIT_S)
        self.does_write, self.goes_away = does_write, goes_away
        self.writes, self.is_away = 0, False

    async def _run(self, statement: LiteralString, arguments: Arguments) -> list[Row]:
        if statement != PUT and not self.is_away:
            return await super()._run(statement, arguments)
        self.writes += statement == PUT
        if self.does_write and not self.is_away:
            await super()._run(statement, arguments)
        elif self.is_away:
            await asyncio.Event().wait()
        self.is_away = self.goes_away
        raise TimeoutError


async def put(calls: Calls, if_rev: int | None) -> None:
    await Putting(calls, looked_up_within_s=TIME_LIMIT_S).put(MINE, '{"n":2}', if_rev, None)


async def test_what_was_written_is_written_although_nobody_heard(store: PostgresDocuments) -> None:
    first = await store.put(KEY, {"n": 1})
    calls = LateCalls(store.pool)

    await put(calls, first.rev)

    assert await store.get(KEY) == MINE
    assert calls.writes == 1


@pytest.mark.parametrize("is_conditional", [True, False])
async def test_what_was_not_written_is_an_error_and_not_written_again(
    store: PostgresDocuments, is_conditional: bool
) -> None:
    first = await store.put(KEY, {"n": 1})
    calls = LateCalls(store.pool, does_write=False)

    with pytest.raises(NoAnswerError, match=f"did not answer within {TIME_LIMIT_S} s"):
        await put(calls, first.rev if is_conditional else None)

    assert await store.get(KEY) == first
    assert calls.writes == 1


async def test_nobody_waits_long_for_whether_it_was_written(store: PostgresDocuments) -> None:
    calls = LateCalls(store.pool, goes_away=True)

    with pytest.raises(NoAnswerError, match=r"within 0\.01 s"):
        await Putting(calls, looked_up_within_s=0.01).put(MINE, '{"n":2}', 0, None)


class BrokenCalls(Calls):
    """The connection breaks before the first write; `meanwhile` happens before the second one."""

    def __init__(self, pool: Pool, meanwhile: Callable[[Arguments], Awaitable[object]]) -> None:
        super().__init__(pool, timeout_s=TIME_LIMIT_S)
        self.writes, self.meanwhile = 0, meanwhile

    async def write(self, statement: LiteralString, arguments: Arguments = ()) -> list[Row]:
        self.writes += 1
        if self.writes == 1:
            raise LostConnectionError("the connection broke")
        await self.meanwhile(arguments)
        return await super().write(statement, arguments)


async def test_a_first_write_that_arrives_late_is_the_one_that_was_wanted(
    store: PostgresDocuments,
) -> None:
    first, late = await store.put(KEY, {"n": 1}), Calls(store.pool, timeout_s=TIME_LIMIT_S)
    calls = BrokenCalls(store.pool, lambda arguments: late.write(PUT, arguments))

    await put(calls, first.rev)

    assert await store.get(KEY) == MINE
    assert calls.writes == 2


async def test_after_a_break_it_is_not_known_whose_write_came_before_anothers(
    store: PostgresDocuments,
) -> None:
    first = await store.put(KEY, {"n": 1})
    calls = BrokenCalls(store.pool, lambda _: store.put(KEY, {"n": 3}))

    with pytest.raises(LostConnectionError):
        await put(calls, first.rev)
