"""Twenty digests in a channel, in however many processes they are made."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.digests.models import MAX_PER_CHANNEL, Plan, TooManyDigestsError
from bot.digests.repository import HELD_FOR, DigestRepository, Places
from bot.slack.errors import ChannelClosedError
from bot.store.documents import Document, Documents, StoreError
from bot.store.memory import MemoryDocuments
from tests.digests.office import ACME, BOB, DAILY, Office

pytestmark = pytest.mark.anyio

PLAN = Plan(channel_id="C1", schedule=DAILY)
KEY = f"{ACME}/digest-places/C1"


def two_processes(documents: Documents) -> tuple[Office, Office]:
    one, other = Office(), Office()
    for office in (one, other):
        office.shelf = DigestRepository(documents)
        office.places = Places(documents, clock=office.clock)
        office.start()
    return one, other


async def outcomes(*making: object) -> list[str]:
    results = await asyncio.gather(*making, return_exceptions=True)  # type: ignore[call-overload]  # coroutines of several kinds
    return sorted(type(result).__name__ for result in results)


async def test_the_last_place_of_a_channel_is_given_once(documents: Documents) -> None:
    one, other = two_processes(documents)
    for _ in range(MAX_PER_CHANNEL - 1):
        await one.make()

    ended = await outcomes(*(each.desk.make(ACME, PLAN, by=BOB) for each in (one, other) * 3))

    assert ended == ["Made"] + ["TooManyDigestsError"] * 5
    assert len(await one.desk.of_channel(ACME, "C1")) == MAX_PER_CHANNEL
    assert len(one.posts.posts) + len(other.posts.posts) == 1


async def test_many_at_once_fill_a_channel_and_no_more(documents: Documents) -> None:
    offices = two_processes(documents)

    ended = await outcomes(*(each.desk.make(ACME, PLAN, by=BOB) for each in offices * 15))

    assert ended == ["Made"] * MAX_PER_CHANNEL + ["TooManyDigestsError"] * 10
    assert len(await offices[0].desk.of_channel(ACME, "C1")) == MAX_PER_CHANNEL


class BusyDocuments(MemoryDocuments):
    """A store in which `meanwhile` happens before the step that `countdown` comes to."""

    def __init__(self) -> None:
        super().__init__()
        self.countdown = -1
        self.meanwhile: Callable[[], Awaitable[object]] | None = None

    async def get(self, key: str) -> Document | None:
        await self._step()
        return await super().get(key)

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        await self._step()
        return await super().put(key, value, **how)

    async def list_prefix(self, prefix: str, *, limit: int | None = None) -> list[Document]:
        await self._step()
        return await super().list_prefix(prefix, limit=limit)

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        await self._step()
        return await super().delete(key, if_rev=if_rev)

    async def _step(self) -> None:
        self.countdown -= 1
        if self.meanwhile and self.countdown < 0:
            act, self.meanwhile = self.meanwhile, None
            await act()


@pytest.mark.parametrize("steps", range(6))  # of which making one consists
async def test_whenever_another_one_comes_in_between_one_of_them_gets_the_last_place(
    steps: int,
) -> None:
    documents = BusyDocuments()
    one, other = two_processes(documents)
    for _ in range(MAX_PER_CHANNEL - 1):
        await one.make()
    others: list[str] = []

    async def make() -> None:
        others.extend(await outcomes(other.desk.make(ACME, PLAN, by=BOB)))

    documents.countdown, documents.meanwhile = steps, make
    ours = await outcomes(one.desk.make(ACME, PLAN, by=BOB))

    assert sorted(ours + others) == ["Made", "TooManyDigestsError"]
    assert len(await one.desk.of_channel(ACME, "C1")) == MAX_PER_CHANNEL
    assert await documents.get(KEY) is None


async def test_a_digest_that_moves_takes_a_place_too(documents: Documents) -> None:
    one, other = two_processes(documents)
    for _ in range(MAX_PER_CHANNEL - 1):
        await one.make()
    moving = await other.make(channel_id="C2")

    ended = await outcomes(
        one.desk.make(ACME, PLAN, by=BOB),
        other.desk.change(ACME, moving.digest_id, PLAN, by=BOB, version=moving.version),
    )

    assert ended.count("TooManyDigestsError") == 1
    assert len(await one.desk.of_channel(ACME, "C1")) == MAX_PER_CHANNEL


async def test_what_was_about_to_come_leaves_nothing_behind(documents: Documents) -> None:
    one, other = two_processes(documents)
    made = await one.make()
    other.posts.errors = [ChannelClosedError("not_in_channel")]
    with pytest.raises(ChannelClosedError):
        await other.desk.make(ACME, PLAN, by=BOB)

    await one.desk.delete(ACME, made.digest_id)

    assert await documents.list_keys("") == []


async def test_the_place_of_a_process_that_died_is_free_after_a_while() -> None:
    documents = MemoryDocuments()
    one, other = two_processes(documents)
    for _ in range(MAX_PER_CHANNEL - 1):
        await one.make()
    until = (one.clock.now + HELD_FOR).isoformat()
    await documents.put(KEY, {"v": 1, "coming": {"d0": until}})

    with pytest.raises(TooManyDigestsError):
        await other.make()
    other.clock.advance(HELD_FOR.total_seconds())
    await other.make()

    assert await documents.get(KEY) is None


async def test_a_digest_that_was_made_counts_once_while_its_place_is_held() -> None:
    documents = MemoryDocuments()
    one, other = two_processes(documents)
    made = [await one.make() for _ in range(MAX_PER_CHANNEL - 1)]
    until = (one.clock.now + HELD_FOR).isoformat()
    await documents.put(KEY, {"v": 1, "coming": {made[0].digest_id: until}})

    await other.make()

    assert len(await one.desk.of_channel(ACME, "C1")) == MAX_PER_CHANNEL


class ForgetfulDocuments(MemoryDocuments):
    """A store in which nothing can be deleted for the moment."""

    async def delete(self, key: str, *, if_rev: int | None = None) -> bool:
        raise StoreError(f"{key} at {if_rev} stays")


async def test_a_digest_is_made_although_its_place_cannot_be_given_back() -> None:
    documents = ForgetfulDocuments()
    one, other = two_processes(documents)

    made = await one.desk.make(ACME, PLAN, by=BOB)
    await other.desk.make(ACME, replace(PLAN, channel_id="C2"), by=BOB)

    assert await other.desk.of_channel(ACME, "C1") == [made.digest]
    assert isinstance(await documents.get(KEY), Document)
