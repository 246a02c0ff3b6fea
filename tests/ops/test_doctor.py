import asyncio

import pytest

from bot.ops.doctor import check_bot_token, check_tracker
from bot.ops.output import Finding, Mark, found_within
from bot.slack.auth import MENTION_SCOPES, NEEDED_SCOPES, OPTIONAL_SCOPES, Grant
from bot.slack.errors import (
    SlackError,
    SlackRateLimitedError,
    SlackRefusedError,
    SlackUnreachableError,
    TokenRefusedError,
)
from bot.tracker.models import TimedOutError
from tests.loops import loop_over


async def test_a_check_that_hangs_is_a_failure() -> None:
    async def hang() -> list[Finding]:
        await asyncio.Event().wait()
        return []

    (finding,) = await found_within("first", hang())

    assert (finding.about, finding.mark) == ("first", Mark.FAIL)


URL = "https://tracker.example/base"


async def checked(status: int | None, url: str = URL) -> Finding:
    async def look() -> int | None:
        return status

    (finding,) = await check_tracker(look(), url)
    return finding


async def test_something_else_is_a_failure_with_its_status() -> None:
    finding = await checked(404)

    assert finding.mark is Mark.FAIL
    assert "with status 404" in finding.detail
    assert "in front of /api/tools/domain-tracker" in finding.hint


async def test_no_answer_is_a_failure() -> None:
    async def look() -> int | None:
        raise TimedOutError("ConnectTimeout at GET /api", is_outcome_unknown=False)

    (finding,) = await check_tracker(look(), URL)

    assert finding.mark is Mark.FAIL
    assert f"no answer from {URL} (ConnectTimeout" in finding.detail


@pytest.mark.parametrize(
    ("url", "mark"),
    [
        ("http://tracker.example", Mark.WARN),
        ("http://192.0.2.1:8080", Mark.WARN),
        ("http://localhost:8080", Mark.OK),
        ("http://127.0.0.1:8080", Mark.OK),
        ("http://[::1]:8080", Mark.OK),
        ("https://tracker.example", Mark.OK),
    ],
)
async def test_keys_on_an_open_line_are_a_warning(url: str, mark: Mark) -> None:
    assert (await checked(None, url)).mark is mark


ALL = frozenset({*NEEDED_SCOPES, *OPTIONAL_SCOPES})
FAILURES: dict[str, tuple[SlackError, Mark, str]] = {
    "refused": (TokenRefusedError("invalid_auth"), Mark.FAIL, "Slack refuses it (invalid_auth)"),
    "of another kind": (SlackRefusedError("not_allowed_token_type"), Mark.FAIL, "not_allowed"),
    "away": (
        SlackUnreachableError("ClientConnectorError"),
        Mark.FAIL,
        "no usable answer from Slack",
    ),
    "busy": (SlackRateLimitedError(3), Mark.WARN, "rate limit"),
}


async def granting(grant: Grant) -> Grant:
    return grant


@pytest.mark.parametrize("scope", MENTION_SCOPES)
async def test_command_lines_in_messages_are_on_and_lack_a_scope(scope: str) -> None:
    granted = (ALL | {*MENTION_SCOPES}) - {scope}
    grant = Grant(team_id="T1", team_name="Acme", scopes=granted)

    found = await check_bot_token(granting(grant), reads_messages=True)
    [finding] = [each for each in found if each.mark is Mark.WARN]
    off = await check_bot_token(granting(grant))

    assert finding.line.startswith("warn  SLACK_MENTIONS: it is on, but not granted: ")
    assert scope in finding.line
    assert "Command lines in messages" in finding.hint
    assert [each.mark for each in off] == [Mark.OK, Mark.OK]


async def test_the_workspace_is_named_and_cannot_write_to_the_terminal() -> None:
    grant = Grant(team_id="T1", team_name="Ac\x1b[31mme\n", scopes=ALL)

    token, scopes = await check_bot_token(granting(grant))

    said = "Slack accepts it; it is the token of the workspace Ac\\x1b[31mme\\n (T1)."
    assert token.line == f"ok    SLACK_BOT_TOKEN: {said}"
    assert scopes.line == "ok    Slack permissions: all 8 are granted."


async def test_a_missing_scope_is_a_failure_and_an_optional_one_a_warning() -> None:
    grant = Grant(team_id="T1", team_name="Acme", scopes=ALL - {"im:write", "usergroups:read"})

    _token, needed, optional = await check_bot_token(granting(grant))

    assert needed.mark is Mark.FAIL
    assert needed.detail == f"missing: im:write ({NEEDED_SCOPES['im:write']})"
    assert "install the app again" in needed.hint
    assert optional.mark is Mark.WARN
    assert "usergroups:read" in optional.line


@loop_over(("error", "mark", "said"), FAILURES.values(), ids=FAILURES)
async def test_every_refusal_says_what_to_do(error: SlackError, mark: Mark, said: str) -> None:
    async def refuse() -> Grant:
        raise error

    (finding,) = await check_bot_token(refuse())

    assert finding.mark is mark
    assert said in finding.detail
    assert finding.hint
