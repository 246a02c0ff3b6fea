"""Who waits for an answer: sealed, one taker at a time, until they have been notified."""

import json
from collections.abc import Awaitable, Callable

import pytest

from bot.inflight_requests import FIRST_TRY, LONGEST_TRY, InflightStore, Pending, Place
from bot.store.documents import Document
from bot.store.encryption import KeyRing, associated_data
from bot.workspace import WorkspaceId
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

URL = "https://hooks.example/commands/1"
RING = KeyRing({"k1": b"1" * 32})
PLACE = Place(WorkspaceId("T1", "E1"), "ab12", 7)


def a_pending(line: str | None = "/scan shop.example") -> Pending:
    return Pending(
        user_id="U1", what="/scan", channel_id="C1", response_url=URL, command_line=line
    )


class RacedDocuments(MemoryDocuments):
    """A store in which somebody else is faster, once, between a read and a write."""

    def __init__(self) -> None:
        super().__init__()
        self.after_read: Callable[[], Awaitable[object]] | None = None
        self.meanwhile: list[object] = []

    async def get(self, key: str) -> Document | None:
        document = await super().get(key)
        if after_read := self.after_read:
            self.after_read = None
            self.meanwhile.append(await after_read())
        return document


@pytest.fixture
def answers(documents: MemoryDocuments, clock: FakeClock) -> InflightStore:
    return InflightStore(documents, RING, clock=clock)


async def test_of_two_takers_one_gets_it(clock: FakeClock) -> None:
    documents = RacedDocuments()
    one, other = (InflightStore(documents, RING, clock=clock) for _ in range(2))
    await one.keep(PLACE, a_pending(), since=clock())
    clock.advance(60)
    documents.after_read = lambda: other.take(PLACE)

    assert await one.take(PLACE) is None
    assert documents.meanwhile == [a_pending()]


async def test_what_was_taken_comes_again_later_and_later_until_it_is_forgotten(
    answers: InflightStore, clock: FakeClock
) -> None:
    await answers.keep(PLACE, a_pending(), since=clock())
    clock.advance(60)
    for wait in (FIRST_TRY, 2 * FIRST_TRY, 4 * FIRST_TRY, LONGEST_TRY, LONGEST_TRY):
        assert await answers.take(PLACE) == a_pending()
        clock.advance(wait.total_seconds() - 1)
        assert await answers.due() == []
        clock.advance(1)
        assert await answers.due() == [PLACE]

    await answers.forget(PLACE)

    assert await answers.due() == []
    assert await answers.take(PLACE) is None


async def test_the_store_shows_neither_the_person_nor_the_way_to_them(
    answers: InflightStore, documents: MemoryDocuments, clock: FakeClock
) -> None:
    await answers.keep(PLACE, a_pending(), since=clock())

    [stored] = await documents.list_prefix("")
    assert {*stored.value} == {"v", "since", "tries", "sealed"}
    assert all(private not in stored.value["sealed"] for private in (URL, "shop.example"))
    assert URL not in repr(a_pending())


async def test_what_a_newer_version_knows_besides_is_left_out(
    answers: InflightStore, documents: MemoryDocuments, clock: FakeClock
) -> None:
    body = {"user_id": "U1", "what": "/scan", "mood": "patient"}
    sealed = RING.encrypt(
        json.dumps(body), associated_data("pending-answer", PLACE.workspace, PLACE.name)
    )
    value = {"v": 1, "since": clock().isoformat(), "tries": 0, "sealed": sealed}
    await documents.put(PLACE.key, value, due_at=clock())

    assert await answers.take(PLACE) == Pending(user_id="U1", what="/scan")
