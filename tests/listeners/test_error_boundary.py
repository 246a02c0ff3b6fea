"""What becomes of work for somebody: an answer, whatever happens, and in time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.message import Message
from bot.dispatch import error_boundary
from bot.dispatch.error_boundary import ErrorBoundary, Handling
from bot.dispatch.request import Request
from bot.dispatch.usage import ANSWER_BELOW, ANSWERED_IN_FORM, STILL_WORKING
from bot.process import concurrency
from bot.process.concurrency import Tasks
from bot.process.errors import BotError
from bot.slack.client import Member
from bot.slack.errors import SlackUnavailableError
from bot.slack.replies import Origin, Replies
from bot.store.deduplication import Dedup
from bot.store.documents import ForgottenError, StoreError
from bot.tracker.models import TrackerError
from tests.dispatch.builders import a_request
from tests.fakes import TIME_LIMIT_S

ANSWER = Message("the answer")
WORKING, BELOW, DONE = STILL_WORKING.text, ANSWER_BELOW.text, ANSWERED_IN_FORM.text
BOB = Member("U1", "Bob", is_admin=False, is_stranger=False)
Work = Callable[[], Awaitable[None]]


class FakeReplies(Replies):
    """Replies that are remembered; `takes_place` are those in the place of an earlier one.

    `errors` meet the next ones. While `is_stuck` Slack does not answer.
    """

    def __init__(self) -> None:
        self.said: list[str] = []
        self.takes_place: list[str] = []
        self.errors: list[Exception] = []
        self.is_stuck = False
        self.changed = asyncio.Event()

    async def send(
        self,
        client: AsyncWebClient,
        origin: Origin,
        message: Message,
        *,
        replace: bool = False,
        to_channel: bool = False,
        is_progress: bool = False,
    ) -> None:
        if self.is_stuck:
            await asyncio.Event().wait()
        if self.errors:
            raise self.errors.pop(0)
        self.said.append(message.text)
        self.takes_place += [message.text] * replace
        self.changed.set()


class FakeFailures:
    """Explains every failure in a word and with its reference, or fails itself."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    async def explain(self, error: Exception, conversation: Request) -> Message:
        if self.error:
            raise self.error
        return Message(f"{type(error).__name__} {conversation.reference}")


class Bot:
    """A boundary, one conversation, and what came of it."""

    def __init__(self) -> None:
        self.tasks = Tasks()
        self.replies = FakeReplies()
        self.failures = FakeFailures()
        self.noted: list[tuple[str, str]] = []
        self.boundary = ErrorBoundary(
            self.tasks,
            self.failures.explain,
            note=self._note,
        )
        self.conversation = self.a_conversation()

    def _note(self, what: str, outcome: str, took_s: float) -> None:
        assert 0 <= took_s < 60
        self.noted.append((what, outcome))

    def a_conversation(self, **where: Any) -> Request:
        client = AsyncWebClient(session=cast(aiohttp.ClientSession, None))
        origin = Origin("U1", **where)
        return a_request(origin=origin, client=client, replies=self.replies, member=BOB)

    @property
    def said(self) -> list[str]:
        return self.replies.said

    def start(self, work: Work | None = None, **how: Any) -> None:
        async def handle(_request: Request, work: Work) -> None:
            await work()

        given = work or self.answer
        self.boundary.start(
            self.conversation, Handling(name="work", handle=handle, given=given, **how)
        )

    async def do(self, work: Work | None = None, **how: Any) -> list[str]:
        """Start it, and return what was said in the end."""
        self.start(work, **how)
        assert await self.tasks.drain(TIME_LIMIT_S)
        return self.said

    async def answer(self) -> None:
        await self.conversation.reply(ANSWER)

    def fail(self, error: Exception) -> Work:
        async def work() -> None:
            raise error

        return work


@pytest.fixture
async def bot() -> Bot:
    return Bot()


async def a_while() -> None:
    """Let everybody else do what they would do at once."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_a_quick_answer_is_alone(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    assert await bot.do() == ["the answer"]

    assert bot.noted == [("work", "answered")]
    [line] = [line for line in capsys.readouterr().out.splitlines() if "outcome=" in line]
    for part in ("request=", "workspace=-.T1", "user=U1", "what=work", "outcome=answered"):
        assert part in line


class TestSlowly:
    """The work takes longer than people wait without a word."""

    @pytest.fixture
    async def bot(self, monkeypatch: pytest.MonkeyPatch) -> Bot:
        monkeypatch.setattr(error_boundary, "FIRST_WORD_AFTER_S", 0)
        return Bot()

    @pytest.mark.parametrize("url", ["https://hooks.example", None])
    async def test_the_answer_replaces_the_first_message(self, bot: Bot, url: str | None) -> None:
        bot.conversation = bot.a_conversation(response_url=url)

        async def work() -> None:
            await bot.replies.changed.wait()
            await bot.answer()

        assert await bot.do(work) == [WORKING if url else BELOW, "the answer"]
        assert bot.replies.takes_place == (["the answer"] if url else [])

    @pytest.mark.parametrize("shows_progress", [True, False])
    async def test_a_silent_request_has_no_first_message(
        self, bot: Bot, shows_progress: bool
    ) -> None:
        async def work() -> None:
            await a_while()
            await bot.answer()

        assert await bot.do(work, shows_progress=shows_progress) == [BELOW] * shows_progress + [
            "the answer"
        ]

    async def test_the_first_message_points_to_an_answer_in_a_form(self, bot: Bot) -> None:
        assert await bot.do(a_while) == [BELOW, DONE]

    async def test_a_first_message_on_its_way_is_not_the_last_word(
        self, bot: Bot, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        arrives, send = asyncio.Event(), bot.replies.send

        async def late(*what: Any, **how: Any) -> None:
            if not bot.said:
                await arrives.wait()
            await send(*what, **how)

        async def work() -> None:
            await a_while()
            asyncio.get_running_loop().call_later(1, arrives.set)

        monkeypatch.setattr(bot.replies, "send", late)

        assert await bot.do(work) == [BELOW, DONE]


async def test_who_waits_long_for_a_turn_reads_so_once(
    bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concurrency, "TURNS_AT_ONCE", 1)
    monkeypatch.setattr(concurrency, "TURN_HELD_S", 2 * error_boundary.FIRST_WORD_AFTER_S)
    bot.conversation = bot.a_conversation(response_url="https://hooks.example")

    async def work() -> None:
        await asyncio.sleep(2 * error_boundary.FIRST_WORD_AFTER_S)
        await bot.answer()

    async with bot.boundary.turns.take(bot.conversation.workspace):
        said = await bot.do(work)

    assert said == [WORKING, "the answer"]
    assert bot.replies.takes_place == ["the answer"]


class TestFailures:
    """Something goes wrong in the work, or behind it."""

    @pytest.mark.parametrize(
        ("error", "outcome", "log"),
        [
            (BotError("what was typed"), "declined", None),
            (ForgottenError("removed"), "declined", "[warning  ] failure explained"),
            (StoreError("down"), "store", "[warning  ] failure explained"),
            (TrackerError("down"), "service", "[warning  ] failure explained"),
            (SlackUnavailableError("down"), "slack", "[warning  ] failure explained"),
            (ZeroDivisionError("1/0"), "broken", "[error    ] unforeseen failure"),
        ],
        ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
    )
    async def test_are_explained_and_logged_where_they_are_troubles(
        self,
        bot: Bot,
        error: Exception,
        outcome: str,
        log: str | None,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        [said] = await bot.do(bot.fail(error))

        assert said == f"{type(error).__name__} {bot.conversation.reference}"
        assert bot.noted == [("work", outcome)]
        out = capsys.readouterr().out.splitlines()
        text = [line for line in out if "failure explained" in line or "unforeseen" in line]
        assert len(text) == (log is not None)
        assert all(log and log in line for line in text)
        assert all(f"request={bot.conversation.reference}" in line for line in text)

    async def test_an_answer_that_fails_once_is_followed_by_why(self, bot: Bot) -> None:
        bot.replies.errors = [SlackUnavailableError("down")]

        [said] = await bot.do()

        assert said.startswith("SlackUnavailableError")

    @pytest.mark.parametrize("error", [SlackUnavailableError("down"), ZeroDivisionError("1/0")])
    async def test_that_cannot_be_sent_are_logged(
        self, bot: Bot, error: Exception, capsys: pytest.CaptureFixture[str]
    ) -> None:
        bot.replies.errors = [error]

        assert await bot.do(bot.fail(BotError("no"))) == []

        assert "could not explain the failure" in (out := capsys.readouterr().out)
        assert "a task failed" not in out

    async def test_let_a_press_be_repeated(self, bot: Bot) -> None:
        stored = Dedup()
        for _process in range(2):
            bot.boundary.seen = Dedup(stored)
            await bot.do(bot.fail(BotError("no")), once_key="C1/1.2")

        assert bot.said == [f"BotError {bot.conversation.reference}"] * 2


@pytest.mark.parametrize("is_home", [True, False])
@pytest.mark.parametrize("fails", [True, False])
async def test_home_is_drawn_after_the_answer(bot: Bot, is_home: bool, fails: bool) -> None:
    followed: list[int] = []

    async def follow(conversation: Request) -> None:
        assert conversation is bot.conversation
        followed.append(len(bot.said))

    bot.boundary.after_home = follow
    bot.conversation = bot.a_conversation(is_home=is_home)

    await bot.do(bot.fail(BotError("no")) if fails else None)

    assert followed == [1] * is_home


class TestCutOff:
    """A stop with work that cannot be waited for."""

    @pytest.mark.parametrize("is_answered", [True, False])
    async def test_apologises_only_to_those_without_an_answer(
        self, bot: Bot, is_answered: bool
    ) -> None:
        begun = asyncio.Event()

        async def work() -> None:
            if is_answered:
                await bot.answer()
            begun.set()
            await asyncio.Event().wait()

        bot.start(work)
        await begun.wait()

        assert await bot.boundary.cancel_all() == (0 if is_answered else 1)
        assert any("is restarting" in text for text in bot.said) is not is_answered
        assert bot.noted == [("work", "cut_off")]

    async def test_one_failed_apology_does_not_stop_the_others(self, bot: Bot) -> None:
        begun = [asyncio.Event(), asyncio.Event()]
        for each in begun:
            bot.conversation = bot.a_conversation()

            async def work(each: asyncio.Event = each) -> None:
                each.set()
                await asyncio.Event().wait()

            bot.start(work)
            await each.wait()
        bot.replies.errors = [SlackUnavailableError("down")]

        assert await bot.boundary.cancel_all() == 2
        assert len(bot.said) == 1

    async def test_does_not_wait_for_a_slack_that_does_not_answer(self, bot: Bot) -> None:
        async def work() -> None:
            await asyncio.Event().wait()

        bot.start(work)
        await a_while()
        bot.replies.is_stuck = True

        assert await bot.boundary.cancel_all() == 1
