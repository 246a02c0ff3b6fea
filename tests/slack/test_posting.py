"""Posting outside a request: once, at Slack's pace, and never twice because an answer is lost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import aiohttp
import pytest
from slack_sdk.http_retry.builtin_async_handlers import (
    AsyncConnectionErrorRetryHandler,
    async_default_handlers,
)
from slack_sdk.http_retry.builtin_interval_calculators import FixedValueRetryIntervalCalculator
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.message import Message
from bot.playground.slack import Call, LocalSlack
from bot.slack.auth import Identity, SingleWorkspaceClient
from bot.slack.errors import (
    BlocksRefusedError,
    ChannelClosedError,
    MissingScopeError,
    PersonUnreachableError,
    SlackError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
    TokenRefusedError,
    WorkspaceHeldError,
)
from bot.slack.posting import BETWEEN_S, LONGEST_LINE_S, LocalBackoff, Posting
from bot.store.documents import StoreError
from bot.workspace import WorkspaceId
from tests.fakes import GROWING_S, TIME_LIMIT_S, FakeClock
from tests.slack.conftest import StandingTime, a_client, settled

pytestmark = pytest.mark.anyio

HOME, ELSEWHERE = WorkspaceId("T1"), WorkspaceId("T2", "E1")
SECTION = {"type": "section", "text": {"type": "plain_text", "text": "plain"}}
CHART: dict[str, Any] = {
    "type": "data_visualization",
    "title": "Health",
    "chart": {"type": "pie", "segments": [{"label": "good", "value": 3}]},
}
HELLO = Message("hello https://shop.example", (SECTION,))
WITH_CHART = Message("hello", (CHART,), plain=(SECTION,))


def a_posting(client: AsyncWebClient, time: StandingTime, **more: Any) -> Posting:
    async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
        return client

    return Posting(client_for, clock=time, sleep=time.sleep, **more)


@pytest.fixture
def posting(client: AsyncWebClient, time: StandingTime) -> Posting:
    return a_posting(client, time)


@pytest.fixture
def general(slack: LocalSlack) -> str:
    return channel_id(slack, "general")


class Watched(AsyncWebClient):
    """A client that knows when each post was sent; Slack's answers wait until `gate` is open."""

    def __init__(self, slack: LocalSlack, http: aiohttp.ClientSession, time: StandingTime) -> None:
        super().__init__(slack.bot_token, slack.api_url, session=http, retry_handlers=[])
        self.time = time
        self.sent_at: list[float] = []
        self.is_there = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def chat_postMessage(self, **how: Any) -> AsyncSlackResponse:  # noqa: N802  the SDK's
        self.sent_at.append(self.time())
        answer = await super().chat_postMessage(**how)
        self.is_there.set()
        await self.gate.wait()
        return answer


@pytest.fixture
def watched(slack: LocalSlack, http: aiohttp.ClientSession, time: StandingTime) -> Watched:
    return Watched(slack, http, time)


def channel_id(slack: LocalSlack, name: str) -> str:
    channel = slack.channel(name)
    return channel.id


def posts(slack: LocalSlack) -> Sequence[Call]:
    return [call for call in slack.calls if call.method == "chat.postMessage"]


def said(slack: LocalSlack, channel: str = "general") -> list[str]:
    return [message.text for message in slack.person("bob").messages(channel)]


async def test_a_post_is_there_once_and_without_previews(
    slack: LocalSlack, posting: Posting, general: str
) -> None:
    ts = await posting.post(HOME, general, HELLO)

    [message] = slack.person("bob").messages()
    assert (message.ts, message.text) == (ts, HELLO.text)
    assert not message.content["unfurl_links"]
    assert not message.content["unfurl_media"]


async def test_refused_blocks_are_sent_once_more_as_their_plain_twin(
    slack: LocalSlack, posting: Posting, general: str
) -> None:
    slack.refuse_block_types("data_visualization")

    ts = await posting.post(HOME, general, WITH_CHART)

    [message] = slack.person("bob").messages()
    assert (message.ts, message.blocks[0]["type"]) == (ts, "section")
    assert len(posts(slack)) == 2


@pytest.mark.parametrize(
    ("message", "tries"), [(HELLO, 1), (WITH_CHART, 2)], ids=["no fallback", "a fallback"]
)
async def test_blocks_that_are_refused_in_any_form_are_given_up(
    slack: LocalSlack, posting: Posting, general: str, message: Message, tries: int
) -> None:
    slack.fail_next("chat.postMessage", error="invalid_blocks", times=9)

    with pytest.raises(BlocksRefusedError):
        await posting.post(HOME, general, message)

    assert len(posts(slack)) == tries


async def test_a_twin_whose_answer_is_lost_is_not_repeated(
    slack: LocalSlack, posting: Posting, general: str
) -> None:
    slack.fail_next("chat.postMessage", error="invalid_blocks")
    slack.fail_next("chat.postMessage", kind="drop", after_acting=True)

    with pytest.raises(SlackUnavailableError) as caught:
        await posting.post(HOME, general, WITH_CHART)

    assert caught.value.is_outcome_unknown
    assert len(said(slack)) == 1


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "drop", "after_acting": True},
        {"kind": "drop"},
        {"kind": "html", "after_acting": True},
        {"error": "internal_error", "after_acting": True},
        {"error": "fatal_error"},
        {"error": "service_unavailable", "status": 503},
        {"error": "request_timeout"},
    ],
    ids=str,
)
async def test_a_post_of_which_nobody_knows_is_not_repeated(
    slack: LocalSlack, client: AsyncWebClient, time: StandingTime, fault: dict[str, Any]
) -> None:
    slack.fail_next("chat.postMessage", **fault)
    posting = a_posting(client, time, answered_within_s=TIME_LIMIT_S)

    with pytest.raises(SlackUnavailableError) as caught:
        await posting.post(HOME, channel_id(slack, "general"), HELLO)

    assert caught.value.is_outcome_unknown
    assert len(posts(slack)) == 1


async def test_of_a_post_that_is_not_answered_in_time_nobody_knows(
    slack: LocalSlack, watched: Watched, time: StandingTime, general: str
) -> None:
    watched.gate.clear()
    for tries, within_s in enumerate(GROWING_S, 1):
        posting = a_posting(watched, time, answered_within_s=within_s)
        with pytest.raises(SlackUnavailableError) as caught:
            await posting.post(HOME, general, HELLO)
        assert caught.value.is_outcome_unknown
        assert len(watched.sent_at) == tries
        if watched.is_there.is_set():
            break

    assert 1 <= len(said(slack)) <= tries


async def test_what_the_sdk_does_by_itself_would_say_it_twice(
    slack: LocalSlack, client: AsyncWebClient, time: StandingTime, general: str
) -> None:
    slack.fail_next("chat.postMessage", kind="drop", after_acting=True)
    assert [type(each) for each in async_default_handlers()] == [AsyncConnectionErrorRetryHandler]
    at_once = FixedValueRetryIntervalCalculator(fixed_internal=0)
    client.retry_handlers = [AsyncConnectionErrorRetryHandler(interval_calculator=at_once)]

    await a_posting(client, time).post(HOME, general, HELLO)

    assert said(slack) == [HELLO.text] * 2


async def test_a_slack_that_cannot_be_reached_was_not_asked(
    http: aiohttp.ClientSession, time: StandingTime
) -> None:
    posting = a_posting(a_client("http://127.0.0.1:1/api/", http), time)

    with pytest.raises(SlackUnreachableError) as caught:
        await posting.post(HOME, "C1", HELLO)

    assert not caught.value.is_outcome_unknown


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("is_archived", ChannelClosedError),
        ("restricted_action_read_only_channel", ChannelClosedError),
        ("team_added_to_org", WorkspaceHeldError),
        ("account_inactive", TokenRefusedError),
        ("missing_scope", MissingScopeError),
    ],
)
async def test_a_refused_post_is_surely_not_there(
    slack: LocalSlack, posting: Posting, general: str, code: str, kind: type[SlackError]
) -> None:
    slack.fail_next("chat.postMessage", error=code)

    with pytest.raises(kind) as caught:
        await posting.post(HOME, general, HELLO)

    assert not caught.value.is_outcome_unknown
    assert (len(posts(slack)), said(slack)) == (1, [])


async def test_without_a_client_nothing_is_sent(slack: LocalSlack, time: StandingTime) -> None:
    async def no_client(_workspace: WorkspaceId) -> AsyncWebClient:
        raise StoreError

    with pytest.raises(StoreError):
        await Posting(no_client, clock=time).post(HOME, "C1", HELLO)

    assert slack.calls == []


async def test_a_rate_limit_holds_the_posts_of_this_workspace_until_it_is_over(
    slack: LocalSlack, posting: Posting, time: StandingTime, general: str
) -> None:
    slack.fail_next("chat.postMessage", retry_after_s=30)
    with pytest.raises(SlackRateLimitedError):
        await posting.post(HOME, general, HELLO)
    await time.pass_by(29)
    for held in (
        posting.post(HOME, "C2", HELLO),
        posting.acquire_turn(HOME, "C3"),
        posting.send_dm(HOME, slack.person("bob").id, HELLO),
    ):
        with pytest.raises(SlackRateLimitedError) as caught:
            await held
        assert caught.value.retry_after_s == 1

    await posting.post(ELSEWHERE, general, HELLO)
    await time.pass_by(1)
    await posting.post(HOME, general, HELLO)

    assert [call.method for call in slack.calls] == ["chat.postMessage"] * 3


async def test_a_shorter_rate_limit_does_not_end_a_longer_one(
    slack: LocalSlack, posting: Posting, time: StandingTime, general: str
) -> None:
    slack.fail_next("chat.postMessage", retry_after_s=30)
    slack.fail_next("chat.postMessage", retry_after_s=2, delay_s=0.05)
    both = (posting.post(HOME, each, HELLO) for each in (general, "another channel"))
    await asyncio.gather(*both, return_exceptions=True)
    await time.pass_by(3)

    with pytest.raises(SlackRateLimitedError) as caught:
        await posting.acquire_turn(HOME, general)

    assert caught.value.retry_after_s == 27


async def test_whoever_waits_for_a_turn_learns_of_a_rate_limit(
    slack: LocalSlack, posting: Posting, time: StandingTime, general: str
) -> None:
    await posting.acquire_turn(HOME, general)
    waiting = asyncio.create_task(posting.acquire_turn(HOME, general))
    await settled()
    slack.fail_next("chat.postMessage", retry_after_s=30)
    with pytest.raises(SlackRateLimitedError):
        await posting.post(HOME, general, HELLO)

    await time.pass_by(BETWEEN_S)

    with pytest.raises(SlackRateLimitedError):
        await waiting


async def test_a_line_that_is_too_long_is_not_joined(
    posting: Posting, time: StandingTime, general: str
) -> None:
    in_line = [asyncio.create_task(posting.acquire_turn(HOME, general)) for _ in range(19)]
    await settled()

    async with asyncio.timeout(TIME_LIMIT_S):
        with pytest.raises(SlackRateLimitedError) as caught:
            await posting.acquire_turn(HOME, general)
        await posting.acquire_turn(ELSEWHERE, general)
        await posting.acquire_turn(HOME, "another channel")

    assert caught.value.retry_after_s == pytest.approx(19 * BETWEEN_S)
    assert 18 * BETWEEN_S < LONGEST_LINE_S
    for task in in_line:
        task.cancel()


async def test_cancelled_turns_do_not_lengthen_the_line(
    posting: Posting, time: StandingTime, general: str
) -> None:
    in_line = [asyncio.create_task(posting.acquire_turn(HOME, general)) for _ in range(19)]
    await settled()
    for task in in_line:
        task.cancel()
    await settled()
    last = asyncio.create_task(posting.acquire_turn(HOME, general))
    await settled()

    await time.pass_by(BETWEEN_S)

    assert last.done()
    assert last.exception() is None


async def test_a_person_is_told_in_a_direct_message(slack: LocalSlack, posting: Posting) -> None:
    await posting.send_dm(HOME, slack.person("bob").id, HELLO)

    [message] = slack.person("bob").messages("dm")
    assert message.text == HELLO.text
    assert not message.content["unfurl_links"]


async def test_what_one_person_is_told_comes_at_slacks_pace(
    slack: LocalSlack, posting: Posting, time: StandingTime
) -> None:
    bob, ada = slack.person("bob").id, slack.person("ada").id
    await posting.send_dm(HOME, bob, HELLO)
    second = asyncio.create_task(posting.send_dm(HOME, bob, HELLO))
    await posting.send_dm(HOME, ada, HELLO)

    before = said(slack, "dm")
    async with asyncio.timeout(TIME_LIMIT_S):
        while not second.done():
            await time.pass_by(BETWEEN_S)
            await asyncio.sleep(0.001)  # the post is on its way through a socket

    assert (len(before), len(said(slack, "dm"))) == (1, 2)


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("conversations.open", "user_disabled"),
        ("conversations.open", "channel_not_found"),
        ("chat.postMessage", "is_archived"),
    ],
)
async def test_somebody_who_has_left_is_not_taken_for_a_closed_channel(
    slack: LocalSlack, posting: Posting, method: str, code: str
) -> None:
    slack.fail_next(method, error=code)

    with pytest.raises(PersonUnreachableError) as caught:
        await posting.send_dm(HOME, slack.person("bob").id, HELLO)

    assert caught.value.code == code


@pytest.mark.parametrize("fault", [{"kind": "drop"}, {"kind": "html"}, {"kind": "slow"}], ids=str)
async def test_nothing_was_said_while_the_direct_message_was_still_being_opened(
    slack: LocalSlack, client: AsyncWebClient, time: StandingTime, fault: dict[str, Any]
) -> None:
    slack.fail_next("conversations.open", after_acting=True, delay_s=0.2, **fault)
    posting = a_posting(client, time, answered_within_s=0.05)

    with pytest.raises(SlackUnreachableError):
        await posting.send_dm(HOME, slack.person("bob").id, HELLO)

    assert posts(slack) == []


async def test_a_rate_limit_on_opening_direct_messages_holds_no_posts(
    slack: LocalSlack, posting: Posting, general: str
) -> None:
    slack.fail_next("conversations.open", retry_after_s=30)
    with pytest.raises(SlackRateLimitedError):
        await posting.send_dm(HOME, slack.person("bob").id, HELLO)

    await posting.post(HOME, general, HELLO)

    assert said(slack) == [HELLO.text]


async def test_thirty_workspaces_at_once_do_not_wait_for_each_other(
    slack: LocalSlack, client: AsyncWebClient, general: str
) -> None:
    async def client_for(workspace: WorkspaceId) -> AsyncWebClient:
        if workspace.team_id == "T0":
            await asyncio.Event().wait()  # one hangs altogether
        return client

    posting = Posting(client_for, between_s=0.01)

    async def post(number: int) -> None:
        workspace = WorkspaceId(f"T{number % 30}")
        await posting.acquire_turn(workspace, general)
        await posting.post(workspace, general, Message(workspace.team_id, (SECTION,)))

    slack.world.posting.seconds_between_posts = 0  # here all workspaces are one
    tasks = [asyncio.create_task(post(number)) for number in range(300)]
    async with asyncio.timeout(TIME_LIMIT_S):
        await asyncio.gather(*(task for number, task in enumerate(tasks) if number % 30))

    assert sorted(said(slack)) == sorted([f"T{number}" for number in range(1, 30)] * 10)
    assert not any(task.done() for task in tasks[::30])
    for task in tasks:
        task.cancel()


async def test_the_next_turn_counts_from_the_post_and_not_from_the_turn_before(
    posting: Posting, general: str, time: StandingTime
) -> None:
    await posting.acquire_turn(HOME, general)
    second = asyncio.create_task(posting.acquire_turn(HOME, general))
    await time.pass_by(0.8)  # as long as noting it in the store may take
    await posting.post(HOME, general, HELLO)

    await time.pass_by(0.4)
    is_too_early = second.done()
    await time.pass_by(0.8)

    assert (is_too_early, second.done()) == (False, True)


async def let_time_pass(time: StandingTime, *acts: "asyncio.Task[Any]") -> None:
    """Let time pass in small steps until all of that is done."""
    async with asyncio.timeout(TIME_LIMIT_S):
        while not all(act.done() for act in acts):
            await time.pass_by(0.05)
            await asyncio.sleep(0.001)  # what they do goes through a socket
    await asyncio.gather(*acts)


async def test_two_who_had_their_turns_still_post_one_pace_apart(
    watched: Watched, time: StandingTime, general: str
) -> None:
    """The first one's store may be slow: then the next has its turn before it has posted."""
    posting = a_posting(watched, time)
    for _ in range(2):
        await let_time_pass(time, asyncio.create_task(posting.acquire_turn(HOME, general)))

    both = [asyncio.create_task(posting.post(HOME, general, HELLO)) for _ in range(2)]
    await let_time_pass(time, *both)

    earlier, later = watched.sent_at
    assert later - earlier >= BETWEEN_S


async def test_the_pace_counts_from_slacks_answer(
    watched: Watched, time: StandingTime, general: str
) -> None:
    """When a post came to Slack only its answer can tell: on its way it may be held up."""
    posting = a_posting(watched, time)
    watched.gate.clear()
    await posting.acquire_turn(HOME, general)
    first = asyncio.create_task(posting.post(HOME, general, HELLO))
    await watched.is_there.wait()

    second = asyncio.create_task(posting.acquire_turn(HOME, general))
    await time.pass_by(10)
    is_too_early = second.done()
    watched.gate.set()
    await first
    answered_at = time()
    await let_time_pass(time, second)

    assert not is_too_early
    assert time() - answered_at >= BETWEEN_S


async def test_another_channel_does_not_wait_for_a_slow_answer(
    slack: LocalSlack, watched: Watched, time: StandingTime, general: str
) -> None:
    posting = a_posting(watched, time)
    watched.gate.clear()
    slow = asyncio.create_task(posting.post(HOME, general, HELLO))
    await watched.is_there.wait()

    await posting.acquire_turn(HOME, channel_id(slack, "random"))

    assert not slow.done()
    watched.gate.set()
    await slow


async def test_who_would_wait_too_long_for_the_answer_before_is_sent_away(
    slack: LocalSlack, watched: Watched, time: StandingTime, general: str
) -> None:
    posting = a_posting(watched, time, longest_line_s=0.05)
    watched.gate.clear()
    slow = asyncio.create_task(posting.post(HOME, general, HELLO))
    await watched.is_there.wait()

    for act in (posting.acquire_turn(HOME, general), posting.post(HOME, general, HELLO)):
        with pytest.raises(SlackRateLimitedError) as caught:
            await act
        assert caught.value.retry_after_s >= BETWEEN_S

    watched.gate.set()
    await slow
    assert said(slack) == [HELLO.text]


async def test_a_post_that_waits_for_who_the_bot_is_was_surely_not_sent(
    client: AsyncWebClient, slack: LocalSlack, general: str
) -> None:
    slack.fail_next("auth.test", error="internal_error", times=2)
    posting = Posting(SingleWorkspaceClient(Identity(client, clock=FakeClock()), client))

    with pytest.raises(SlackUnreachableError):
        await posting.acquire_turn(WorkspaceId(slack.team_id), general)
    with pytest.raises(SlackUnreachableError):
        await posting.post(WorkspaceId(slack.team_id), general, HELLO)

    assert posts(slack) == []


async def test_a_token_that_slack_refuses_is_told_of(
    client: AsyncWebClient, slack: LocalSlack, general: str
) -> None:
    refused: list[WorkspaceId] = []

    async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
        return client

    posting = Posting(client_for, on_refused=refused.append)
    slack.revoke_token("token_revoked")

    with pytest.raises(TokenRefusedError):
        await posting.post(WorkspaceId("T1"), general, HELLO)
    with pytest.raises(TokenRefusedError):
        await posting.send_dm(WorkspaceId("T1"), slack.person("bob").id, HELLO)

    assert refused == [WorkspaceId("T1")] * 2


async def test_a_wait_that_slack_asked_another_process_for_holds_here_too(
    client: AsyncWebClient, time: StandingTime, slack: LocalSlack, general: str
) -> None:
    holds = LocalBackoff(clock=time)
    one, other = (a_posting(client, time, holds=holds) for _ in range(2))
    slack.fail_next("chat.postMessage", retry_after_s=30)
    with pytest.raises(SlackRateLimitedError):
        await one.post(HOME, general, HELLO)

    for act in (other.acquire_turn(HOME, general), other.post(HOME, general, HELLO)):
        with pytest.raises(SlackRateLimitedError) as caught:
            await act

        assert caught.value.retry_after_s == 30
    assert len(posts(slack)) == 1
