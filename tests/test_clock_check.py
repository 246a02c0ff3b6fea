from datetime import datetime, timedelta

import pytest

from bot.clock_check import ASKED_EVERY_S, ClockCheck, ClockWrongError
from bot.slack.errors import SlackUnreachableError
from tests.fakes import FakeClock
from tests.loops import loop_over

pytestmark = pytest.mark.anyio


class Room:
    """This machine's clock (`here`), the true one (`there`), and who asks it."""

    def __init__(self) -> None:
        self.here, self.there = FakeClock(), FakeClock()
        self.asked = 0
        self.is_away = False
        self.check = ClockCheck(steady=self.there.seconds)
        self.check.compare("slack", self.ask, clock=self.here)

    async def ask(self) -> datetime:
        self.asked += 1
        if self.is_away:
            raise SlackUnreachableError("away")
        return self.there()

    def pass_time(self, seconds: float) -> None:
        self.here.advance(seconds)
        self.there.advance(seconds)


@pytest.fixture
def room() -> Room:
    return Room()


@loop_over(("off_s", "is_right"), [(0, True), (59, True), (-59, True), (61, False), (-61, False)])
async def test_a_clock_may_be_off_by_a_minute(off_s: int, is_right: bool) -> None:
    room = Room()
    room.here.advance(off_s)

    assert await room.check.is_right() is is_right


async def test_a_leap_is_noticed_before_the_others_are_asked_again(room: Room) -> None:
    await room.check.is_right()
    room.is_away = True
    room.pass_time(30)
    room.here.advance(timedelta(days=31).total_seconds())

    with pytest.raises(ClockWrongError):
        await room.check.require()

    room.here.advance(-timedelta(days=31).total_seconds())
    await room.check.require()


async def test_others_are_asked_once_in_a_minute(room: Room) -> None:
    for _ in range(5):
        await room.check.is_right()
    room.pass_time(ASKED_EVERY_S + 1)
    await room.check.is_right()

    assert room.asked == 2


async def test_one_that_does_not_answer_is_left_alone_for_a_minute(room: Room) -> None:
    room.is_away = True
    for _ in range(5):
        assert await room.check.is_right()

    assert room.asked == 1


async def test_an_answer_on_the_way_spares_the_question(room: Room) -> None:
    room.check.note_date("slack", room.there().strftime("%a, %d %b %Y %H:%M:%S GMT"))

    assert await room.check.is_right()
    assert room.asked == 0


async def test_after_a_suspension_the_others_decide(room: Room) -> None:
    await room.check.is_right()
    before = room.check._steady()  # a steady clock that stands still in the meantime
    room.pass_time(7200)
    room.check._steady = lambda: before

    assert await room.check.is_right()


@loop_over("date", ["", "yesterday", "Sun, 22 Nov 2026 16:00:00 -0000"])
async def test_a_date_that_says_nothing_is_passed_over(date: str) -> None:
    room = Room()
    room.is_away = True
    room.check.note_date("slack", date)

    assert await room.check.is_right()
