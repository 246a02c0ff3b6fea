from collections import Counter

import pytest

from bot.tracker.usage import BUCKET_S, MAX_CALLERS, WINDOW_S, Usage, UsageCounter
from bot.workspace import KEY_CHECK, OTHER, WorkspaceId, digests_of, person
from tests.fakes import FakeClock

ACME, OTHER_ONE = WorkspaceId("T1"), WorkspaceId("T2")
ADA, BOB = person("U1"), person("U2")
KEY, NEW_KEY = "fingerprint", "another"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def meter(clock: FakeClock) -> UsageCounter:
    meter = UsageCounter(clock=clock.seconds)
    clock.advance(2 * WINDOW_S)
    return meter


def test_nothing_is_used_at_first(meter: UsageCounter) -> None:
    assert meter.usage(ACME, KEY) == Usage(WINDOW_S)


def test_requests_are_counted_by_asker_the_most_first(meter: UsageCounter) -> None:
    for asker in (ADA, BOB, digests_of("C1"), BOB, KEY_CHECK, BOB, ADA):
        meter.count(ACME, KEY, asker)

    usage = meter.usage(ACME, KEY)

    assert usage.shares == ((BOB, 3), (ADA, 2), (digests_of("C1"), 1), (KEY_CHECK, 1))
    assert usage.total == 7


def test_a_person_and_a_channel_of_one_name_are_two(meter: UsageCounter) -> None:
    meter.count(ACME, KEY, person("X1"))
    meter.count(ACME, KEY, digests_of("X1"))

    assert len(meter.usage(ACME, KEY).shares) == 2


def test_another_workspace_sees_nothing_of_it_even_with_the_same_key(meter: UsageCounter) -> None:
    meter.count(ACME, KEY, ADA)

    assert meter.usage(OTHER_ONE, KEY).shares == ()


def test_a_new_key_begins_a_count_of_its_own_and_the_old_one_is_kept(meter: UsageCounter) -> None:
    meter.count(ACME, KEY, ADA)
    meter.count(ACME, NEW_KEY, KEY_CHECK)

    assert meter.usage(ACME, NEW_KEY).shares == ((KEY_CHECK, 1),)
    assert meter.usage(ACME, KEY).shares == ((ADA, 1),)


def test_what_was_asked_for_an_hour_ago_counts_no_more(
    meter: UsageCounter, clock: FakeClock
) -> None:
    meter.count(ACME, KEY, ADA)
    clock.advance(WINDOW_S - BUCKET_S)
    meter.count(ACME, KEY, BOB)
    assert meter.usage(ACME, KEY).total == 2

    clock.advance(BUCKET_S)

    assert meter.usage(ACME, KEY).shares == ((BOB, 1),)


def test_soon_after_the_start_it_says_since_when_it_counts() -> None:
    clock = FakeClock()
    meter = UsageCounter(clock=clock.seconds)

    clock.advance(90)

    assert meter.usage(ACME, KEY).span_s == 90


def test_a_workspace_that_leaves_is_forgotten(meter: UsageCounter) -> None:
    for workspace in (ACME, OTHER_ONE):
        for key in (KEY, NEW_KEY):
            meter.count(workspace, key, ADA)

    meter.forget(ACME)

    assert [meter.usage(ACME, key).total for key in (KEY, NEW_KEY)] == [0, 0]
    assert meter.usage(OTHER_ONE, KEY).total == 1
    assert "T1" not in repr(vars(meter))


def test_a_crowd_at_one_time_is_counted_whole_if_not_by_name(meter: UsageCounter) -> None:
    for number in range(3 * MAX_CALLERS):
        meter.count(ACME, KEY, person(f"U{number}"))

    usage = meter.usage(ACME, KEY)

    assert usage.total == 3 * MAX_CALLERS
    assert usage.shares[0] == (OTHER, 2 * MAX_CALLERS)


def test_when_there_is_no_more_room_the_key_used_longest_ago_is_forgotten() -> None:
    meter = UsageCounter(clock=FakeClock().seconds, max_keys=2)
    workspaces = [WorkspaceId(f"T{number}") for number in range(3)]
    for number in (0, 1, 0, 2):
        meter.count(workspaces[number], KEY, ADA)

    assert [meter.usage(each, KEY).total for each in workspaces] == [2, 0, 1]


def test_what_is_stored_counts_with_what_is_new(meter: UsageCounter) -> None:
    place = (ACME, KEY)
    meter.count(ACME, KEY, ADA)
    new = meter.new(place)
    stored = meter.add_to_stored(place, new)
    for caller in (ADA, BOB):  # in the meantime
        meter.count(ACME, KEY, caller)
    meter.note_stored(place, new, stored)

    assert meter.usage(ACME, KEY).shares == ((ADA, 2), (BOB, 1))
    meter.forget(ACME)
    assert "T1" not in repr(vars(meter))


def test_it_counts_since_the_first_stored_request(clock: FakeClock) -> None:
    meter = UsageCounter(clock=clock.seconds)
    began_at = (clock.seconds() // BUCKET_S - 4) * BUCKET_S

    meter.learn((ACME, KEY), {int(began_at // BUCKET_S): Counter([ADA])})

    assert meter.usage(ACME, KEY).span_s == clock.seconds() - began_at
    assert meter.usage(OTHER_ONE, KEY).span_s == 0
