"""What owners hear of, how often, and what is put together for them."""

from datetime import timedelta

import pytest

from bot.slack.errors import (
    SlackRateLimitedError,
    SlackUnreachableError,
)
from tests.digests.office import DAY, NINE, Office

pytestmark = pytest.mark.anyio

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


async def test_an_owner_who_cannot_be_reached_is_asked_for_less_and_less_often() -> None:
    office = Office()
    await office.make()
    late = NINE + 7 * HOUR
    office.posts.errors = [SlackUnreachableError("refused")] * 10
    await office.at(late)
    left = [len(office.posts.errors)]

    for minutes in (1, 3, 7, 15, 31, 63, 123, 183):  # doubled, and an hour at most
        await office.at(late + minutes * MINUTE - SECOND)
        assert len(office.posts.errors) == 10 - len(left)
        await office.at(late + minutes * MINUTE)
        left.append(len(office.posts.errors))

    assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1]


async def many_to_tell(office: Office) -> None:
    """Let an uncertain post and a missed slot be due for notices at one moment."""
    await office.make()
    await office.dies_posting_at(NINE)
    office.clock.now = NINE + DAY + 7 * HOUR


async def test_what_has_happened_for_several_reasons_is_said_one_by_one() -> None:
    office = Office()
    await many_to_tell(office)

    await office.at(office.clock.now)

    assert [text for _, text in office.posts.notified] == ["uncertain down x1", "missed down x1"]


async def test_of_several_things_only_the_one_that_failed_is_said_again() -> None:
    office = Office()
    await many_to_tell(office)
    office.posts.errors = [SlackRateLimitedError(30)]
    late = office.clock.now

    await office.at(late)
    await office.at(late + 29 * SECOND)
    first = [text for _, text in office.posts.notified]
    assert await office.repository.due(office.clock.now, limit=9) == []  # no tick looks in vain
    await office.at(late + 30 * SECOND)

    assert first == ["missed down x1"]
    assert [text for _, text in office.posts.notified] == [*first, "uncertain down x1"]
