"""Turns: one after another, some time apart, and no one in the way who has left."""

import asyncio

import pytest

from bot.slack.posting import MAX_REMEMBERED, Pacer
from tests.slack.conftest import StandingTime, settled

pytestmark = pytest.mark.anyio

BETWEEN_S = 2.0


class Line:
    """People who take turns by the names of their lines; remembers who had theirs."""

    def __init__(self, time: StandingTime) -> None:
        self.turns: Pacer[str] = Pacer(BETWEEN_S, clock=time, sleep=time.sleep)
        self.went: list[str] = []

    async def come(self, *names: str) -> list["asyncio.Task[None]"]:
        """Let each ask for a turn of the line that their first letter names."""
        tasks = [asyncio.create_task(self._take(name)) for name in names]
        await settled()
        return tasks

    async def _take(self, name: str) -> None:
        await self.turns.take(name[0])
        self.went.append(name)


@pytest.fixture
def line(time: StandingTime) -> Line:
    return Line(time)


async def test_the_first_of_each_line_goes_at_once_and_the_others_in_their_order(
    line: Line, time: StandingTime
) -> None:
    await line.come("a1", "a2", "a3", "b1", "c1")
    at_once = [*line.went]
    await time.pass_by(BETWEEN_S - 0.1)
    too_soon = [*line.went]
    await time.pass_by(0.1)
    later = [*line.went]
    await time.pass_by(BETWEEN_S)

    assert at_once == too_soon == ["a1", "b1", "c1"]
    assert (later, line.went) == ([*at_once, "a2"], [*at_once, "a2", "a3"])


async def test_whoever_comes_later_waits_only_for_the_rest(line: Line, time: StandingTime) -> None:
    await line.come("a1")
    await time.pass_by(1.5)
    await line.come("a2")

    await time.pass_by(0.5)

    assert line.went == ["a1", "a2"]


@pytest.mark.parametrize("leaving", [1, 2], ids=["who is next", "who stands behind"])
async def test_whoever_leaves_does_not_hold_up_the_others(
    line: Line, time: StandingTime, leaving: int
) -> None:
    people = await line.come("a1", "a2", "a3", "a4")

    people[leaving].cancel()
    await settled()
    await time.pass_by(BETWEEN_S)
    await time.pass_by(BETWEEN_S)

    assert line.went == [name for name in ("a1", "a2", "a3", "a4") if name != f"a{leaving + 1}"]


async def test_a_line_that_everybody_left_is_no_longer_than_one_turn(
    line: Line, time: StandingTime
) -> None:
    people = await line.come(*["a"] * 10)

    for person in people:
        person.cancel()
    await settled()
    await time.pass_by(BETWEEN_S)
    await line.come("a new one")

    assert line.went == ["a", "a new one"]


async def test_it_says_how_long_one_would_wait(line: Line, time: StandingTime) -> None:
    nobody = line.turns.wait_s("a")
    await line.come("a1")
    after_one = line.turns.wait_s("a")
    await line.come("a2", "a3")
    after_three = line.turns.wait_s("a")
    await time.pass_by(0.5)

    assert (nobody, after_one, after_three) == (0, BETWEEN_S, 3 * BETWEEN_S)
    assert line.turns.wait_s("a") == 3 * BETWEEN_S - 0.5
    assert line.turns.wait_s("b") == 0


async def test_very_many_lines_are_not_all_remembered(time: StandingTime) -> None:
    turns: Pacer[int] = Pacer(BETWEEN_S, clock=time, sleep=time.sleep)

    for key in range(MAX_REMEMBERED + 1):
        await turns.take(key)

    assert turns.wait_s(0) == 0
    assert turns.wait_s(1) == BETWEEN_S
