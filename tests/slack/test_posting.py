"""Posting outside a request: once, at Slack's pace, and never twice because an answer is lost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.blocks.message import Message
from bot.playground.slack import Call, LocalSlack
from bot.process.workspace import WorkspaceId
from bot.slack.auth import Identity
from bot.slack.errors import (
    PersonUnreachableError,
    SlackRateLimitedError,
    SlackUnavailableError,
    SlackUnreachableError,
)
from bot.slack.posting import BETWEEN_S, LONGEST_LINE_S, Posting, retry_after
from tests.fakes import FakeClock
from tests.slack.conftest import StandingTime, settled

HOME, ELSEWHERE = WorkspaceId("T1"), WorkspaceId("T2", "E1")
SECTION = {"type": "section", "text": {"type": "plain_text", "text": "plain"}}
CHART: dict[str, Any] = {
    "type": "data_visualization",
    "title": "Health",
    "chart": {
        "type": "line",
        "series": [{"name": "Average", "data": [{"label": "1 May", "value": 3}]}],
        "axis_config": {"categories": ["1 May"]},
    },
}
HELLO = Message("hello https://shop.example", (SECTION,))
WITH_CHART = Message("hello", (CHART,))


class Watched(AsyncWebClient):
    """A client that counts what was sent; Slack's answers wait until `gate` is open."""

    def __init__(self, slack: LocalSlack, http: aiohttp.ClientSession) -> None:
        super().__init__(slack.bot_token, slack.api_url, session=http, retry_handlers=[])
        self.sent = 0
        self.is_there = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def chat_postMessage(self, **how: Any) -> AsyncSlackResponse:  # noqa: N802  the SDK's
        self.sent += 1
        answer = await super().chat_postMessage(**how)
        self.is_there.set()
        await self.gate.wait()
        return answer


class Bot:
    """Bob in a channel, the bot that posts there, and time that stands still."""

    def __init__(self, slack: LocalSlack, http: aiohttp.ClientSession, time: StandingTime) -> None:
        self.slack, self.time = slack, time
        self.client = Watched(slack, http)
        self.general, self.bob = slack.channel("general").id, slack.person("bob").id

        async def client_for(_workspace: WorkspaceId) -> AsyncWebClient:
            return self.client

        self.posting = Posting(client_for, clock=time, sleep=time.sleep)

    async def post(self, message: Message = HELLO) -> str:
        return await self.posting.post(HOME, self.general, message)

    async def turn(self) -> None:
        await self.posting.acquire_turn(HOME, self.general)

    async def tell_bob(self) -> None:
        await self.posting.send_dm(HOME, self.bob, HELLO)

    def in_line(self, length: int) -> list["asyncio.Task[None]"]:
        return [asyncio.create_task(self.turn()) for _ in range(length)]

    def posts(self) -> Sequence[Call]:
        return [call for call in self.slack.calls if call.method == "chat.postMessage"]

    def said(self, channel: str = "general") -> list[str]:
        return [message.text for message in self.slack.person("bob").messages(channel)]


@pytest.fixture
def bot(slack: LocalSlack, http: aiohttp.ClientSession, time: StandingTime) -> Bot:
    return Bot(slack, http, time)


async def test_a_post_is_there_once_and_without_previews(bot: Bot) -> None:
    ts = await bot.post()

    [message] = bot.slack.person("bob").messages()
    assert (message.ts, message.text) == (ts, HELLO.text)
    assert not message.content["unfurl_links"]
    assert not message.content["unfurl_media"]


async def test_refused_blocks_are_sent_once_more_as_their_plain_twin(bot: Bot) -> None:
    bot.slack.refuse_block_types("data_visualization")

    ts = await bot.post(WITH_CHART)

    [message] = bot.slack.person("bob").messages()
    assert (message.ts, message.blocks[0]["type"]) == (ts, "section")
    assert len(bot.posts()) == 2


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "drop", "after_acting": True},
        {"error": "internal_error", "after_acting": True},
        {"error": "service_unavailable", "status": 503},
    ],
    ids=str,
)
async def test_a_post_of_unknown_outcome_is_not_repeated(bot: Bot, fault: dict[str, Any]) -> None:
    bot.slack.fail_next("chat.postMessage", **fault)

    with pytest.raises(SlackUnavailableError) as caught:
        await bot.post()

    assert caught.value.is_outcome_unknown
    assert len(bot.posts()) == 1


async def test_a_post_without_an_answer_in_time_is_uncertain(bot: Bot) -> None:
    bot.client.gate.clear()

    with pytest.raises(SlackUnavailableError) as caught:
        await bot.post()

    assert caught.value.is_outcome_unknown
    assert (bot.client.sent, len(bot.said())) == (1, 1)


async def test_a_rate_limit_holds_the_posts_of_this_workspace_until_it_is_over(bot: Bot) -> None:
    bot.slack.fail_next("chat.postMessage", retry_after_s=30)
    with pytest.raises(SlackRateLimitedError):
        await bot.post()
    await bot.time.pass_by(29)
    for held in (
        bot.posting.post(HOME, "C2", HELLO),
        bot.posting.acquire_turn(HOME, "C3"),
        bot.tell_bob(),
    ):
        with pytest.raises(SlackRateLimitedError) as caught:
            await held
        assert caught.value.retry_after_s == 1

    await bot.posting.post(ELSEWHERE, bot.general, HELLO)
    await bot.time.pass_by(1)
    await bot.post()

    assert [call.method for call in bot.slack.calls] == ["chat.postMessage"] * 3


async def test_a_rate_limit_ends_the_wait_for_a_turn(bot: Bot) -> None:
    await bot.turn()
    [waiting] = bot.in_line(1)
    await settled()
    bot.slack.fail_next("chat.postMessage", retry_after_s=30)
    with pytest.raises(SlackRateLimitedError):
        await bot.post()

    await bot.time.pass_by(BETWEEN_S)

    with pytest.raises(SlackRateLimitedError):
        await waiting


async def test_a_turn_that_takes_too_long_is_refused(bot: Bot) -> None:
    in_line = bot.in_line(25)
    await settled()
    for _ in range(25):
        await bot.time.pass_by(BETWEEN_S)

    ends = await asyncio.gather(*in_line, return_exceptions=True)

    late = [end for end in ends if isinstance(end, SlackRateLimitedError)]
    assert len(in_line) - len(late) == LONGEST_LINE_S // BETWEEN_S + 1


async def let_time_pass(time: StandingTime, *acts: "asyncio.Task[Any]") -> None:
    """Let time pass in small steps until all of that is done."""
    while not all(act.done() for act in acts):
        await time.pass_by(0.05)
        await asyncio.sleep(0.001)  # what they do goes through a socket
    await asyncio.gather(*acts)


async def test_messages_to_one_person_keep_slacks_pace(bot: Bot) -> None:
    await bot.tell_bob()
    second = asyncio.create_task(bot.tell_bob())
    await bot.posting.send_dm(HOME, bot.slack.person("ada").id, HELLO)

    before = bot.said("dm")
    await let_time_pass(bot.time, second)

    assert (len(before), len(bot.said("dm"))) == (1, 2)


@pytest.mark.parametrize(
    ("method", "code"),
    [
        ("conversations.open", "user_disabled"),
        ("conversations.open", "channel_not_found"),
        ("chat.postMessage", "is_archived"),
    ],
)
async def test_a_person_who_left_is_no_closed_channel(bot: Bot, method: str, code: str) -> None:
    bot.slack.fail_next(method, error=code)

    with pytest.raises(PersonUnreachableError) as caught:
        await bot.tell_bob()

    assert caught.value.code == code


@pytest.mark.parametrize("fault", [{"kind": "drop"}, {"kind": "html"}, {"kind": "slow"}], ids=str)
async def test_a_failure_before_the_message_is_known(bot: Bot, fault: dict[str, Any]) -> None:
    bot.slack.fail_next("conversations.open", after_acting=True, delay_s=60, **fault)

    with pytest.raises(SlackUnreachableError):
        await bot.tell_bob()

    assert bot.posts() == []


async def test_the_next_turn_counts_from_the_post_and_not_from_the_turn_before(bot: Bot) -> None:
    await bot.turn()
    [second] = bot.in_line(1)
    await bot.time.pass_by(0.8)  # as long as noting it in the store may take
    await bot.post()

    await bot.time.pass_by(0.4)
    is_too_early = second.done()
    await bot.time.pass_by(0.8)

    assert (is_too_early, second.done()) == (False, True)


async def test_a_post_that_waits_for_the_identity_was_not_sent(bot: Bot) -> None:
    bot.slack.fail_next("auth.test", error="internal_error", times=2)
    identity = Identity(bot.client, clock=FakeClock())
    bot.posting = Posting(identity.client_for)

    for act in (bot.turn(), bot.post()):
        with pytest.raises(SlackUnreachableError):
            await act

    assert bot.posts() == []


async def test_some_admins_of_a_workspace_are_named_unless_slack_does_not_say(bot: Bot) -> None:
    workspace = WorkspaceId(bot.slack.team_id)
    admins = await bot.posting.admins(workspace, 9)
    first = await bot.posting.admins(workspace, 1)
    bot.slack.fail_next("users.list", "internal_error")

    assert {bot.slack.person(name).id for name in ("ada", "olga")} <= set(admins)
    assert bot.bob not in admins
    assert first == admins[:1]
    with pytest.raises(SlackUnavailableError):
        await bot.posting.admins(workspace, 9)


def test_what_may_be_there_is_sent_once_more_and_what_is_not_again_and_again() -> None:
    lost, unsent = SlackUnavailableError("lost"), SlackUnreachableError("unsent")

    assert None not in (retry_after(lost, 0), retry_after(unsent, 0), retry_after(unsent, 1))
    assert retry_after(lost, 1) is None
