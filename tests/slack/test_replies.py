"""By which way an answer reaches who asked, and what it then holds."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.builders import actions, button, container, section
from bot.blocks.message import Message
from bot.playground.slack import LocalSlack
from bot.playground.slack.model import Channel
from bot.playground.slack.person import Person
from bot.slack.errors import SlackError, SlackRefusedError, SlackUnavailableError
from bot.slack.replies import Origin, Replies
from tests.slack.conftest import a_client
from tests.slack.test_client import answering, as_json, as_text

BLOCKS = (section("All is well"), *actions(button("Scan", "run.1"), button("Share", "share.x")))
ANSWER = Message("All is well", BLOCKS)
NEWEST = Message("All is well", (container("WHOIS", "empty", []), *BLOCKS))


class Bot:
    """Bob and Ada in one channel, and the bot that answers Bob there."""

    def __init__(
        self, slack: LocalSlack, client: AsyncWebClient, http: aiohttp.ClientSession
    ) -> None:
        self.slack = slack
        self.client = client
        self.replies = Replies(http)
        self.url: str | None = None

    @property
    def bob(self) -> Person:
        return self.slack.person("bob")

    @property
    def channel(self) -> Channel:
        return self.slack.channel("general")

    async def send(self, message: Message = ANSWER, **how: bool) -> None:
        origin = Origin(self.bob.id, self.channel.id, self.url)
        await self.replies.send(self.client, origin, message, **how)

    def said(self, name: str = "bob", place: str = "general") -> list[str]:
        """Return the texts of the bot's messages that somebody sees."""
        return [each.text for each in self.slack.person(name).messages(place)]


@pytest.fixture
def bot(slack: LocalSlack, client: AsyncWebClient, http: aiohttp.ClientSession) -> Bot:
    return Bot(slack, client, http)


async def test_an_answer_takes_the_proxy_that_calls_take(
    slack: LocalSlack, http: aiohttp.ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[str] = []

    async def pass_on(request: web.Request) -> web.Response:
        passed.append(str(request.url))
        return web.json_response({"ok": True})

    proxy = web.Application()
    proxy.router.add_route("*", "/{anything:.*}", pass_on)
    async with TestServer(proxy) as server:
        monkeypatch.setenv("HTTPS_PROXY", str(server.make_url("/")))
        bot = Bot(slack, a_client("http://slack.example/api/", http), http)
        bot.url = "http://hooks.slack.example/answer"

        await bot.send()

    assert passed == [bot.url]


async def test_an_answer_in_a_direct_message_has_no_share_button(bot: Bot) -> None:
    await bot.replies.send(bot.client, Origin(bot.bob.id, is_home=True), ANSWER)

    [sent] = bot.bob.messages("dm")
    assert sent.buttons == ["Scan"]


@pytest.mark.parametrize("fault", [{"kind": "html"}, {"kind": "drop"}, {"error": "ratelimited"}])
async def test_the_last_way_to_a_person_is_tried_twice(bot: Bot, fault: dict[str, Any]) -> None:
    bot.slack.fail_next("chat.postMessage", **fault)

    await bot.replies.send(bot.client, Origin(bot.bob.id), ANSWER)

    assert bot.said(place="dm") == ["All is well"]


@pytest.fixture
def asked(bot: Bot) -> Bot:
    """Bob has typed a command there, so Slack gave an address to answer at."""
    urls = bot.slack.world.response_urls
    bot.url = urls.give(bot.bob.id, bot.channel.id, command="/domains")
    return bot


async def test_an_answer_is_for_one_person_and_without_previews(asked: Bot) -> None:
    await asked.send()

    assert (asked.said(), asked.said("ada")) == (["All is well"], [])
    [message] = asked.channel.messages
    assert (message.content["unfurl_links"], message.content["unfurl_media"]) == (False, False)
    assert [call.method for call in asked.slack.calls] == ["response_url"]


@pytest.mark.parametrize("replace", [True, False])
async def test_an_answer_replaces_the_one_before_if_wanted(asked: Bot, replace: bool) -> None:
    await asked.send(Message("Working on it"))

    await asked.send(replace=replace)

    assert asked.said() == ["Working on it"] * (not replace) + ["All is well"]


@pytest.mark.parametrize(
    "fail",
    [
        lambda slack: slack.fail_next("response_url", kind="html"),
        lambda slack: slack.fail_next("response_url"),
        lambda slack: slack.fail_next("response_url", kind="drop"),
        lambda slack: slack.fail_next("response_url", error="used_url", status=404),
    ],
    ids=["broken", "too-fast", "cut-off", "used-up"],
)
async def test_after_the_address_comes_the_channel(
    asked: Bot, fail: Callable[[LocalSlack], None]
) -> None:
    fail(asked.slack)

    await asked.send()

    assert (asked.said(), asked.said("ada")) == (["All is well"], [])


async def test_what_an_answer_shall_replace_goes_nowhere_else(asked: Bot) -> None:
    asked.slack.fail_next("response_url", kind="drop")

    with pytest.raises(SlackUnavailableError):
        await asked.send(is_progress=True)

    assert (asked.said(), asked.said(place="dm")) == ([], [])


async def test_what_cannot_be_shared_goes_nowhere_else(asked: Bot) -> None:
    asked.slack.fail_next("response_url", kind="html")

    with pytest.raises(SlackUnavailableError):
        await asked.send(to_channel=True)

    assert (asked.said(), asked.said(place="dm")) == ([], [])


async def test_blocks_that_slack_refuses_are_sent_again_plainly_the_same_way(asked: Bot) -> None:
    asked.slack.refuse_block_types("container")
    await asked.send(Message("Working on it"))

    await asked.send(NEWEST, replace=True)
    assert [each.text for each in asked.channel.messages] == ["All is well"]
    await asked.send(NEWEST, to_channel=True)

    assert asked.said("ada") == ["All is well"]
    assert {call.method for call in asked.slack.calls} == {"response_url"}


ANSWERS = {
    "ok": (as_text("ok", "text/plain"), None),
    "no": (as_json({"ok": False, "error": "invalid_blocks"}), "Slack refused: invalid_blocks"),
    "no, unnamed": (as_json({"ok": False}, 404), "Slack refused: unknown"),
    "a bare code": (as_text(" used_url\n", "text/plain", 404), "Slack refused: used_url"),
    "nothing": (as_text("", "text/plain", 400), "Slack refused: status 400"),
    "too fast": (as_json({"ok": False, "error": "x"}, 429), "response_url answered 429"),
    "broken": (as_json({"ok": False, "error": "x"}, 500), "response_url answered 500"),
}


@pytest.mark.parametrize(("make", "reason"), ANSWERS.values(), ids=ANSWERS)
async def test_slacks_answers_are_understood(
    bot: Bot, make: Callable[[], web.Response], reason: str | None
) -> None:
    async with answering(make) as bot.url:
        if reason is None:
            await bot.send(to_channel=True)
            return
        with pytest.raises(SlackError) as caught:
            await bot.send(to_channel=True)

    assert str(caught.value) == reason
    assert isinstance(caught.value, SlackRefusedError) == reason.startswith("Slack refused")


async def test_an_address_that_hangs_is_given_up(bot: Bot, http: aiohttp.ClientSession) -> None:
    has_gone = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until the other side has gone
        writer.close()
        has_gone.set()

    bot.replies = Replies(http)
    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
        bot.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        with pytest.raises(SlackUnavailableError, match="TimeoutError"):
            await bot.send(to_channel=True)
        await has_gone.wait()  # else its end of the line would outlive the test


async def test_an_answer_waits_for_a_free_connection(bot: Bot) -> None:
    is_taken, is_over = asyncio.Event(), asyncio.Event()

    async def hold(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_taken.set()
        await is_over.wait()
        writer.close()

    async with (
        await asyncio.start_server(hold, "127.0.0.1", 0) as server,
        aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit_per_host=1)) as http,
        asyncio.TaskGroup() as group,
    ):
        bot.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        first = group.create_task(http.get(bot.url))
        await is_taken.wait()
        bot.replies = Replies(http)
        second = group.create_task(bot.send())

        done, _waiting = await asyncio.wait({second}, timeout=0.1)

        assert not done
        for each in (first, second):
            each.cancel()
        is_over.set()


def test_the_address_at_which_somebody_can_be_answered_is_not_shown() -> None:
    assert "hooks" not in repr(Origin("U1", "C1", "https://hooks.slack.example/commands/T1"))


@pytest.mark.parametrize("asked_there", [True, False])
async def test_a_share_goes_to_the_thread(bot: Bot, asked_there: bool) -> None:
    start = bot.slack.person("cy").say("Is it down?")
    bot.slack.person("ada").say("Let's see", thread_ts=start.ts)
    origin = Origin(bot.bob.id, bot.channel.id, thread_ts=start.ts, is_in_thread=asked_there)

    await bot.replies.send(bot.client, origin, ANSWER)
    await bot.replies.send(bot.client, origin, Message("Look"), to_channel=True)

    alone, shared = bot.bob.messages()[-2:]
    assert (alone.thread_ts, alone.seen_by) == (start.ts if asked_there else None, bot.bob.id)
    assert (shared.thread_ts, shared.seen_by) == (start.ts, None)


async def test_without_an_address_nothing_is_shared_outside_a_thread(bot: Bot) -> None:
    for origin in (Origin(bot.bob.id, bot.channel.id), Origin(bot.bob.id, thread_ts="1.1")):
        with pytest.raises(SlackRefusedError, match="no response_url"):
            await bot.replies.send(bot.client, origin, ANSWER, to_channel=True)

    assert bot.said("ada") == []


async def test_a_thread_of_a_channel_is_none_of_the_direct_message(bot: Bot) -> None:
    start = bot.bob.say("Is it down?", "dm")
    in_channel = Origin(bot.bob.id, bot.channel.id, thread_ts=start.ts, is_in_thread=True)
    bot.slack.fail_next("chat.postEphemeral", error="user_not_in_channel")

    await bot.replies.send(bot.client, in_channel, ANSWER)
    await bot.replies.send(bot.client, replace(in_channel, channel_id=None), ANSWER)

    assert [each.thread_ts for each in bot.bob.messages("dm")] == [None, None, start.ts]


async def test_an_address_answers_in_the_thread_and_replaces_where_it_shall(asked: Bot) -> None:
    start = asked.slack.person("cy").say("Is it down?")
    asked.slack.person("ada").say("Let's see", thread_ts=start.ts)
    origin = Origin(asked.bob.id, asked.channel.id, asked.url, thread_ts=start.ts)
    origin = replace(origin, is_in_thread=True)

    await asked.replies.send(asked.client, origin, Message("Working on it"))
    await asked.replies.send(asked.client, origin, ANSWER, replace=True)

    [*_, answer] = asked.bob.messages()
    assert (answer.text, answer.thread_ts) == (ANSWER.text, start.ts)
    assert len(asked.bob.messages()) == 3
