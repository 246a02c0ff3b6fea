"""What the words of a digest are given, and what its runs leave in the store."""

from collections.abc import Awaitable
from datetime import datetime, timedelta

import pytest

from bot.blocks.message import Message
from bot.digests.delivery import DigestRenderer
from bot.digests.models import Mode, Outcome
from bot.digests.report import Post
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
from tests.builders import a_domain
from tests.digests.office import (
    ACME,
    ADA,
    BOB,
    DAY,
    EVE,
    NINE,
    Office,
    announcement,
    replan,
    send_now,
)
from tests.fakes import FakeClock, FakeLists, FakePosts

pytestmark = pytest.mark.anyio

HOUR, MINUTE, SECOND = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
DOWN = UnavailableError("down", is_outcome_unknown=False)
LOCAL_NINE = datetime(2026, 11, 20, 9)  # noqa: DTZ001  # a wall clock


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


@pytest.fixture
def office(press: Press) -> Office:
    """Return an office with its store in memory: another store does the same, more slowly."""
    return Office(words=DigestRenderer(press.digest, press.heartbeat, announcement))


async def kept(office: Office) -> list[str]:
    """Return the names of all that the store keeps to compare with."""
    found = await office.documents.list_prefix(f"{ACME}/digest-baseline/")
    return [document.key.rpartition("/")[2] for document in found]


async def test_what_somebody_sends_names_them_and_no_slot(office: Office, press: Press) -> None:
    await office.make()

    await send_now(office)

    [post] = press.posts
    assert (post.slot, post.asked_by_name) == (None, ADA.name)


class BusyChannel(FakePosts):
    """A channel whose turn comes after 20 seconds."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__()
        self.clock = clock

    async def acquire_turn(self, workspace: WorkspaceId, channel_id: str) -> None:
        self.clock.now += 20 * SECOND


async def test_a_post_that_waits_for_its_turn_says_when_it_was_sent(press: Press) -> None:
    clock = FakeClock(EVE)
    words = DigestRenderer(press.digest, press.heartbeat, announcement)
    office = Office(clock=clock, posts=BusyChannel(clock), words=words)
    await office.make()

    await office.at(NINE)

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
async def test_a_list_that_has_shrunk_is_asked_for_once_more_before_it_is_posted(
    press: Press, counts: list[int], asked: int, posted: int, is_said: bool
) -> None:
    lists = Answers(*counts)
    office = Office(lists=lists, words=DigestRenderer(press.digest, press.heartbeat, announcement))
    await office.make()

    await office.at(NINE)
    await office.at(NINE + DAY)

    assert (len(lists.asked), press.posts[1].report.totals.count) == (asked, posted)
    assert [post.has_shrunk for post in press.posts] == [False, is_said]


@pytest.mark.parametrize("mode", Mode)
async def test_after_empty_lists_a_digest_compares_with_the_one_before_them(
    press: Press, mode: Mode
) -> None:
    lists = Answers(4, 0, 0, 0, 5, 5)
    office = Office(lists=lists, words=DigestRenderer(press.digest, press.heartbeat, announcement))
    await office.make(mode=mode)

    for day in range(5):
        await office.at(NINE + day * DAY)

    posts = [post for post in press.posts if post.report.totals.count]
    assert [post.report.is_past_empty for post in posts] == [False, True, False][: len(posts)]
    if len(posts) > 1:
        assert [each.domain for each in posts[1].report.new] == ["d4.example"]
        assert posts[1].report.since == NINE


async def test_a_slot_that_somebody_sends_is_still_that_slot(office: Office, press: Press) -> None:
    await office.make()
    office.lists.error = DOWN
    await office.at(NINE)
    office.lists.error = None

    await send_now(office)

    [post] = press.posts
    assert post.slot is not None
    assert (post.slot.due_at, post.asked_by_name) == (NINE, ADA.name)


async def test_the_trend_holds_what_was_posted_and_what_was_quiet(
    office: Office, press: Press
) -> None:
    await office.make(mode=Mode.CHANGES)
    await office.at(NINE)
    await office.at(NINE + DAY)
    office.lists.domains = (a_domain(score=80),)

    await office.at(NINE + 2 * DAY + HOUR)  # late, and still of its slot

    assert [(point.local, point.average) for point in press.posts[-1].trend] == [
        (LOCAL_NINE, 41),
        (LOCAL_NINE + DAY, 41),
        (LOCAL_NINE + 2 * DAY, 80),
    ]


async def test_the_trend_holds_nothing_that_may_not_have_arrived(
    office: Office, press: Press
) -> None:
    await office.make()
    office.posts.errors = [SlackUnavailableError("reset")]
    await office.at(NINE)
    office.lists.domains = (a_domain(score=80),)

    await office.at(NINE + DAY)

    assert [point.average for point in press.posts[-1].trend] == [80]


async def test_a_post_tells_what_did_not_come_since_the_last_one(
    office: Office, press: Press
) -> None:
    await office.make()
    await office.at(NINE + 7 * HOUR)  # one was missed
    await office.at(NINE + DAY)
    office.posts.errors = [SlackRefusedError("no_text")]
    await office.at(NINE + 2 * DAY)

    await office.at(NINE + 3 * DAY)
    await office.at(NINE + 4 * DAY)

    said = [[run.outcome for run in post.unposted] for post in press.posts]
    assert said == [[Outcome.MISSED], [], [Outcome.FAILED], []]


async def test_only_the_first_post_is_said_to_be_the_first(office: Office, press: Press) -> None:
    await office.make()
    await office.at(NINE + 7 * HOUR)  # one was missed
    for day in (1, 2):
        await office.at(NINE + day * DAY)
    await replan(office, filter_text="shop")  # there is nothing to compare with
    await office.at(NINE + 3 * DAY)

    assert [post.is_first for post in press.posts] == [True, False, False]


async def test_only_what_the_next_post_is_compared_with_is_kept(office: Office) -> None:
    await office.make(mode=Mode.CHANGES, heartbeat_every=1)

    for day, score in enumerate([41, 90, 90, 90, 20]):  # two are posted, one is a heartbeat
        office.lists.domains = (a_domain(score=score),)
        await office.at(NINE + day * DAY)

    assert await kept(office) == [(await office.digest()).baseline]


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
async def test_of_a_post_that_slack_did_not_take_nothing_is_kept(
    office: Office, error: SlackError
) -> None:
    await office.make()
    await office.at(NINE)
    before = await kept(office)
    office.posts.errors = [error]

    await office.at(NINE + DAY)

    assert len(before) == 1
    assert await kept(office) == before


def a_mistake() -> Awaitable[object]:
    raise KeyError("a mistake of ours")


async def test_a_mistake_of_ours_in_the_middle_of_a_post_leaves_it_uncertain(
    office: Office,
) -> None:
    await office.make()
    office.posts.before_post = a_mistake

    await office.at(NINE)

    [run] = (await office.digest()).past
    assert (run.outcome, run.trouble) == (Outcome.UNCERTAIN, FailureReason.INTERNAL)
    assert office.posts.notified == [(BOB.user_id, "uncertain ours x1")]
