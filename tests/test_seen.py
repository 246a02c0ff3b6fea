from bot.seen import MAX_REMEMBERED, REMEMBERED_FOR_S, Seen
from tests.fakes import FakeClock


def test_what_comes_again_is_not_new() -> None:
    seen = Seen(clock=FakeClock().seconds)

    assert seen.is_new("a")
    assert not seen.is_new("a")
    assert seen.is_new("b")


def test_it_is_remembered_for_as_long_as_a_signature_is_good() -> None:
    clock = FakeClock()
    seen = Seen(clock=clock.seconds)
    seen.is_new("a")

    clock.advance(REMEMBERED_FOR_S - 1)
    assert not seen.is_new("a")

    clock.advance(2)
    assert seen.is_new("a")


def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    seen = Seen(clock=FakeClock().seconds)

    for number in range(MAX_REMEMBERED + 1):
        seen.is_new(str(number))

    assert not seen.is_new(str(MAX_REMEMBERED))
    assert seen.is_new("0")
