"""What becomes of work for somebody: an answer, whatever happens, and in time."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.blocks.message import Message
from bot.dispatch import error_boundary
from bot.dispatch.error_boundary import ErrorBoundary
from bot.dispatch.interrupted import InflightTracker
from bot.dispatch.request import Request
from bot.dispatch.usage import ANSWER_BELOW, ANSWERED_IN_FORM, STILL_WORKING
from bot.process.concurrency import Tasks
from bot.process.errors import BotError
from bot.process.workspace import WorkspaceId
from bot.slack.client import Member
from bot.slack.errors import SlackUnavailableError
from bot.slack.replies import Origin, Replies
from bot.store.documents import ForgottenError, StoreError
from bot.tracker.models import TrackerError
from tests.fakes import TIME_LIMIT_S

pytestmark = pytest.mark.anyio

ANSWER = Message("the answer")
WORKING, BELOW, DONE = STILL_WORKING.text, ANSWER_BELOW.text, ANSWERED_IN_FORM.text
BOB = Member("U1", "Bob", is_admin=False, is_stranger=False)
EVE = Member("U1", "Eve", is_admin=False, is_stranger=True)
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


class Room:
    """A boundary, one conversation, and what came of it."""

    def __init__(self) -> None:
        self.tasks = Tasks()
        self.replies = FakeReplies()
        self.failures = FakeFailures()
        self.noted: list[tuple[str, str]] = []
        self.boundary = ErrorBoundary(
            self.tasks,
            self.failures.explain,
            inflight=InflightTracker(),
            note=self._note,
        )
        self.conversation = self.a_conversation()

    def _note(self, what: str, outcome: str, took_s: float) -> None:
        assert 0 <= took_s < 60
        self.noted.append((what, outcome))

    def a_conversation(self) -> Request:
        return Request(
            workspace=WorkspaceId("T1"),
            origin=Origin("U1"),
            client=AsyncWebClient(session=cast(aiohttp.ClientSession, None)),
            replies=self.replies,
            member=BOB,
        )

    @property
    def said(self) -> list[str]:
        return self.replies.said

    def start(self, work: Work | None = None, **how: Any) -> None:
        self.boundary.start(self.conversation, work or self.answer, "work", **how)

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
async def room() -> Room:
    return Room()


async def a_while() -> None:
    """Let everybody else do what they would do at once."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_what_is_answered_at_once_is_answered_in_one_word(
    room: Room, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await room.do() == ["the answer"]

    assert room.noted == [("work", "answered")]
    [line] = [line for line in capsys.readouterr().out.splitlines() if "outcome=" in line]
    for part in ("request=", "workspace=-.T1", "user=U1", "what=work", "outcome=answered"):
        assert part in line


class TestStrangers:
    """People of other companies, in a shared channel."""

    async def test_are_kept_out(self, room: Room) -> None:
        room.conversation.member = EVE

        [said] = await room.do()

        assert said.startswith("StrangerError")

    async def test_are_left_to_the_work_where_it_sees_to_them(self, room: Room) -> None:
        room.conversation.member = EVE

        assert await room.do(admits_strangers=True) == ["the answer"]


class TestSlowly:
    """The work takes longer than people wait without a word."""

    @pytest.fixture
    async def room(self, monkeypatch: pytest.MonkeyPatch) -> Room:
        monkeypatch.setattr(error_boundary, "FIRST_WORD_AFTER_S", 0)
        return Room()

    @pytest.mark.parametrize("url", ["https://hooks.example", None])
    async def test_people_read_that_it_goes_on_and_the_answer_takes_its_place_if_it_can(
        self, room: Room, url: str | None
    ) -> None:
        room.conversation.origin = Origin("U1", response_url=url)

        async def work() -> None:
            await room.replies.changed.wait()
            await room.answer()

        assert await room.do(work) == [WORKING if url else BELOW, "the answer"]
        assert room.replies.takes_place == (["the answer"] if url else [])

    @pytest.mark.parametrize("speaks", [True, False])
    async def test_who_waits_for_no_message_reads_nothing_meanwhile(
        self, room: Room, speaks: bool
    ) -> None:
        async def work() -> None:
            await a_while()
            await room.answer()

        assert await room.do(work, speaks=speaks) == [BELOW] * speaks + ["the answer"]

    async def test_an_answer_in_a_form_is_pointed_out_to_who_was_told_to_wait(
        self, room: Room
    ) -> None:
        assert await room.do(a_while) == [BELOW, DONE]


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
    async def test_are_explained_and_noted_and_told_to_the_log_as_far_as_they_are_troubles(
        self,
        room: Room,
        error: Exception,
        outcome: str,
        log: str | None,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        [said] = await room.do(room.fail(error))

        assert said == f"{type(error).__name__} {room.conversation.reference}"
        assert room.noted == [("work", outcome)]
        out = capsys.readouterr().out.splitlines()
        text = [line for line in out if "failure explained" in line or "unforeseen" in line]
        assert len(text) == (log is not None)
        assert all(log and log in line for line in text)
        assert all(f"request={room.conversation.reference}" in line for line in text)

    async def test_an_answer_that_fails_once_is_followed_by_why(self, room: Room) -> None:
        room.replies.errors = [SlackUnavailableError("down")]

        [said] = await room.do()

        assert said.startswith("SlackUnavailableError")

    @pytest.mark.parametrize("error", [SlackUnavailableError("down"), ZeroDivisionError("1/0")])
    async def test_that_cannot_be_told_are_told_to_the_log(
        self, room: Room, error: Exception, capsys: pytest.CaptureFixture[str]
    ) -> None:
        room.replies.errors = [error]

        assert await room.do(room.fail(BotError("no"))) == []

        assert "could not explain the failure" in (out := capsys.readouterr().out)
        assert "a task failed" not in out


@pytest.mark.parametrize("is_home", [True, False])
@pytest.mark.parametrize("fails", [True, False])
async def test_home_follows_what_was_done_there_after_the_answer(
    room: Room, is_home: bool, fails: bool
) -> None:
    followed: list[int] = []

    async def follow(conversation: Request) -> None:
        assert conversation is room.conversation
        followed.append(len(room.said))

    room.boundary.after_home(follow)
    room.conversation.origin = Origin("U1", is_home=is_home)

    await room.do(room.fail(BotError("no")) if fails else None)

    assert followed == [1] * is_home


class TestCutOff:
    """A stop with work that cannot be waited for."""

    @pytest.mark.parametrize("is_answered", [True, False])
    async def test_excuses_itself_only_with_those_who_have_no_answer(
        self, room: Room, is_answered: bool
    ) -> None:
        begun = asyncio.Event()

        async def work() -> None:
            if is_answered:
                await room.answer()
            begun.set()
            await asyncio.Event().wait()

        room.start(work)
        await begun.wait()

        assert await room.boundary.cancel_all() == (0 if is_answered else 1)
        assert any("is restarting" in text for text in room.said) is not is_answered
        assert room.noted == [("work", "cut_off")]

    async def test_one_excuse_that_slack_does_not_take_is_no_failure_of_the_others(
        self, room: Room
    ) -> None:
        begun = [asyncio.Event(), asyncio.Event()]
        for each in begun:
            room.conversation = room.a_conversation()

            async def work(each: asyncio.Event = each) -> None:
                each.set()
                await asyncio.Event().wait()

            room.start(work)
            await each.wait()
        room.replies.errors = [SlackUnavailableError("down")]

        assert await room.boundary.cancel_all() == 2
        assert len(room.said) == 1

    async def test_does_not_wait_for_a_slack_that_does_not_answer(self, room: Room) -> None:
        async def work() -> None:
            await asyncio.Event().wait()

        room.start(work)
        await a_while()
        room.replies.is_stuck = True

        assert await room.boundary.cancel_all() == 1
