"""Steps of a run, recorded in a store that fails, or that loses only its answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.digests import edits, run_state
from bot.digests.delivery import STEP_AGAIN_AFTER_S, Recording
from bot.digests.models import Digest, FailureReason, LostClaimError, Outcome
from bot.digests.repository import DigestRepository
from bot.store.documents import Document, ForgottenError, StoreError
from tests.digests.builders import DUE, a_digest, a_past_run, a_run, a_slot
from tests.digests.office import ACME, BOB
from tests.fakes import FakeClock
from tests.memory import MemoryDocuments

pytestmark = pytest.mark.anyio

TOKEN = a_run().token


class FailingDocuments(MemoryDocuments):
    """A store whose next writes end with `errors`; `is_late`: they happen all the same."""

    def __init__(self) -> None:
        super().__init__()
        self.errors: list[StoreError] = []
        self.is_late = False

    async def put(self, key: str, value: Mapping[str, Any], **how: Any) -> Document:
        if self.errors and not self.is_late:
            raise self.errors.pop(0)
        document = await super().put(key, value, **how)
        if self.errors:
            raise self.errors.pop(0)
        return document


class Room:
    """A digest with a run under way; `meanwhile` happens before a step is tried again."""

    def __init__(self) -> None:
        self.documents, self.clock = FailingDocuments(), FakeClock(DUE)
        self.repository = DigestRepository(self.documents)
        self.slept: list[float] = []
        self.meanwhile: Callable[[], Awaitable[object]] | None = None
        self.recording = Recording(self.repository, clock=self.clock, sleep=self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)
        if self.meanwhile:
            await self.meanwhile()

    async def begin(self, **run: Any) -> Digest:
        digest = a_digest(run=a_run(**run))
        return await self.repository.put(ACME, replace(digest, rev=0))

    async def post(self, digest: Digest) -> Digest:
        return await self.recording.record(
            ACME, digest.digest_id, lambda each, now: run_state.posted(each, TOKEN, now)
        )

    async def change(self, digest: Digest, change: Callable[[Digest], Digest]) -> None:
        await self.repository.change(ACME, digest.digest_id, change)


@pytest.fixture
def room() -> Room:
    return Room()


async def test_a_store_that_fails_is_asked_again(room: Room) -> None:
    digest = await room.begin()
    room.documents.errors = [StoreError("down")] * len(STEP_AGAIN_AFTER_S)

    posted = await room.post(digest)

    assert [run.outcome for run in posted.past] == [Outcome.POSTED]
    assert tuple(room.slept) == STEP_AGAIN_AFTER_S


async def test_it_is_not_asked_for_ever(room: Room) -> None:
    digest = await room.begin()
    room.documents.errors = [StoreError("down")] * 9

    with pytest.raises(StoreError, match="down"):
        await room.post(digest)


async def test_what_was_forgotten_is_not_tried_again(room: Room) -> None:
    digest = await room.begin()
    room.documents.errors = [ForgottenError("removed")]

    with pytest.raises(ForgottenError):
        await room.post(digest)

    assert room.slept == []


async def test_what_was_written_is_done_whatever_has_happened_since(room: Room) -> None:
    digest = await room.begin(average=41.0)  # which an edit of the filter forgets
    room.documents.errors, room.documents.is_late = [StoreError("late")], True
    other = replace(digest.plan, filter_text="below:50")

    async def edit() -> None:
        await room.change(
            digest,
            lambda each: edits.update(each, other, BOB, room.clock(), version=each.version),
        )

    room.meanwhile = edit
    posted = await room.post(digest)

    assert [run.outcome for run in posted.past] == [Outcome.POSTED]
    assert posted.plan == other


async def test_an_extra_run_that_was_dropped_is_dropped(room: Room) -> None:
    digest = await room.begin(is_extra=True)
    room.documents.errors, room.documents.is_late = [StoreError("late")], True

    dropped = await room.recording.record(
        ACME,
        digest.digest_id,
        lambda each, now: run_state.waiting(each, TOKEN, now, FailureReason.SLACK),
    )

    assert dropped.run is None


@pytest.mark.parametrize(
    "difference",
    [
        pytest.param({"outcome": Outcome.UNCERTAIN}, id="an end of another kind"),
        pytest.param({"at": DUE + timedelta(seconds=1)}, id="an end at another moment"),
        pytest.param({"slot": a_slot(DUE - timedelta(days=1))}, id="the end of another slot"),
    ],
)
async def test_what_another_process_recorded_is_not_taken_for_our_own(
    room: Room, difference: dict[str, Any]
) -> None:
    digest = await room.begin()
    room.documents.errors = [StoreError("down")]
    ours = a_past_run(Outcome.POSTED, None, DUE)
    theirs = replace(ours, **difference)
    room.meanwhile = lambda: room.change(
        digest, lambda each: replace(each, run=None, past=(theirs,))
    )

    with pytest.raises(LostClaimError):
        await room.post(digest)


async def test_a_run_that_was_called_off_before_anything_was_written_is_lost(room: Room) -> None:
    digest = await room.begin()
    room.documents.errors = [StoreError("down")]
    later = DUE + timedelta(days=1)
    room.meanwhile = lambda: room.change(digest, lambda each: run_state.cancel_run(each, later))

    with pytest.raises(LostClaimError):
        await room.post(digest)
