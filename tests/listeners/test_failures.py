"""What is said of a failure, what is kept for later, and the answer before an ack."""

import json
from collections.abc import Mapping
from typing import Any, cast

from slack_bolt.context.respond.async_respond import AsyncRespond
from slack_sdk.web.async_client import AsyncWebClient

from bot.access.permissions import Permissions
from bot.app.failures import Failures
from bot.dispatch.command_text import NotUnderstood, NotUnderstoodError
from bot.dispatch.incoming import answer_unread
from bot.dispatch.kept_commands import KeptCommands
from bot.dispatch.request import Request
from bot.dispatch.usage import not_understood_message
from bot.keys.key_record import NoKeyError
from bot.keys.repository import Keys
from bot.keys.workspace_tracker import WorkspaceTracker
from bot.process.errors import UnknownWorkspaceError
from bot.process.workspace import WorkspaceId
from bot.slack.errors import SlackUnavailableError
from bot.store.documents import StoreError
from bot.store.encryption import KeyRing
from tests.builders import facts_for_admin, failure_message
from tests.dispatch.builders import a_request
from tests.fakes import FakeClock
from tests.loops import loop_over
from tests.memory import MemoryDocuments

HERE = WorkspaceId("T1")
NO_KEY = NoKeyError("none")


class Bot:
    """A workspace without a key, all of whose people may set one."""

    def __init__(self) -> None:
        self.documents, self.clock = MemoryDocuments(), FakeClock()
        ring = KeyRing({"k1": b"1" * 32})
        self.keys = Keys(self.documents, ring, clock=self.clock)
        self.kept_commands = KeptCommands(self.documents, ring, clock=self.clock)
        self.failures = Failures(
            cast(WorkspaceTracker, self),
            self.kept_commands,
            cast(Permissions, self),
            egress_addresses=(),
        )

    async def may_configure(self, _request: Request) -> bool:
        return True

    async def is_said_to_be_kept(self, line: str) -> bool:
        """Type a command; return whether the answer says that it is done later."""
        request = typed(line)
        said = await self.failures.explain(NO_KEY, request)
        is_kept = " I kept your command." in said.text
        assert said == failure_message(
            NO_KEY,
            facts_for_admin(command_line=line, is_kept=is_kept, reference=request.reference),
        )
        return is_kept


def typed(line: str) -> Request:
    return a_request(HERE, client=AsyncWebClient(), command_line=line)


@loop_over(
    ("line", "is_kept"),
    [
        ("/domains tag:prod", True),
        ("/adddomain shop.example", True),
        ("/adddomain", False),  # a form cannot open later
        ("/none", False),
    ],
)
async def test_what_is_kept_until_there_is_a_key_is_said_to_be(line: str, is_kept: bool) -> None:
    bot = Bot()

    assert await bot.is_said_to_be_kept(line) is is_kept

    kept = [f"{each.command} {each.text}" for each in await bot.kept_commands.take_all(HERE)]
    assert kept == [line] * is_kept


async def test_what_the_store_does_not_take_is_not_said_to_be_kept() -> None:
    bot = Bot()
    await bot.documents.close()

    assert not await bot.is_said_to_be_kept("/domains")


async def test_a_command_that_cannot_be_read_is_answered_with_its_usage() -> None:
    error = NotUnderstoodError([NotUnderstood("colour:red")], ["tag:prod"])

    said = await Bot().failures.explain(error, typed("/domains tag:prod colour:red"))

    assert said == not_understood_message("/domains", error.problems, error.understood)


class ResponseUrl:
    """Where Slack takes an answer, if it gave an address; remembers what came."""

    def __init__(self, *, is_given: bool = True, error: Exception | None = None) -> None:
        self.response_url = "https://hooks.slack.example/1" if is_given else None
        self.error = error
        self.said: list[str] = []

    async def __call__(self, text: str, *, replace_original: bool) -> None:
        assert not replace_original
        if self.error:
            raise self.error
        self.said.append(text)


COMMAND = {"command": "/domains"}
PRESS, MESSAGE, FORM = (
    {"type": kind} for kind in ("block_actions", "message_action", "view_submission")
)
STORE, SLACK = StoreError("down"), SlackUnavailableError("down")
UNKNOWN = UnknownWorkspaceError("Install the app again.")


async def unread(
    error: Exception, body: Mapping[str, Any], url: ResponseUrl | None = None
) -> tuple[int, str]:
    answer = await answer_unread(error, body, cast(AsyncRespond, url or ResponseUrl()))
    return answer.status, answer.body


@loop_over(
    ("error", "said"),
    [
        (STORE, "The app's database is unavailable. Please try again shortly. Reference "),
        (SLACK, "Slack is unavailable. Please try again shortly. Reference "),
        (UNKNOWN, "Install the app again."),
    ],
)
async def test_a_failed_command_gets_a_sentence(error: Exception, said: str) -> None:
    status, body = await unread(error, COMMAND)

    assert (status, json.loads(body)["response_type"]) == (200, "ephemeral")
    assert json.loads(body)["text"].startswith(said)


@loop_over("body", [PRESS, MESSAGE])
async def test_a_failed_press_gets_a_sentence_below_its_message(body: Mapping[str, str]) -> None:
    for error, said in ((STORE, "The app's database is unavailable."), (UNKNOWN, str(UNKNOWN))):
        url = ResponseUrl()

        assert await unread(error, body, url) == (200, "")

        [text] = url.said
        assert text.startswith(said)


async def test_where_nothing_can_be_said_slack_says_that_it_failed() -> None:
    failing, silent = ResponseUrl(error=TimeoutError()), ResponseUrl(is_given=False)
    unused = ResponseUrl()

    for body, url in ((PRESS, failing), (PRESS, silent), (FORM, unused)):
        status, text = await unread(STORE, body, url)
        assert (status, text.partition(".")[0]) == (503, "The app's database is unavailable")
        assert await unread(UNKNOWN, body, url) == (200, "")  # it would fail again
    assert unused.said == []


async def test_what_slack_would_not_send_is_refused_with_a_reference_to_the_log() -> None:
    for body in (COMMAND, PRESS, FORM):
        status, text = await unread(KeyError("team_id"), body)
        assert (status, text.startswith("the request cannot be read; reference ")) == (400, True)
