"""What owners hear of, how often, and what is put together for them."""

from datetime import timedelta

from bot.slack.errors import SlackRateLimitedError, SlackUnreachableError
from tests.digests.builders import DAY, NINE, Bot

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


async def test_an_unreachable_owner_is_tried_less_and_less_often(bot: Bot) -> None:
    await bot.make()
    late = NINE + 7 * HOUR
    bot.posts.errors = [SlackUnreachableError("refused")] * 10
    await bot.at(late)
    left = [len(bot.posts.errors)]

    for minutes in (1, 3, 7, 15, 31, 63, 123, 183):  # doubled, and an hour at most
        await bot.at(late + minutes * MINUTE - SECOND)
        assert len(bot.posts.errors) == 10 - len(left)
        await bot.at(late + minutes * MINUTE)
        left.append(len(bot.posts.errors))

    assert left == [9, 8, 7, 6, 5, 4, 3, 2, 1]


async def test_only_the_failed_one_of_several_notices_is_repeated(bot: Bot) -> None:
    await bot.make()
    await bot.dies_posting_at(NINE)  # an uncertain post
    bot.clock.now = NINE + DAY + 7 * HOUR  # and a missed slot
    bot.posts.errors = [SlackRateLimitedError(30)]
    late = bot.clock.now

    await bot.at(late)
    await bot.at(late + 29 * SECOND)
    first = [text for _, text in bot.posts.notified]
    assert await bot.repository.due(bot.clock.now, limit=9) == []  # no tick looks in vain
    await bot.at(late + 30 * SECOND)

    assert first == ["missed down x1"]
    assert [text for _, text in bot.posts.notified] == [*first, "uncertain down x1"]
