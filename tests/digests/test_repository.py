"""Digests in every store, read back as they were."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.digests.baseline import Baseline, Replaced, pack, unpack
from bot.digests.edits import create
from bot.digests.models import Digest, Mention, Plan, UnknownDigestError
from bot.digests.repository import DigestRepository, decode_digest, encode_digest
from bot.digests.schedule import Schedule
from bot.process.workspace import WorkspaceId
from bot.store.documents import Documents, decode_json, encode_value
from tests.digests.builders import ACME, BOB, DAILY, EVE, NINE
from tests.store import conftest as stores

OTHER = WorkspaceId("T1", "E1")
PLAN = Plan(channel_id="C1", schedule=DAILY)
SCHEDULES = st.builds(
    Schedule,
    days=st.frozensets(st.integers(0, 6), min_size=1),
    at=st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    zone=st.sampled_from(["Europe/Berlin", "Asia/Kathmandu", "UTC"]),
)
DIGESTS = st.builds(
    Digest,
    plan=st.builds(
        Plan, schedule=SCHEDULES, mentions=st.builds(tuple, st.lists(st.builds(Mention)))
    ),
    rev=st.just(7),
)


# In every store that keeps the contract.
needed, documents = stores.needed, stores.documents


@pytest.fixture
def repository(documents: Documents) -> DigestRepository:
    return DigestRepository(documents)


@given(DIGESTS)
def test_a_digest_comes_back_from_json_as_it_was(digest: Digest) -> None:
    text = encode_value(encode_digest(digest))

    assert decode_digest(decode_json(text), 7) == digest


async def test_a_digest_is_due_in_the_store_at_its_slot(repository: DigestRepository) -> None:
    await repository.put(ACME, create("d1", PLAN, BOB, EVE))

    assert await repository.due(NINE - timedelta(seconds=1), limit=10) == []
    assert await repository.due(NINE, limit=10) == [(ACME, "d1")]


async def test_changes_that_meet_are_all_made(repository: DigestRepository) -> None:
    await repository.put(ACME, create("d1", PLAN, BOB, EVE))

    def count(digest: Digest) -> Digest:
        return replace(digest, silent_runs=digest.silent_runs + 1)

    await asyncio.gather(*(repository.change(ACME, "d1", count) for _ in range(20)))

    assert (await repository.get(ACME, "d1")).silent_runs == 20


async def test_a_digest_that_is_not_there_is_unknown(repository: DigestRepository) -> None:
    with pytest.raises(UnknownDigestError):
        await repository.get(ACME, "d1")
    with pytest.raises(UnknownDigestError):
        await repository.change(ACME, "d1", lambda each: each)
    with pytest.raises(UnknownDigestError):
        await repository.delete(ACME, "d1")


def test_a_baseline_comes_back_from_its_text_as_it_was() -> None:
    before = Replaced(EVE, {"b.example": 2.0}, ("a.example",))
    marks = {"a.example": {"registration": 30}}
    baseline = Baseline(scores={"a.example": None}, taken_at=NINE, marks=marks, replaced=before)

    assert unpack(pack(baseline)) == baseline
