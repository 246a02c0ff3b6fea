"""What a document tells of a key is what was known of it."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.shared_limits import (
    MAX_KEYS,
    AccountShelf,
    Timeline,
    decode_account,
    decode_counted,
    encode_account,
    encode_counted,
    is_news,
)
from bot.store.memory import MemoryDocuments
from bot.tracker.rate_limit import NEVER, RateLimitState
from bot.tracker.usage import UsageSample
from bot.workspace import KEY_CHECK, OTHER, Caller, WorkspaceId, digests_of, person
from tests.fakes import FakeClock

moments = st.just(NEVER) | st.integers(1_900_000_000_000, 1_900_000_000_000 + 10**9).map(
    lambda ms: ms / 1000
)


@st.composite
def accounts(draw: st.DrawFn) -> RateLimitState:
    told_at = draw(moments)
    return RateLimitState(
        told_at=told_at,
        remaining=None if told_at == NEVER else draw(st.integers(0, 5)),
        highest=draw(st.integers(0, 5)),
        highest_at=draw(moments),
        blocked_until=draw(moments),
        rate_limits=draw(st.integers(0, 3)),
        served_at=draw(moments),
        probe_at=draw(moments),
        settled_at=draw(moments),
    )


@given(accounts())
def test_an_account_comes_out_as_it_went_in(account: RateLimitState) -> None:
    value = json.loads(json.dumps(encode_account(account), allow_nan=False))

    assert decode_account(value) == account


@given(accounts(), accounts())
def test_what_is_stored_is_no_news_to_anybody(
    mine: RateLimitState, theirs: RateLimitState
) -> None:
    known = mine.joined(theirs)

    assert not is_news(known, known, now=1_900_000_500.0)


def test_what_was_counted_comes_out_as_it_went_in() -> None:
    askers: list[Caller] = [person("U1"), digests_of("C1"), KEY_CHECK, OTHER]
    minutes = {60.0: {each: n for n, each in enumerate(askers, start=1)}, 120.0: {OTHER: 1}}
    counted, account = UsageSample("f" * 16, 7.0, minutes), RateLimitState().told(5, 100.0)

    value = json.loads(json.dumps(encode_counted(counted, account, 1_900_000_000.0)))

    assert decode_counted(value, 1_900_000_000.0) == (counted, account)


def test_what_a_newer_version_has_counted_is_left_out() -> None:
    assert decode_counted({"v": 2}, 0.0) is None


class Clocks:
    """The clock of all, and the seconds of one process."""

    def __init__(self) -> None:
        self.wall, self.seconds_now = FakeClock(), 5.0
        self.timeline = Timeline(self.wall, lambda: self.seconds_now)

    def pass_by(self, seconds: float) -> None:
        self.wall.advance(seconds)
        self.seconds_now += seconds


def test_both_clocks_are_as_far_apart_as_before_though_they_tick_differently() -> None:
    clocks = Clocks()
    before = clocks.timeline.ahead_s()

    clocks.pass_by(3600)
    clocks.wall.advance(0.2)

    assert clocks.timeline.ahead_s() == before


@pytest.mark.parametrize("by_s", [-3600.0, 1.0])
def test_a_clock_that_was_set_is_followed(by_s: float) -> None:
    clocks = Clocks()
    before = clocks.timeline.ahead_s()

    clocks.wall.now += timedelta(seconds=by_s)

    assert clocks.timeline.ahead_s() == before + by_s


WAITING = RateLimitState().limited(40.0, 100.0)
LOW = RateLimitState().told(1000, 90.0).told(50, 100.0)


@pytest.mark.parametrize(
    ("mine", "stored", "now"),
    [
        (WAITING, RateLimitState(), 101.0),
        (WAITING.limited(9.0, 140.0), WAITING, 141.0),
        (WAITING.served(150.0), WAITING, 150.0),
        (WAITING.ahead(141.0).settled(142.0), WAITING.ahead(141.0), 143.0),
        (LOW, RateLimitState().told(1000, 90.0), 101.0),
        (LOW.told(900, 110.0), LOW, 111.0),
        (LOW.told(40, 110.0), LOW, 111.0),
    ],
    ids=[
        "a wait has begun",
        "a longer wait has begun",
        "a wait has ended",
        "who went ahead is back",
        "the reserve is reached",
        "the reserve is left",
        "the reserve was tried again",
    ],
)
def test_what_others_would_do_wrong_without_it_is_news(
    mine: RateLimitState, stored: RateLimitState, now: float
) -> None:
    assert is_news(mine, stored, now)


@pytest.mark.parametrize(
    ("mine", "stored"),
    [
        (RateLimitState().told(900, 100.0), RateLimitState()),
        (RateLimitState().told(900, 100.0), RateLimitState().told(999, 90.0)),
        (LOW.told(49, 105.0), LOW),
        (WAITING.limited(40.01, 100.0), WAITING),
        (RateLimitState(), RateLimitState()),
    ],
    ids=["enough is left", "less is left", "told a moment ago", "hardly longer", "nothing"],
)
def test_what_others_can_do_without_is_no_news(
    mine: RateLimitState, stored: RateLimitState
) -> None:
    assert not is_news(mine, stored, 106.0)


@pytest.mark.anyio
async def test_of_many_keys_the_document_keeps_those_used_last() -> None:
    documents, clock = MemoryDocuments(), FakeClock()
    shelf = AccountShelf(documents, Timeline(clock, clock.seconds))
    now = clock.seconds()
    many = {f"key{n}": RateLimitState().told(n, now + n) for n in range(MAX_KEYS + 3)}

    await shelf.put(WorkspaceId("T1"), many, if_rev=0)

    kept, _rev = await shelf.get(WorkspaceId("T1"))
    assert kept == {name: many[name] for name in list(many)[-MAX_KEYS:]}


@pytest.mark.anyio
async def test_the_document_of_a_newer_version_is_taken_for_none() -> None:
    documents, clock = MemoryDocuments(), FakeClock()
    await documents.put("-.T1/budget", {"v": 2, "keys": 5})
    shelf = AccountShelf(documents, Timeline(clock, clock.seconds))

    accounts, rev = await shelf.get(WorkspaceId("T1"))

    assert accounts == {}
    await shelf.put(WorkspaceId("T1"), {"k": LOW}, if_rev=rev)
