"""Digests in every store, read back as they were."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.digests.edits import create, paused
from bot.digests.models import Digest, Mention, Plan, UnknownDigestError
from bot.digests.report import Baseline
from bot.digests.repository import (
    DigestRepository,
    decode_baseline,
    decode_digest,
    encode_baseline,
    encode_digest,
)
from bot.digests.schedule import Schedule
from bot.store.documents import ConflictError, Documents, decode_json, encode_value
from bot.workspace import WorkspaceId
from tests.digests.office import ACME, BOB, DAILY, EVE, NINE
from tests.store import conftest as stores

pytestmark = pytest.mark.anyio

OTHER = WorkspaceId("T1", "E1")
PLAN = Plan(channel_id="C1", schedule=DAILY)
MOMENTS = st.datetimes(timezones=st.just(UTC))
TEXTS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=50)
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
def shelf(documents: Documents) -> DigestRepository:
    return DigestRepository(documents)


@given(DIGESTS)
def test_a_digest_comes_back_from_json_as_it_was(digest: Digest) -> None:
    text = encode_value(encode_digest(digest))

    assert decode_digest(decode_json(text), 7) == digest


@given(st.dictionaries(TEXTS, st.none() | st.floats(0, 100)), MOMENTS)
def test_a_baseline_comes_back_from_json_as_it_was(
    scores: dict[str, float | None], taken_at: datetime
) -> None:
    baseline = Baseline(scores=scores, taken_at=taken_at)

    assert decode_baseline(decode_json(encode_value(encode_baseline(baseline)))) == baseline


@pytest.mark.parametrize("value", [{}, {"v": 1}, {"v": 1, "digest_id": 3}], ids=repr)
def test_what_is_no_digest_is_refused(value: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no digest"):
        decode_digest(value, 1)


async def test_a_digest_is_due_in_the_store_at_its_slot(shelf: DigestRepository) -> None:
    await shelf.put(ACME, create("d1", PLAN, BOB, EVE))

    assert await shelf.due(NINE - timedelta(seconds=1), limit=10) == []
    assert await shelf.due(NINE, limit=10) == [(ACME, "d1")]


async def test_a_paused_digest_is_never_due(shelf: DigestRepository) -> None:
    digest = await shelf.put(OTHER, create("d1", PLAN, BOB, EVE))

    await shelf.put(OTHER, paused(digest, BOB, EVE, until=None))

    assert await shelf.due(NINE + timedelta(days=9), limit=10) == []


async def test_other_documents_that_are_due_are_no_digests(
    shelf: DigestRepository, documents: Documents
) -> None:
    await documents.put(f"{ACME}/kept/U1/x", {}, due_at=EVE)
    await shelf.put(OTHER, create("d1", PLAN, BOB, EVE))

    assert await shelf.due(NINE, limit=10) == [(OTHER, "d1")]


async def test_what_is_kept_says_in_which_form(
    shelf: DigestRepository, documents: Documents
) -> None:
    await shelf.put(ACME, create("d1", PLAN, BOB, EVE))
    await shelf.keep_baseline(ACME, "d1", "one", Baseline(scores={}, taken_at=EVE))
    await shelf.restrict(ACME, admins_only=True)

    kept = await documents.list_prefix(f"{ACME}/")

    assert [document.value["v"] for document in kept] == [1, 1, 1]


async def test_of_two_who_write_at_once_one_is_told(shelf: DigestRepository) -> None:
    digest = await shelf.put(ACME, create("d1", PLAN, BOB, EVE))
    await shelf.put(ACME, replace(digest, silent_runs=1))

    with pytest.raises(ConflictError):
        await shelf.put(ACME, replace(digest, silent_runs=2))


async def test_changes_that_meet_are_all_made(shelf: DigestRepository) -> None:
    await shelf.put(ACME, create("d1", PLAN, BOB, EVE))

    def count(digest: Digest) -> Digest:
        return replace(digest, silent_runs=digest.silent_runs + 1)

    await asyncio.gather(*(shelf.change(ACME, "d1", count) for _ in range(20)))

    assert (await shelf.get(ACME, "d1")).silent_runs == 20


async def test_a_change_that_changes_nothing_writes_nothing(shelf: DigestRepository) -> None:
    digest = await shelf.put(ACME, create("d1", PLAN, BOB, EVE))

    assert (await shelf.change(ACME, "d1", lambda each: each)).rev == digest.rev


async def test_whoever_shows_digests_learns_of_everything_that_is_written(
    documents: Documents,
) -> None:
    written: list[WorkspaceId] = []
    shelf = DigestRepository(documents, on_change=written.append)

    await shelf.put(ACME, create("d1", PLAN, BOB, EVE))
    await shelf.change(ACME, "d1", lambda each: replace(each, silent_runs=1))
    await shelf.change(ACME, "d1", lambda each: each)
    await shelf.delete(ACME, "d1")

    assert written == [ACME] * 3


async def test_a_digest_that_is_not_there_is_unknown(shelf: DigestRepository) -> None:
    with pytest.raises(UnknownDigestError):
        await shelf.get(ACME, "d1")
    with pytest.raises(UnknownDigestError):
        await shelf.change(ACME, "d1", lambda each: each)
    with pytest.raises(UnknownDigestError):
        await shelf.delete(ACME, "d1")


async def test_baselines_stand_beside_each_other_until_they_are_forgotten(
    shelf: DigestRepository,
) -> None:
    first = Baseline(scores={"a.example": 1.0}, taken_at=EVE)
    second = Baseline(scores={"a.example": None}, taken_at=NINE)

    await shelf.keep_baseline(ACME, "d1", "one", first)
    await shelf.keep_baseline(ACME, "d1", "other", second)

    assert await shelf.baseline(ACME, "d1", "one") == first
    assert await shelf.baseline(ACME, "d1", "other") == second
    await shelf.forget_baseline(ACME, "d1", "one")
    assert await shelf.baseline(ACME, "d1", "one") is None
    assert await shelf.baseline(ACME, "d1", None) is None


async def test_digests_of_one_workspace_are_not_another_s(shelf: DigestRepository) -> None:
    await shelf.put(ACME, create("d1", PLAN, BOB, EVE))

    assert await shelf.of_workspace(OTHER) == []
    assert [digest.digest_id for digest in await shelf.of_workspace(ACME)] == ["d1"]
