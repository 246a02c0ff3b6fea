"""What the words of a digest are given, and what its runs leave in the store."""

from collections.abc import Awaitable, Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.blocks.message import Message
from bot.digests.baseline import unpack
from bot.digests.models import Mode, Outcome
from bot.digests.report import Post
from bot.domains.kept_facts import FactsRepository
from bot.keys.failures import FailureReason
from bot.process.workspace import WorkspaceId
from bot.slack.errors import (
    ChannelClosedError,
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnavailableError,
)
from bot.tracker.models import Listing, UnavailableError
from bot.tracker.rate_limit import Purpose
from tests.builders import a_domain, ending
from tests.digests.builders import (
    ACME,
    BOB,
    DAY,
    EVE,
    NINE,
    Bot,
    replan,
)
from tests.fakes import FakeClock, FakeLists, FakePosts

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)


class Press:
    """Puts digests into words, and keeps what it was given."""

    def __init__(self) -> None:
        self.posts: list[Post] = []
        self.beats: list[Post] = []

    def digest(self, post: Post) -> Message:
        self.posts.append(post)
        return Message("digest")

    def heartbeat(self, post: Post) -> Message:
        self.beats.append(post)
        return Message("heartbeat")


@pytest.fixture
def press() -> Press:
    return Press()


def a_bot(press: Press, **parts: Any) -> Bot:
    return Bot(renderers=(press.digest, press.heartbeat), **parts)


@pytest.fixture
def bot(press: Press) -> Bot:
    return a_bot(press)


async def kept(bot: Bot) -> Mapping[str, float | None]:
    """Return the scores with which the next post is compared."""
    return unpack((await bot.digest()).packed_baseline).scores


class BusyChannel(FakePosts):
    """A channel whose turn comes after 20 seconds."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self.clock = clock

    async def acquire_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        self.clock.now += 20 * SECOND


async def test_a_post_that_waits_for_its_turn_says_when_it_was_sent(press: Press) -> None:
    clock = FakeClock(EVE)
    bot = a_bot(press, clock=clock, posts=BusyChannel(clock))
    await bot.make()

    await bot.at(NINE)

    assert [post.sent_at for post in press.posts] == [NINE + 20 * SECOND]


class Answers(FakeLists):
    """Lists that come one after the other, of so many domains each; the last one stays."""

    def __init__(self, *counts: int) -> None:
        super().__init__()
        self.counts = list(counts)

    async def list_domains(
        self,
        workspace: WorkspaceId,
        purpose: Purpose = Purpose.PERSON,
        slot_at: datetime | None = None,
    ) -> Listing:
        count = self.counts.pop(0) if len(self.counts) > 1 else self.counts[0]
        self.domains = tuple(a_domain(f"d{number}.example") for number in range(count))
        return await super().list_domains(workspace, purpose=purpose)


@pytest.mark.parametrize(
    ("counts", "asked", "posted", "is_said"),
    [
        pytest.param([4, 0, 4], 3, 4, False, id="empty once"),
        pytest.param([4, 0, 0], 3, 0, True, id="empty"),
        pytest.param([4, 1, 1], 3, 1, True, id="less than half"),
        pytest.param([4, 2, 4], 2, 2, False, id="half"),
    ],
)
async def test_a_shrunken_list_is_requested_once_more(
    press: Press, counts: list[int], asked: int, posted: int, is_said: bool
) -> None:
    lists = Answers(*counts)
    bot = a_bot(press, lists=lists)
    await bot.make()

    await bot.at(NINE)
    await bot.at(NINE + DAY)

    assert (len(lists.asked), press.posts[1].report.totals.count) == (asked, posted)
    assert [post.has_shrunk for post in press.posts] == [False, is_said]


@pytest.mark.parametrize("filter_text", ["", "below:50"])
async def test_that_no_domain_is_left_is_worse_once(press: Press, filter_text: str) -> None:
    bot = a_bot(press, lists=Answers(4, 4, 0))
    await bot.make(mode=Mode.WORSE, filter_text=filter_text)

    for day in range(4):
        await bot.at(NINE + day * DAY)

    assert [post.report.is_emptied for post in press.posts] == [False, True]


async def test_that_no_domain_matches_by_its_scans_any_more_is_not_worse(press: Press) -> None:
    bot = a_bot(press, lists=Answers(1))
    await bot.make(mode=Mode.WORSE, filter_text="scanned:never")
    await bot.at(NINE)

    await FactsRepository(bot.documents).keep(ACME, "d0.example", ending(300, 300))
    await bot.at(NINE + DAY)

    assert len(press.posts) == 1


@pytest.mark.parametrize("mode", Mode)
async def test_after_empty_lists_the_earlier_baseline_counts(press: Press, mode: Mode) -> None:
    lists = Answers(4, 0, 0, 0, 5, 5)
    bot = a_bot(press, lists=lists)
    await bot.make(mode=mode)

    for day in range(5):
        await bot.at(NINE + day * DAY)

    posts = [post for post in press.posts if post.report.totals.count]
    assert [post.report.is_past_empty for post in posts] == [False, True, False][: len(posts)]
    if len(posts) > 1:
        assert [each.domain for each in posts[1].report.new] == ["d4.example"]
        assert posts[1].report.since == NINE


async def test_a_post_lists_the_runs_missed_since_the_last_one(bot: Bot, press: Press) -> None:
    await bot.make()
    await bot.at(NINE + 7 * HOUR)  # one was missed
    await bot.at(NINE + DAY)
    bot.posts.errors = [SlackRefusedError("no_text")]
    await bot.at(NINE + 2 * DAY)

    await bot.at(NINE + 3 * DAY)
    await bot.at(NINE + 4 * DAY)

    said = [[run.outcome for run in post.unposted] for post in press.posts]
    assert said == [[Outcome.MISSED], [], [Outcome.FAILED], []]


async def test_only_the_first_post_is_said_to_be_the_first(bot: Bot, press: Press) -> None:
    await bot.make()
    await bot.at(NINE + 7 * HOUR)  # one was missed
    for day in (1, 2):
        await bot.at(NINE + day * DAY)
    await replan(bot, filter_text="shop")  # there is nothing to compare with
    await bot.at(NINE + 3 * DAY)

    assert [post.is_first for post in press.posts] == [True, False, False]


async def test_a_heartbeat_is_not_what_the_next_post_is_compared_with(bot: Bot) -> None:
    await bot.make(mode=Mode.CHANGES, heartbeat_every=1)

    for day, score in enumerate([41, 42, 43, 44]):  # one is posted, one is a heartbeat
        bot.lists.domains = (a_domain(score=score),)
        await bot.at(NINE + day * DAY)

    assert len(bot.posts.posts) == 2
    assert list((await kept(bot)).values()) == [41]


@pytest.mark.parametrize(
    "error",
    [
        SlackRateLimitedError(30),
        SlackUnavailableError("reset"),
        SlackRefusedError("no_text"),
        ChannelClosedError("is_archived"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_refused_post_leaves_nothing_behind(bot: Bot, error: SlackError) -> None:
    await bot.make()
    await bot.at(NINE)
    before = await bot.digest()
    bot.posts.errors = [error]
    bot.lists.domains = (a_domain(score=90),)

    await bot.at(NINE + DAY)

    after = await bot.digest()
    assert len(await kept(bot)) == 1
    assert (after.baseline, after.packed_baseline) == (before.baseline, before.packed_baseline)
    assert not (after.run and after.run.packed_baseline)


def a_mistake() -> Awaitable[object]:
    raise KeyError("a mistake of ours")


async def test_a_bug_during_a_post_leaves_it_uncertain(bot: Bot) -> None:
    await bot.make()
    bot.posts.before_post = a_mistake

    await bot.at(NINE)

    [run] = (await bot.digest()).past
    assert (run.outcome, run.trouble) == (Outcome.UNCERTAIN, FailureReason.INTERNAL)
    assert bot.posts.notified == [(BOB.user_id, "uncertain ours x1")]
