"""Who tells of a key: one worker, about the key that it was about."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.keys import KeyClaims, Keys
from bot.workspace import WorkspaceId
from tests.builders import KEY
from tests.fakes import FakeClock
from tests.keys.unhurried import UnhurriedDocuments
from tests.test_keys import RING, a_draft

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")
MINUTE = timedelta(minutes=1)


class Desk:
    """Keys and claims on one store."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        documents = UnhurriedDocuments()
        self.keys = Keys(documents, RING, clock=self.clock)
        self.claims = KeyClaims(documents, clock=self.clock)

    async def set_refused(self, secret: str) -> None:
        self.clock.advance(1)
        draft = replace(a_draft(secret), expires_on=None)
        await self.keys.save(ONE, draft, set_by="U1")
        await self.keys.note_refused(ONE, await self.keys.stored(ONE))


@pytest.fixture
async def desk() -> Desk:
    desk = Desk()
    await desk.set_refused(KEY)
    return desk


async def test_a_claim_is_one_workers_until_it_ends(desk: Desk) -> None:
    first = await desk.claims.claim(ONE, lease=MINUTE)
    second = await desk.claims.claim(ONE, lease=MINUTE)
    desk.clock.advance(60)
    third = await desk.claims.claim(ONE, lease=MINUTE)

    assert first == third is not None
    assert second is None


async def test_a_claim_on_the_old_key_says_nothing_of_the_new_one(desk: Desk) -> None:
    old = await desk.claims.claim(ONE, lease=MINUTE)
    await desk.set_refused(KEY.replace("Q", "R"))
    new = await desk.claims.claim(ONE, lease=MINUTE)
    assert old is not None
    assert new is not None

    await desk.claims.note_told(ONE, old, "U1")
    await desk.claims.finish(ONE, old)

    assert (await desk.keys.stored(ONE)).record.told_at is None
    assert await desk.claims.due(limit=9) == []


async def test_a_key_that_works_again_meanwhile_was_not_told(desk: Desk) -> None:
    claim = await desk.claims.claim(ONE, lease=MINUTE)
    assert claim is not None
    await desk.keys.note_accepted(ONE, await desk.keys.stored(ONE), "list")

    await desk.claims.finish(ONE, claim)

    assert (await desk.keys.stored(ONE)).record.told_at is None


async def test_a_claim_that_is_put_off_comes_back(desk: Desk) -> None:
    claim = await desk.claims.claim(ONE, lease=MINUTE)
    assert claim is not None
    await desk.claims.note_told(ONE, claim, "U1")
    await desk.claims.put_off(ONE, claim, 2 * MINUTE)
    desk.clock.advance(119)
    assert await desk.claims.due(limit=9) == []

    desk.clock.advance(1)

    assert await desk.claims.due(limit=9) == [ONE]
    again = await desk.claims.claim(ONE, lease=MINUTE)
    assert again == replace(claim, told=("U1",), tries=1)


async def test_what_is_told_is_not_due_again(desk: Desk) -> None:
    claim = await desk.claims.claim(ONE, lease=MINUTE)
    assert claim is not None

    await desk.claims.finish(ONE, claim)

    desk.clock.advance(9_999_999)
    assert await desk.claims.due(limit=9) == []
    assert await desk.claims.claim(ONE, lease=MINUTE) is None


async def test_a_workspace_without_a_key_has_nothing_to_tell(desk: Desk) -> None:
    assert await desk.claims.claim(WorkspaceId("T2"), lease=MINUTE) is None
