import pytest

from bot.tracker.usage import MAX_ASKERS_PER_MINUTE, WINDOW_S, Usage, UsageCounter, UsageSample
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
    clock.advance(WINDOW_S - 60)
    meter.count(ACME, KEY, BOB)
    assert meter.usage(ACME, KEY).total == 2

    clock.advance(60)

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


def test_a_crowd_in_one_minute_is_counted_whole_if_not_by_name(meter: UsageCounter) -> None:
    for number in range(3 * MAX_ASKERS_PER_MINUTE):
        meter.count(ACME, KEY, person(f"U{number}"))

    usage = meter.usage(ACME, KEY)

    assert usage.total == 3 * MAX_ASKERS_PER_MINUTE
    assert usage.shares[0] == (OTHER, 2 * MAX_ASKERS_PER_MINUTE)


def test_when_there_is_no_more_room_whoever_asked_longest_ago_is_forgotten() -> None:
    meter = UsageCounter(clock=FakeClock().seconds, max_counts=2)
    workspaces = [WorkspaceId(f"T{number}") for number in range(3)]
    meter.count(workspaces[0], KEY, ADA)
    meter.count(workspaces[1], KEY, ADA)
    meter.count(workspaces[0], KEY, ADA)

    meter.count(workspaces[2], KEY, ADA)

    assert [meter.usage(each, KEY).total for each in workspaces] == [2, 0, 1]


def test_one_workspace_alone_forgets_nothing_of_itself_for_want_of_room() -> None:
    meter = UsageCounter(clock=FakeClock().seconds, max_counts=2)

    for number in range(5):
        meter.count(ACME, KEY, person(f"U{number}"))

    assert meter.usage(ACME, KEY).total == 5


def test_workspaces_that_fell_silent_leave_nothing_behind(
    meter: UsageCounter, clock: FakeClock
) -> None:
    for number in range(20):
        meter.count(WorkspaceId(f"T{number}"), KEY, ADA)
    clock.advance(WINDOW_S)

    for _ in range(10):
        meter.count(OTHER_ONE, KEY, BOB)

    assert "U1" not in repr(vars(meter))
    assert "U2" in repr(vars(meter))


def test_what_was_forgotten_makes_room() -> None:
    meter = UsageCounter(clock=FakeClock().seconds, max_counts=2)
    meter.count(WorkspaceId("T0"), KEY, ADA)
    meter.forget(WorkspaceId("T0"))

    meter.count(ACME, KEY, ADA)
    meter.count(OTHER_ONE, KEY, ADA)

    assert [meter.usage(each, KEY).total for each in (ACME, OTHER_ONE)] == [1, 1]


def test_a_count_that_nobody_looks_at_does_not_grow(meter: UsageCounter, clock: FakeClock) -> None:
    for number in range(80):
        meter.count(ACME, KEY, person(f"U{number}"))
        if number == 40:  # so that others have asked longer ago
            meter.count(OTHER_ONE, KEY, ADA)
            meter.count(OTHER_ONE, NEW_KEY, ADA)
        clock.advance(60)

    kept = repr(vars(meter))
    assert "'U10'" not in kept
    assert "'U79'" in kept


def test_what_others_have_counted_is_added_to_its_own(
    meter: UsageCounter, clock: FakeClock
) -> None:
    meter.count(ACME, KEY, ADA)
    minute = clock.seconds()
    one = UsageSample(KEY, minute, {minute: {ADA: 2, BOB: 4}, minute - 60: {ADA: 1}})
    of_another_key = UsageSample(NEW_KEY, minute, {minute: {BOB: 9}})

    for _ in range(2):  # what is learned anew takes the place of what was known
        meter.learn(ACME, [one, of_another_key])

    assert meter.usage(ACME, KEY).shares == ((ADA, 4), (BOB, 4))
    assert meter.usage(OTHER_ONE, KEY).shares == ()
    meter.forget(ACME)
    assert meter.usage(ACME, KEY).shares == ()


def test_what_others_counted_an_hour_ago_counts_no_more(
    meter: UsageCounter, clock: FakeClock
) -> None:
    minute = clock.seconds()
    meter.learn(ACME, [UsageSample(KEY, minute, {minute - WINDOW_S: {ADA: 1}, minute: {BOB: 1}})])
    assert meter.usage(ACME, KEY).shares == ((BOB, 1),)

    clock.advance(WINDOW_S)

    assert meter.usage(ACME, KEY).shares == ()


def test_it_counts_since_the_first_of_all_began(clock: FakeClock) -> None:
    meter = UsageCounter(clock=clock.seconds)
    clock.advance(90)

    meter.learn(ACME, [UsageSample(NEW_KEY, clock.seconds() - 600, {})])

    assert meter.usage(ACME, KEY).span_s == 600
    assert meter.usage(OTHER_ONE, KEY).span_s == 90


def test_what_was_counted_can_be_told_to_others(meter: UsageCounter, clock: FakeClock) -> None:
    for asker in (ADA, BOB, ADA):
        meter.count(ACME, KEY, asker)
    told = meter.counted(ACME, KEY)
    other = UsageCounter(clock=clock.seconds)

    other.learn(ACME, [told])

    assert other.usage(ACME, KEY) == meter.usage(ACME, KEY)
    assert meter.counted(OTHER_ONE, KEY).minutes == {}
