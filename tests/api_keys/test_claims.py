"""Who tells of a key: one worker, about the key that it was about."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.api_keys.repository import KeyClaims, Keys
from bot.workspace import WorkspaceId
from tests.api_keys.test_repository import RING, a_draft
from tests.api_keys.unhurried import UnhurriedDocuments
from tests.builders import KEY, MOMENT
from tests.fakes import FakeClock

pytestmark = pytest.mark.anyio

ONE = WorkspaceId("T1")
MINUTE = timedelta(minutes=1)
# The key of `a_draft` ends on 1 June 2030, at the hour at which it was set.
ENDS = MOMENT + timedelta(days=92)


class Desk:
    """Keys and claims on one store."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        documents = UnhurriedDocuments()
        self.keys = Keys(documents, RING, clock=self.clock)
        self.claims = KeyClaims(self.keys)

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


async def test_a_claim_on_the_old_key_says_nothing_of_the_new_one(desk: Desk) -> None:
    old = await desk.claims.claim(ONE, lease=MINUTE)
    await desk.set_refused(KEY.replace("Q", "R"))
    new = await desk.claims.claim(ONE, lease=MINUTE)
    assert old is not None
    assert new is not None

    await desk.claims.note_delivered(ONE, old, "U1")
    await desk.claims.finish(ONE, old)

    assert (await desk.keys.stored(ONE)).record.told_at is None
    assert await desk.keys.due(limit=9) == []


async def test_a_key_that_works_again_meanwhile_was_not_told(desk: Desk) -> None:
    claim = await desk.claims.claim(ONE, lease=MINUTE)
    assert claim is not None
    await desk.keys.note_accepted(ONE, await desk.keys.stored(ONE), "list")

    await desk.claims.finish(ONE, claim)

    assert (await desk.keys.stored(ONE)).record.told_at is None


async def test_a_note_on_the_key_ends_no_claim(desk: Desk) -> None:
    claim = await desk.claims.claim(ONE, lease=MINUTE)
    assert claim is not None
    await desk.claims.note_delivered(ONE, claim, "U1")

    await desk.keys.note_lacking(ONE, await desk.keys.stored(ONE), "add")

    assert await desk.claims.claim(ONE, lease=MINUTE) is None
    desk.clock.advance(60)
    again = await desk.claims.claim(ONE, lease=MINUTE)
    assert again is not None
    assert again.reached == ("U1",)


class TestSteps:
    """A key that ends: one step of its countdown follows the other."""

    @pytest.fixture
    async def desk(self) -> Desk:
        desk = Desk()
        await desk.keys.save(ONE, a_draft(), set_by="U1")
        desk.clock.now = ENDS - timedelta(days=14)
        return desk

    async def test_who_was_told_of_a_step_was_not_told_of_the_next(self, desk: Desk) -> None:
        first = await desk.claims.claim(ONE, lease=MINUTE)
        assert first is not None
        await desk.claims.note_delivered(ONE, first, "U1")
        await desk.claims.postpone(ONE, first, MINUTE)
        desk.clock.now = ENDS - timedelta(days=7)

        second = await desk.claims.claim(ONE, lease=MINUTE)

        assert second is not None
        assert (second.notice.days, second.reached, second.tries) == (7, (), 0)

    async def test_a_worker_that_is_late_does_not_end_the_next_step(self, desk: Desk) -> None:
        late = await desk.claims.claim(ONE, lease=MINUTE)
        assert late is not None
        desk.clock.now = ENDS - timedelta(days=7)
        await desk.claims.claim(ONE, lease=MINUTE)

        await desk.claims.finish(ONE, late)

        assert await desk.claims.claim(ONE, lease=MINUTE) is None
        desk.clock.advance(60)
        assert await desk.claims.claim(ONE, lease=MINUTE) is not None
