"""What is moved from one house to another, and what stops it; neither has a disk here."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.ops.move import MARK, Moved, Progress, move_into, survey
from bot.ops.output import OperatingError
from bot.store.documents import Document
from bot.store.encryption import KeyRing, RingSource, check_key_ring
from bot.store.memory import MemoryDocuments
from bot.store.sqlite import Snapshot

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
RING = KeyRing({"k1": b"1" * 32})
OURS = RingSource(RING)
QUIETLY = Progress(lambda _line: None)


def documents(count: int, kind: str = "scan") -> list[Document]:
    return [Document(f"-.T1/{kind}/{number:05}", {"n": number}, 7, NOW) for number in range(count)]


class House:
    """A store that is read page by page."""

    def __init__(self, *pages: Sequence[Document], unreadable: tuple[str, ...] = ()) -> None:
        self.pages = pages
        self.unreadable = unreadable

    async def read(self) -> AsyncGenerator[Snapshot]:
        for page in self.pages:
            yield Snapshot(documents=tuple(page))
        if self.unreadable:
            yield Snapshot(unreadable=self.unreadable)


class NewHouse:
    """A database into which one move goes; `loses` is the key of what does not arrive."""

    def __init__(self, *documents: Document) -> None:
        self.documents = list(documents)
        self.loses: str | None = None
        self.forgets = 1

    async def get(self, key: str) -> Document | None:
        return next((each for each in self.documents if each.key == key), None)

    async def count_of_workspaces(self) -> int:
        return sum(not each.key.startswith("meta/") for each in self.documents)

    async def make_room(self) -> None:
        self.documents = [each for each in self.documents if not each.key.startswith("meta/")]
        self.forgets = 0

    async def take_in(self, documents: Sequence[Document]) -> None:
        self.documents += [each for each in documents if each.key != self.loses]

    async def pages(self) -> AsyncGenerator[Sequence[Document]]:
        for each in sorted(self.documents, key=lambda each: each.key):
            yield [each]

    @property
    def names(self) -> list[str]:
        return [each.key for each in self.documents]


async def moved(
    there: NewHouse,
    house: House,
    *,
    ring: RingSource = OURS,
    now: datetime = NOW,
    progress: Progress = QUIETLY,
) -> Moved:
    here = await survey(house.read, ring)
    return await move_into(there, house.read, here, now, progress)


async def key_check(ring: KeyRing = RING) -> Document:
    """Return the note by which a store knows its ring."""
    store = MemoryDocuments()
    await check_key_ring(store, ring)
    [note] = await store.list_prefix("")
    return note


async def test_everything_arrives_as_it_was_with_a_note_of_the_move() -> None:
    kept, there = documents(3), NewHouse()

    outcome = await moved(there, House(kept[:2], kept[2:]))

    assert there.documents[:-1] == kept
    mark = there.documents[-1]
    assert (mark.key, mark.due_at) == (MARK, None)
    assert mark.value == {
        "v": 1,
        "at": NOW.isoformat(),
        "documents": 3,
        "print": (await survey(House(kept).read, OURS)).fingerprint,
    }
    assert (outcome.count, outcome.at) == (3, None)
    assert [line.split() for line in outcome.table] == [
        ["here", "there"],
        ["documents", "3", "3"],
        ["scan", "3", "3"],
    ]


async def test_a_second_time_nothing_is_changed() -> None:
    there, house = NewHouse(), House(documents(3))
    await moved(there, house)
    before = there.names

    outcome = await moved(there, house, now=NOW + timedelta(days=1))

    assert (outcome.count, outcome.table, outcome.at) == (3, (), NOW)
    assert there.names == before


async def test_another_store_is_not_taken_for_the_one_that_was_moved_there() -> None:
    there, kept = NewHouse(), documents(3)
    await moved(there, House(kept))

    with pytest.raises(OperatingError, match="took in a store on 2026-11-20"):
        await moved(there, House([*kept[:2], replace(kept[2], value={"n": 9})]))

    assert len(there.documents) == 4


async def test_a_database_with_one_document_of_anybody_is_refused() -> None:
    there = NewHouse(*documents(1, "key"))

    with pytest.raises(OperatingError, match="holds 1 document already"):
        await moved(there, House(documents(3)))

    assert there.names == ["-.T1/key/00000"]


async def test_what_a_bot_has_noted_there_for_itself_makes_room() -> None:
    there = NewHouse(Document("meta/check", {}, 1, None))

    await moved(there, House(documents(1)))

    assert there.names == ["-.T1/scan/00000", MARK]
    assert there.forgets == 0


async def test_what_does_not_arrive_stops_the_move() -> None:
    there = NewHouse()
    there.loses = "-.T1/scan/00001"

    with pytest.raises(OperatingError, match="What arrived is not what left") as caught:
        await moved(there, House(documents(3)))

    assert ["scan", "3", "2"] in [line.split() for line in caught.value.lines]
    assert caught.value.lines[-1] == "Nothing was moved."


async def test_what_changes_on_the_way_stops_the_move() -> None:
    class Blurred(NewHouse):
        async def take_in(self, documents: Sequence[Document]) -> None:
            await super().take_in([replace(each, rev=each.rev + 1) for each in documents])

    with pytest.raises(OperatingError, match="What arrived is not what left"):
        await moved(Blurred(), House(documents(3)))


@pytest.mark.parametrize(
    ("every", "told"),
    [
        (400, ["500 of 1,104 documents …", "1,000 of 1,104 documents …"]),
        (500, ["500 of 1,104 documents …", "1,000 of 1,104 documents …"]),
        (501, ["1,000 of 1,104 documents …"]),
        (10_000, []),
    ],
)
async def test_a_large_store_tells_how_far_it_is(every: int, told: list[str]) -> None:
    kept, said = documents(1_104), list[str]()
    house = House(kept[:500], kept[500:1_000], kept[1_000:])

    await moved(NewHouse(), house, progress=Progress(said.append, every=every))

    assert said == told


async def test_what_belongs_to_the_old_house_stays_there() -> None:
    there = NewHouse()
    stays = [Document(key, {}, 1, None) for key in ("-.T1/pending/0a-1", "meta/moved")]

    assert (await moved(there, House([*stays, *documents(1)]))).count == 1

    assert there.names == ["-.T1/scan/00000", MARK]


@pytest.mark.parametrize(
    "house", [House(), House([Document("meta/check", {}, 1, None)])], ids=["nothing", "no more"]
)
async def test_a_store_with_nothing_to_move_is_taken_for_a_wrong_address(house: House) -> None:
    with pytest.raises(OperatingError, match="The store is empty: look at DATABASE_URL"):
        await survey(house.read, OURS)


async def test_what_nobody_can_read_stops_the_move() -> None:
    house = House(documents(3), unreadable=("-.T1/digest/d9",))

    with pytest.raises(OperatingError, match=r"digest/d9 of T1") as caught:
        await survey(house.read, OURS)

    assert caught.value.lines[-1] == "Nothing was moved."


class TestKeys:
    """The keys must be those of the store, as they do not move with it."""

    async def test_that_open_the_store_let_it_move(self) -> None:
        there, note = NewHouse(), await key_check()

        await moved(there, House([*documents(1), note]))

        assert note.key in there.names

    async def test_that_do_not_open_the_store_stop_the_move(self) -> None:
        house = House([*documents(1), await key_check(KeyRing({"k1": b"2" * 32}))])

        with pytest.raises(OperatingError, match="BOT_SECRET_KEYS does not open the store") as no:
            await survey(house.read, OURS)

        assert "damaged" in no.value.lines[1]

    async def test_that_are_not_there_stop_the_move(self) -> None:
        house = House([*documents(1), await key_check()])

        with pytest.raises(OperatingError, match=r"There are no keys.*bot\.sqlite\.key is not"):
            await survey(house.read, RingSource(None, Path("bot.sqlite.key")))

    async def test_are_asked_for_only_where_something_is_sealed(self) -> None:
        cargo = await survey(House(documents(1)).read, RingSource(None, Path("bot.sqlite.key")))

        assert cargo.count == 1

    async def test_that_open_all_but_one_secret_let_it_move_as_it_is(self) -> None:
        lost = KeyRing({"k9": b"9" * 32}).encrypt("a key", "about")
        secret = Document("-.T1/key", {"sealed": lost}, 1, None)

        assert (await survey(House([secret, await key_check()]).read, OURS)).count == 2
